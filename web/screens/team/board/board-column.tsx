import { useDroppable } from '@dnd-kit/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Ban } from 'lucide-react';
import { memo, useEffect, useRef } from 'react';
import type { TaskState } from '../../../../src/team/work/task-moves.ts';
import type { Task } from '../../../../src/team/work/work.ts';
import { taskStateLooks } from '../../../parts/team/task-state.tsx';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
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
        tasks.length > 0 ? 'min-w-52 flex-[1_0_13rem] max-sm:min-w-[82vw]' : 'min-w-34 flex-[0.5_0_8.5rem]',
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
  const { tasks, hasMore, isLoadingMore, loadMore, state } = column;
  const rows = useVirtualizer({
    count: tasks.length,
    getScrollElement: () => scroll.current,
    getItemKey: (index) => tasks[index]?.id ?? index,
    estimateSize: () => 104,
    gap: 8,
    overscan: 6,
  });
  const items = rows.getVirtualItems();
  // One tab stop per column; the arrow keys move on from there.
  const stopId = items.some((item) => item.key === activeId) ? activeId : items[0]?.key;
  const isNearEnd = hasMore && !isLoadingMore && (items.at(-1)?.index ?? 0) >= tasks.length - 10;
  useEffect(() => {
    if (isNearEnd) loadMore();
  });
  return (
    <div ref={scroll} className="min-h-0 flex-1 overflow-y-auto px-2 pb-2 [scrollbar-width:thin]">
      <ul
        aria-label={`Tasks in ${taskStateLooks[state].label}`}
        className="relative"
        style={{ height: rows.getTotalSize() }}
      >
        {items.map((item) => {
          const task = tasks[item.index];
          return (
            task && (
              <li
                key={item.key}
                ref={rows.measureElement}
                data-index={item.index}
                aria-setsize={hasMore ? -1 : tasks.length}
                aria-posinset={item.index + 1}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <TaskCard
                  task={task}
                  epicName={epicNames.get(task.epicId ?? '')}
                  filters={filters}
                  isTabStop={task.id === stopId}
                  onMove={onMove}
                />
              </li>
            )
          );
        })}
      </ul>
      {hasMore && (
        <Button size="sm" variant="ghost" className="mt-2 w-full" busy={isLoadingMore} onClick={loadMore}>
          Show more
        </Button>
      )}
    </div>
  );
}
