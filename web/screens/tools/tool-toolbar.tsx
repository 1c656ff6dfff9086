import { SearchField } from '../../ui/search-field.tsx';
import { Select } from '../../ui/select.tsx';
import type { ToolFilter } from './filter-tools.ts';

export interface ToolToolbarProps {
  query: string;
  show: ToolFilter | undefined;
  /** How many are shown, of how many; null while nobody knows. */
  count: { shown: number; all: number } | null;
  onQuery: (query: string) => void;
  onShow: (show: ToolFilter | undefined) => void;
  /** The keyboard goes on into the list. */
  onDown: () => void;
}

const filters: readonly { value: ToolFilter | 'all'; label: string }[] = [
  { value: 'all', label: 'All tools' },
  { value: 'reads', label: 'Read only' },
  { value: 'destructive', label: 'Can overwrite or delete' },
  { value: 'approval', label: 'Ask for approval' },
  { value: 'external', label: 'Of external servers' },
];

export function ToolToolbar({ query, show, count, onQuery, onShow, onDown }: ToolToolbarProps) {
  return (
    <header className="flex flex-col gap-2.5 border-line border-b px-4 pt-4 pb-3">
      <div className="flex items-baseline gap-2.5">
        <h1 className="font-semibold text-xl">Tools</h1>
        {count && (
          <p role="status" className="text-faint text-xs tabular-nums">
            {count.shown === count.all
              ? count.all.toLocaleString('en')
              : `${count.shown.toLocaleString('en')} of ${count.all.toLocaleString('en')}`}
          </p>
        )}
      </div>
      <SearchField label="Search tools" placeholder="Search tools" value={query} onChange={onQuery} onDown={onDown} />
      <Select
        label="Show"
        prefix="Show"
        value={show ?? 'all'}
        options={filters}
        onChange={(next) => onShow(next === 'all' ? undefined : next)}
        className="w-full"
      />
    </header>
  );
}
