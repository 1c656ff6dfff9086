import { Search, Star, X } from 'lucide-react';
import { useRef } from 'react';
import { sourceLabels } from '../../../parts/agents/source-badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { Select } from '../../../ui/select.tsx';
import { type GallerySearch, type Sorting, type SourceFilter, sourceFilters } from './filter-agents.ts';

export interface GalleryToolbarProps {
  text: string;
  search: GallerySearch;
  counts: Record<SourceFilter, number>;
  onText: (text: string) => void;
  onSource: (source: SourceFilter) => void;
  onSort: (sort: Sorting) => void;
  tags: readonly { tag: string; count: number }[];
  favouriteCount: number;
  onChange: (change: Partial<Record<'tag' | 'only' | 'group', string | undefined>>) => void;
}

export function GalleryToolbar(props: GalleryToolbarProps) {
  const { text, search, counts, onText, onSource, onSort, tags, favouriteCount, onChange } = props;
  const field = useRef<HTMLInputElement>(null);
  const chosen = search.source ?? 'all';
  const shown = sourceFilters.filter((source) => source === 'all' || counts[source] > 0 || source === chosen);
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      <search className="relative min-w-0 grow basis-56 md:max-w-xs">
        <Search
          aria-hidden
          className="-translate-y-1/2 pointer-events-none absolute top-1/2 left-2.5 size-4 text-faint"
        />
        <input
          ref={field}
          type="search"
          aria-label="Search agents"
          placeholder="Search agents"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => onText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onText('');
            if (event.key === 'ArrowDown') {
              event.preventDefault();
              document.querySelector<HTMLElement>('[data-card="0"]')?.focus();
            }
          }}
          className="h-8 w-full rounded-lg border border-control bg-raised pr-8 pl-8 text-sm shadow-card outline-offset-0 transition-colors hover:border-faint max-md:h-10 max-md:text-[16px] [&::-webkit-search-cancel-button]:hidden"
        />
        {text && (
          <button
            type="button"
            aria-label="Clear search"
            onClick={() => {
              onText('');
              field.current?.focus();
            }}
            className="-translate-y-1/2 absolute top-1/2 right-1.5 rounded p-1 text-faint hover:text-text"
          >
            <X aria-hidden className="size-3.5" />
          </button>
        )}
      </search>
      <fieldset className="flex min-w-0 gap-0.5 overflow-x-auto rounded-lg border border-line bg-sunken p-0.5">
        <legend className="sr-only">Source</legend>
        {shown.map((source) => (
          <button
            key={source}
            type="button"
            aria-pressed={source === chosen}
            onClick={() => onSource(source)}
            className={classes(
              'inline-flex h-6.5 shrink-0 items-center gap-1.5 rounded-md px-2 text-xs transition-colors max-md:h-8.5',
              source === chosen ? 'bg-raised font-medium shadow-card' : 'text-muted hover:text-text',
            )}
          >
            {source === 'all' ? 'All' : sourceLabels[source]}
            <span className="text-faint tabular-nums">{counts[source]}</span>
          </button>
        ))}
      </fieldset>
      {(favouriteCount > 0 || search.only) && (
        <Button
          variant={search.only ? 'secondary' : 'ghost'}
          aria-pressed={search.only !== undefined}
          icon={<Star aria-hidden className={classes(search.only && 'fill-current text-warn')} />}
          onClick={() => onChange({ only: search.only ? undefined : 'favourites' })}
        >
          Favourites
        </Button>
      )}
      {(tags.length > 0 || search.tag) && (
        <Select
          label="Tag"
          value={search.tag ?? ''}
          onChange={(tag) => onChange({ tag })}
          options={[
            { value: '', label: 'All tags' },
            ...tags.map(({ tag, count }) => ({ value: tag, label: `${tag} (${count})` })),
          ]}
        />
      )}
      <Select
        label="Group by"
        value={search.group ?? ''}
        onChange={(group) => onChange({ group })}
        options={[
          { value: '', label: 'No groups' },
          { value: 'source', label: 'Grouped by source' },
        ]}
      />
      <Select
        label="Sort by"
        prefix="Sort"
        value={search.sort ?? 'updated'}
        onChange={onSort}
        options={[
          { value: 'updated', label: 'Last updated' },
          { value: 'name', label: 'Name' },
          { value: 'skills', label: 'Skills' },
        ]}
      />
    </div>
  );
}
