import { useNavigate } from '@tanstack/react-router';
import { Search, X } from 'lucide-react';
import { useMembers } from '../../../api/team-queries.ts';
import { useEpics } from '../../../api/work-queries.ts';
import { MemberAvatar } from '../../../parts/team/member-badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Input } from '../../../ui/input.tsx';
import { Select } from '../../../ui/select.tsx';
import { useSentText } from '../../../ui/use-typed-text.ts';
import type { BoardSearch } from './board-search.ts';
import { nobody } from './filter-tasks.ts';

const everything = '';

export function BoardFilters({ search }: { search: BoardSearch }) {
  const navigate = useNavigate();
  const epics = useEpics().data ?? [];
  const members = useMembers().data?.members ?? [];
  const { q = '' } = search;
  const set = (change: BoardSearch) => {
    const next = { ...search, ...change };
    void navigate({
      to: '/team',
      search: {
        ...(next.q && { q: next.q }),
        ...(next.epic && { epic: next.epic }),
        ...(next.assignee && { assignee: next.assignee }),
      },
      replace: true,
      resetScroll: false,
    });
  };
  const [text, type] = useSentText(q, (next) => set({ q: next }));
  const isFiltered = Object.keys(search).length > 0;
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <div className="relative min-w-40 flex-1 max-sm:basis-full sm:max-w-72">
        <Search
          aria-hidden
          className="-translate-y-1/2 pointer-events-none absolute top-1/2 left-2.5 size-3.5 text-faint"
        />
        <Input
          type="search"
          aria-label="Find a task"
          placeholder="Find a task"
          value={text}
          onChange={(event) => type(event.currentTarget.value)}
          className="pl-8"
        />
      </div>
      <Select
        label="Epic"
        className="max-w-52 max-sm:flex-1"
        value={search.epic ?? everything}
        onChange={(epic) => set({ epic })}
        options={withUnknown(search.epic, [
          { value: everything, label: 'All epics' },
          ...epics.map(({ id, title }) => ({ value: id, label: title })),
          { value: nobody, label: 'Without an epic' },
        ])}
      />
      <Select
        label="Assignee"
        className="max-w-52 max-sm:flex-1"
        value={search.assignee ?? everything}
        onChange={(assignee) => set({ assignee })}
        options={withUnknown(search.assignee, [
          { value: everything, label: 'Everybody' },
          ...members.map(({ id }) => ({ value: id, label: id, icon: <MemberAvatar id={id} size={18} /> })),
          { value: nobody, label: 'Nobody yet' },
        ])}
      />
      {isFiltered && (
        <Button variant="ghost" icon={<X aria-hidden />} onClick={() => set({ q: '', epic: '', assignee: '' })}>
          Clear
        </Button>
      )}
    </div>
  );
}

/** One that is gone still stands in the address. */
function withUnknown<O extends { value: string; label: string }>(value: string | undefined, options: O[]) {
  return value === undefined || options.some((option) => option.value === value)
    ? options
    : [...options, { value, label: value }];
}
