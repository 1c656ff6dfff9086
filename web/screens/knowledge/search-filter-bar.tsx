import { SlidersHorizontal, X } from 'lucide-react';
import { useState } from 'react';
import type { SourceInfo } from '../../../src/knowledge/knowledge.ts';
import type { SearchMode } from '../../../src/knowledge/search/search-request.ts';
import { SourceSelect } from '../../parts/knowledge/source-select.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Input } from '../../ui/input.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { countFilters, type KnowledgeSearch } from './search-params.ts';

export interface SearchFilterBarProps {
  search: KnowledgeSearch;
  mode: SearchMode;
  sources: readonly SourceInfo[];
  /** An empty value removes the filter. */
  onChange: (next: { [key in keyof KnowledgeSearch]?: string }) => void;
  onClear: () => void;
}

/** Search mode and filters. On a phone, the filters collapse. */
export function SearchFilterBar({ search, mode, sources, onChange, onClear }: SearchFilterBarProps) {
  const [open, setOpen] = useState(false);
  const count = countFilters(search);
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      <Segmented
        label="Search mode"
        value={mode}
        onChange={(next) => onChange({ mode: next })}
        options={[
          { value: 'keyword', label: 'Keyword' },
          { value: 'semantic', label: 'Semantic' },
          { value: 'hybrid', label: 'Hybrid' },
        ]}
      />
      <Button
        className="sm:hidden"
        icon={<SlidersHorizontal aria-hidden />}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {count > 0 ? `Filters (${count})` : 'Filters'}
      </Button>
      <div className={classes('flex flex-wrap items-center gap-2 max-sm:w-full sm:contents', !open && 'max-sm:hidden')}>
        <SourceSelect
          value={search.source ?? ''}
          sources={sources}
          onChange={(source) => onChange({ source })}
          className="max-w-56 max-sm:w-full max-sm:max-w-none"
        />
        <TagsInput key={search.tags ?? ''} tags={search.tags ?? ''} onChange={(tags) => onChange({ tags })} />
        <span className="flex min-w-0 items-center gap-1.5 text-muted text-xs max-sm:w-full">
          <span aria-hidden>Changed</span>
          <Input
            type="date"
            aria-label="Changed since"
            title="Changed since"
            value={search.since ?? ''}
            max={search.until}
            onChange={(event) => onChange({ since: event.target.value })}
            className="w-34 max-sm:flex-1"
          />
          to
          <Input
            type="date"
            aria-label="Changed until"
            title="Changed until"
            value={search.until ?? ''}
            min={search.since}
            onChange={(event) => onChange({ until: event.target.value })}
            className="w-34 max-sm:flex-1"
          />
        </span>
        {count > 0 && (
          <Button variant="ghost" size="sm" icon={<X aria-hidden />} onClick={onClear}>
            Clear filters
          </Button>
        )}
      </div>
    </div>
  );
}

/** Applies on Enter or blur, because half a tag finds nothing. */
function TagsInput({ tags, onChange }: { tags: string; onChange: (tags: string) => void }) {
  const [text, setText] = useState(tags);
  const apply = () => {
    if (text.trim() !== tags) onChange(text.trim());
  };
  return (
    <Input
      aria-label="Tags"
      placeholder="Tags: ops, runbook"
      autoCapitalize="off"
      spellCheck={false}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={apply}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply();
      }}
      className="w-40! max-sm:w-full!"
    />
  );
}
