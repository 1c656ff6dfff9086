import { Brain, Plus } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import type { BrainEntry } from '../../../../src/brain/brain.ts';
import { useDeleted } from '../../../api/pending-deletions.ts';
import {
  useBrain,
  useCreateBrainEntry,
  useDeleteBrainEntry,
  usePinBrainEntry,
  useUpdateBrainEntry,
} from '../../../api/queries.ts';
import { deleteLater } from '../../../parts/undo/delete-later.ts';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { dayName } from '../../../ui/day-names.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { showError } from '../../../ui/toast.tsx';
import { PageVirtualList } from '../../../ui/virtual-list.tsx';
import { type BrainEntryActions, BrainEntryCard, entryGap } from './brain-entry-card.tsx';
import { BrainEntryForm } from './brain-entry-form.tsx';
import { BrainFilterBar } from './brain-filter-bar.tsx';
import { countTags, everyEntry, filterBrain, isFiltering, toRows } from './brain-timeline.ts';

/** The height of a short entry. */
const rowHeight = 66;
const wholeBrain = {};

/** The agent's memory. It belongs to the agent's id, so agents defined in files have one too. */
export function BrainTab({ agentId }: { agentId: string }) {
  const brain = useBrain(agentId, wholeBrain);
  const create = useCreateBrainEntry(agentId);
  const [adding, setAdding] = useState(false);
  const [filter, setFilter] = useState(everyEntry);
  const editing = useIdSet();
  const expanded = useIdSet();
  const deleted = useDeleted();
  const entries = useMemo(() => brain.data?.filter((entry) => !deleted.has(keyOf(entry))), [brain.data, deleted]);
  const deferredFilter = useDeferredValue(filter);
  const tags = useMemo(() => countTags(entries ?? []), [entries]);
  const found = useMemo(() => filterBrain(entries ?? [], deferredFilter), [entries, deferredFilter]);
  const rows = useMemo(() => toRows(found), [found]);
  const actions = useEntryActions(agentId, {
    edit: editing.set,
    expand: expanded.set,
    chooseTag: (tag) => setFilter({ ...everyEntry, tags: [tag] }),
  });
  const now = new Date();

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
      {rows.length > 0 && (
        <PageVirtualList
          label="Entries"
          items={rows}
          keyOf={(row) => ('day' in row ? row.day : row.entry.id)}
          estimateSize={rowHeight}
          gap={entryGap}
          isRow={(row) => 'entry' in row && !editing.ids.has(row.entry.id)}
          isKept={(row) => 'entry' in row && editing.ids.has(row.entry.id)}
        >
          {(row, index) =>
            'day' in row ? (
              <h3 className={classes('font-semibold text-sm', index > 0 && 'pt-1.5')}>
                <time dateTime={row.day}>{dayName(row.day, now)}</time>
              </h3>
            ) : (
              <BrainEntryCard
                {...row}
                row={index}
                isEditing={editing.ids.has(row.entry.id)}
                isExpanded={expanded.ids.has(row.entry.id)}
                actions={actions}
              />
            )
          }
        </PageVirtualList>
      )}
      {isFiltering(deferredFilter) && found.length > 0 && (
        <p className="text-center text-faint text-xs" aria-live="polite">
          {found.length} of {entries.length} entries
        </p>
      )}
    </div>
  );
}

function keyOf({ id }: BrainEntry): string {
  return `brain/${id}`;
}

/** A set of ids in the state of a component. */
function useIdSet() {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const set = (id: string, isIn: boolean) =>
    setIds((before) => new Set(isIn ? [...before, id] : [...before].filter((each) => each !== id)));
  return { ids, set };
}

function useEntryActions(
  agentId: string,
  others: Pick<BrainEntryActions, 'edit' | 'expand' | 'chooseTag'>,
): BrainEntryActions {
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
    ...others,
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
