import { Pin, Search, X } from 'lucide-react';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { Input } from '../../../ui/input.tsx';
import { brainLook, brainTypes } from './brain-look.tsx';
import { type BrainFilter, everyEntry, isFiltering } from './brain-timeline.ts';

export interface BrainFilterBarProps {
  filter: BrainFilter;
  tags: readonly { tag: string; count: number }[];
  onChange: (filter: BrainFilter) => void;
}

const maxTags = 12;

export function BrainFilterBar({ filter, tags, onChange }: BrainFilterBarProps) {
  const set = (change: Partial<BrainFilter>) => onChange({ ...filter, ...change });
  const shownTags = tags.filter(({ tag }, index) => index < maxTags || filter.tags.includes(tag));
  return (
    <search aria-label="Filter entries" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <div className="relative min-w-0 flex-1 basis-44">
          <Search
            aria-hidden
            className="pointer-events-none absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-faint"
          />
          <Input
            type="search"
            aria-label="Search entries"
            placeholder="Search entries"
            value={filter.text}
            onChange={(event) => set({ text: event.target.value })}
            className="pl-8"
          />
        </div>
        <span className="flex min-w-0 items-center gap-1.5 text-muted text-xs">
          <Input
            type="date"
            aria-label="From date"
            value={filter.from}
            max={filter.to || undefined}
            onChange={(event) => set({ from: event.target.value })}
            className="w-34"
          />
          to
          <Input
            type="date"
            aria-label="To date"
            value={filter.to}
            min={filter.from || undefined}
            onChange={(event) => set({ to: event.target.value })}
            className="w-34"
          />
        </span>
      </div>
      <div className="flex flex-wrap items-center gap-1.5">
        {brainTypes.map((type) => {
          const { label, icon: Icon } = brainLook[type];
          const pressed = filter.types.includes(type);
          return (
            <Chip key={type} pressed={pressed} onClick={() => set({ types: toggled(filter.types, type) })}>
              <Icon aria-hidden className="size-3.5" />
              {label}
            </Chip>
          );
        })}
        <Chip pressed={filter.pinnedOnly} onClick={() => set({ pinnedOnly: !filter.pinnedOnly })}>
          <Pin aria-hidden className="size-3.5" />
          Pinned
        </Chip>
        {shownTags.map(({ tag, count }) => (
          <Chip key={tag} pressed={filter.tags.includes(tag)} onClick={() => set({ tags: toggled(filter.tags, tag) })}>
            <span className="max-w-40 truncate">#{tag}</span>
            <span className="opacity-70 tabular-nums">{count}</span>
          </Chip>
        ))}
        {isFiltering(filter) && (
          <Button variant="ghost" size="sm" icon={<X aria-hidden />} onClick={() => onChange(everyEntry)}>
            Clear
          </Button>
        )}
      </div>
    </search>
  );
}

function Chip({ pressed, onClick, children }: { pressed: boolean; onClick: () => void; children: React.ReactNode }) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={onClick}
      className={classes(
        'inline-flex h-7 items-center gap-1.5 rounded-full border px-2.5 text-xs transition-colors max-md:h-8',
        pressed ? 'border-accent bg-accent-soft text-accent-text' : 'border-line bg-surface text-muted hover:text-text',
      )}
    >
      {children}
    </button>
  );
}

function toggled<T>(list: readonly T[], value: T): T[] {
  return list.includes(value) ? list.filter((each) => each !== value) : [...list, value];
}
