import { Brain, Plus } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import type { BrainEntry } from '../../../../src/brain/brain.ts';
import {
  useBrain,
  useCreateBrainEntry,
  useDeleteBrainEntry,
  usePinBrainEntry,
  useUpdateBrainEntry,
} from '../../../api/queries.ts';
import { deleteLater, useDeleted } from '../../../parts/undo/delete-later.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { showError } from '../../../ui/toast.tsx';
import { type BrainEntryActions, BrainEntryCard } from './brain-entry-card.tsx';
import { BrainEntryForm } from './brain-entry-form.tsx';
import { BrainFilterBar } from './brain-filter-bar.tsx';
import { countTags, dayTitle, everyEntry, filterBrain, groupByDay, isFiltering, localDay } from './brain-timeline.ts';

const pageSize = 100;
const wholeBrain = {};

/** The agent's memory. It belongs to the agent's id, so agents defined in files have one too. */
export function BrainTab({ agentId }: { agentId: string }) {
  const brain = useBrain(agentId, wholeBrain);
  const create = useCreateBrainEntry(agentId);
  const [adding, setAdding] = useState(false);
  const [filter, setFilter] = useState(everyEntry);
  const [maxShown, setMaxShown] = useState(pageSize);
  const deleted = useDeleted();
  const entries = useMemo(() => brain.data?.filter((entry) => !deleted.has(keyOf(entry))), [brain.data, deleted]);
  const deferredFilter = useDeferredValue(filter);
  const tags = useMemo(() => countTags(entries ?? []), [entries]);
  const found = useMemo(() => filterBrain(entries ?? [], deferredFilter), [entries, deferredFilter]);
  const days = useMemo(() => groupByDay(found.slice(0, maxShown)), [found, maxShown]);
  const actions = useEntryActions(agentId, (tag) => setFilter({ ...everyEntry, tags: [tag] }));
  const today = localDay(new Date().toISOString());

  if (brain.isPending) return <BrainSkeleton />;
  if (!entries) {
    return (
      <ErrorState title="The brain could not be loaded" error={brain.error} onRetry={() => void brain.refetch()} />
    );
  }
  const addButton = (
    <Button icon={<Plus aria-hidden />} onClick={() => setAdding(true)}>
      Add entry
    </Button>
  );
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-start gap-3">
        <p className="min-w-0 flex-1 basis-64 text-pretty text-muted text-sm">
          Notes this agent keeps between conversations. Add what it should know; changes are saved at once.
        </p>
        {!adding && entries.length > 0 && addButton}
      </div>
      {adding && (
        <BrainEntryForm
          draft={{ name: `${agentId}/new` }}
          start={{ type: 'note', content: '', tags: [], pinned: false }}
          submitLabel="Add entry"
          onSubmit={(fields) => create.mutateAsync(fields)}
          onClose={() => setAdding(false)}
        />
      )}
      {entries.length > 0 && <BrainFilterBar filter={filter} tags={tags} onChange={setFilter} />}
      {entries.length === 0 && !adding && (
        <EmptyState
          art={<Brain className="size-10" strokeWidth={1.5} />}
          title="Nothing remembered yet"
          actions={addButton}
        >
          The agent saves decisions, milestones, notes and summaries here. Add one yourself to get it started.
        </EmptyState>
      )}
      {entries.length > 0 && found.length === 0 && (
        <EmptyState
          title="No entries match"
          actions={<Button onClick={() => setFilter(everyEntry)}>Clear filters</Button>}
        >
          Try other words, or clear the filters to see all {entries.length} entries.
        </EmptyState>
      )}
      {days.map((group) => (
        <section key={group.day} aria-label={dayTitle(group.day, today)}>
          <h3 className="mb-2 font-semibold text-sm">
            <time dateTime={group.day}>{dayTitle(group.day, today)}</time>
          </h3>
          <ol className="relative flex flex-col gap-2.5 before:absolute before:top-4 before:bottom-4 before:left-[12.5px] before:w-px before:bg-line-strong max-sm:before:hidden">
            {group.entries.map((entry) => (
              <BrainEntryCard key={entry.id} entry={entry} actions={actions} />
            ))}
          </ol>
        </section>
      ))}
      {isFiltering(deferredFilter) && found.length > 0 && (
        <p className="text-center text-faint text-xs" aria-live="polite">
          {found.length} of {entries.length} entries
        </p>
      )}
      {found.length > maxShown && (
        <Button variant="ghost" onClick={() => setMaxShown(maxShown + pageSize)}>
          Show older entries
        </Button>
      )}
    </div>
  );
}

function keyOf({ id }: BrainEntry): string {
  return `brain/${id}`;
}

function useEntryActions(agentId: string, chooseTag: (tag: string) => void): BrainEntryActions {
  const pin = usePinBrainEntry(agentId);
  const update = useUpdateBrainEntry(agentId);
  const remove = useDeleteBrainEntry(agentId);
  const removeEntry = (entry: BrainEntry) =>
    deleteLater({
      keys: [keyOf(entry)],
      message: 'Entry deleted',
      carryOut: () => remove.mutateAsync(entry.id),
      failure: 'The entry could not be deleted',
    });
  return {
    pin: (entry) =>
      pin.mutate(
        { entryId: entry.id, pinned: !entry.pinned },
        { onError: (error) => showError('The entry could not be pinned', error) },
      ),
    save: (entry, fields) => update.mutateAsync({ entryId: entry.id, change: fields }),
    remove: removeEntry,
    chooseTag,
  };
}

function BrainSkeleton() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading the brain" className="flex flex-col gap-3">
      <Skeleton className="h-8 w-full" />
      {[0, 1, 2].map((row) => (
        <Skeleton key={row} className="h-20 w-full rounded-xl" />
      ))}
    </div>
  );
}
