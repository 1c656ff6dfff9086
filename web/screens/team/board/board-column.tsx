import { useDroppable } from '@dnd-kit/core';
import { Ban } from 'lucide-react';
import { memo, useRef } from 'react';
import type { TaskState } from '../../../../src/team/work/task-moves.ts';
import type { Task } from '../../../../src/team/work/work.ts';
import { taskStateLooks } from '../../../parts/team/task-state.tsx';
import { classes } from '../../../ui/classes.ts';
import { NextPage } from '../../../ui/next-page.tsx';
import { VirtualList } from '../../../ui/virtual-list.tsx';
import type { BoardSearch } from './board-search.ts';
import { TaskCard } from './task-card.tsx';
import { canMove } from './task-steps.ts';
import type { BoardColumn } from './use-board-columns.ts';

export interface BoardColumnProps {
  column: BoardColumn;
  epicNames: ReadonlyMap<string, string>;
  filters: BoardSearch;
  /** The state of the dragged card. */
  draggedFrom: TaskState | null;
  /** The card that last had the focus. */
  activeId: string | null;
  onMove: (task: Task, to: TaskState) => void;
}

/** The same for every column, so that none resizes when its tasks change. */
export const columnWidth = 'min-w-52 flex-[1_0_13rem] max-sm:min-w-[82vw]';

/** One column. Draws only the cards near the viewport. */
export const BoardColumnView = memo(function BoardColumnView(props: BoardColumnProps) {
  const { column, epicNames, filters, draggedFrom, activeId, onMove } = props;
  const { state, tasks, hasMore } = column;
  const { label, icon: Icon } = taskStateLooks[state];
  const { setNodeRef, isOver } = useDroppable({ id: state });
  const isOtherColumn = draggedFrom !== null && draggedFrom !== state;
  const canDrop = isOtherColumn && canMove(draggedFrom, state);
  const rejects = isOtherColumn && !canDrop;
  return (
    <section
      ref={setNodeRef}
      aria-label={label}
      data-column={state}
      data-drop={rejects ? 'refused' : canDrop ? 'allowed' : undefined}
      className={classes(
        'flex min-h-0 snap-start flex-col rounded-card border transition-[background-color,border-color,opacity]',
        columnWidth,
        backgroundOf({ canDrop, rejects, isOver }),
      )}
    >
      <header className="flex h-10 shrink-0 items-center gap-1.5 px-3">
        <Icon aria-hidden className="size-3.5 shrink-0 text-faint" />
        <h2 className="truncate font-medium font-sans text-sm tracking-normal">{label}</h2>
        <span className="ml-auto text-faint text-xs tabular-nums">
          {rejects && isOver ? (
            <Ban aria-hidden className="size-4 text-danger" />
          ) : (
            `${tasks.length.toLocaleString('en')}${hasMore ? '+' : ''}`
          )}
        </span>
      </header>
      <Cards {...{ column, epicNames, filters, activeId, onMove }} />
    </section>
  );
});

function backgroundOf({ canDrop, rejects, isOver }: { canDrop: boolean; rejects: boolean; isOver: boolean }): string {
  if (canDrop) return isOver ? 'border-accent bg-accent-soft' : 'border-accent border-dashed bg-accent-soft/50';
  if (rejects) {
    return isOver ? 'cursor-not-allowed border-danger bg-danger-soft' : 'border-transparent bg-sunken/55 opacity-45';
  }
  return 'border-transparent bg-sunken/55';
}

function Cards({ column, epicNames, filters, activeId, onMove }: Omit<BoardColumnProps, 'draggedFrom'>) {
  const scroll = useRef<HTMLDivElement>(null);
  const { tasks, hasMore, isLoadingMore, moreError, loadMore, state } = column;
  // One tab stop per column; the arrow keys move on from there.
  const stopId = tasks.some(({ id }) => id === activeId) ? activeId : tasks[0]?.id;
  return (
    <div ref={scroll} className="min-h-0 flex-1 overflow-y-auto px-2 pb-2 [scrollbar-width:thin]">
      <VirtualList
        scroller={scroll}
        label={`Tasks in ${taskStateLooks[state].label}`}
        items={tasks}
        keyOf={({ id }) => id}
        estimateSize={104}
        gap={8}
        isKept={({ id }) => id === stopId}
        hasMore={hasMore}
        onNearEnd={hasMore && !isLoadingMore && !moreError ? loadMore : undefined}
      >
        {(task, index) => (
          <TaskCard
            task={task}
            row={index}
            epicName={epicNames.get(task.epicId ?? '')}
            filters={filters}
            isTabStop={task.id === stopId}
            onMove={onMove}
          />
        )}
      </VirtualList>
      {hasMore && <NextPage error={moreError} isLoading={isLoadingMore} onMore={loadMore} className="mt-2" />}
    </div>
  );
}
