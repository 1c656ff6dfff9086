import {
  type CollisionDetection,
  DndContext,
  type DragEndEvent,
  DragOverlay,
  MouseSensor,
  pointerWithin,
  rectIntersection,
  TouchSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { taskStates } from '../../src/team/task-moves.ts';
import type { Task } from '../../src/team/work.ts';
import { useEpics } from '../api/work-queries.ts';
import { classes } from '../ui/classes.ts';
import { BoardColumnView } from './board-column.tsx';
import { cardBeside } from './board-keys.ts';
import type { BoardSearch } from './board-search.ts';
import { TaskCardFace } from './task-card.tsx';
import { stateBeside } from './task-steps.ts';
import type { BoardColumn } from './use-board-columns.ts';
import { useTaskSteps } from './use-task-steps.tsx';

export interface BoardProps {
  columns: readonly BoardColumn[];
  filters: BoardSearch;
  isOld: boolean;
}

// Constants: new objects would make dnd-kit draw every card again.
const mouse = { activationConstraint: { distance: 6 } };
/** A finger that moves at once scrolls. */
const touch = { activationConstraint: { delay: 220, tolerance: 8 } };
const collisions: CollisionDetection = (given) => {
  const found = pointerWithin(given);
  return found.length > 0 ? found : rectIntersection(given);
};
const instructions = {
  draggable: 'Arrow keys go from card to card. Shift and an arrow move the task to the next state it may go to.',
};

export function Board({ columns, filters, isOld }: BoardProps) {
  const board = useRef<HTMLDivElement>(null);
  const wanted = useRef<string | null>(null);
  const [dragged, setDragged] = useState<Task | null>(null);
  const sensors = useSensors(useSensor(MouseSensor, mouse), useSensor(TouchSensor, touch));
  const epics = useEpics().data;
  const epicNames = useMemo(() => new Map(epics?.map(({ id, title }) => [id, title])), [epics]);
  const followWithFocus = useCallback((task: Task) => {
    if (wanted.current === task.id || isFocused(task.id)) wanted.current = task.id;
  }, []);
  const { move, dialog } = useTaskSteps(followWithFocus);

  // A card that moved is another element: the focus goes along.
  useEffect(() => {
    if (wanted.current === null) return;
    const card = board.current?.querySelector<HTMLElement>(`[data-task="${CSS.escape(wanted.current)}"]`);
    if (!card || card === document.activeElement || document.querySelector('[role="dialog"]')) return;
    card.focus();
    wanted.current = null;
  });

  const onKeyDown = (event: KeyboardEvent) => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || event.metaKey || event.ctrlKey || event.altKey) return;
    const id = target.dataset.task;
    if (id === undefined) return;
    const lists = columns.map((column) => column.tasks);
    const task = lists.flat().find((each) => each.id === id);
    if (event.shiftKey) {
      const direction = event.key === 'ArrowLeft' ? 'left' : event.key === 'ArrowRight' ? 'right' : null;
      if (!direction || !task) return;
      event.preventDefault();
      wanted.current = id;
      move(task, stateBeside(task.state, direction) ?? task.state);
      return;
    }
    const next = cardBeside(lists, id, event.key);
    if (!next) return;
    event.preventDefault();
    board.current?.querySelector<HTMLElement>(`[data-task="${CSS.escape(next.id)}"]`)?.focus();
  };

  const onDragEnd = ({ over }: DragEndEvent) => {
    setDragged(null);
    const to = taskStates.find((state) => state === over?.id);
    if (dragged && to && to !== dragged.state) move(dragged, to);
  };

  return (
    <DndContext
      sensors={sensors}
      collisionDetection={collisions}
      accessibility={{ screenReaderInstructions: instructions }}
      onDragStart={({ active }) => setDragged(findTask(columns, active.id))}
      onDragEnd={onDragEnd}
      onDragCancel={() => setDragged(null)}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the links inside */}
      <div
        ref={board}
        onKeyDown={onKeyDown}
        className={classes(
          '-mx-4 flex flex-[1_0_20rem]! snap-x scroll-px-4 gap-2.5 overflow-x-auto px-4 pb-2 transition-opacity sm:-mx-6 sm:scroll-px-6 sm:px-6 lg:-mx-8 lg:scroll-px-8 lg:px-8',
          isOld && 'opacity-60',
        )}
      >
        {columns.map((column) => (
          <BoardColumnView
            key={column.state}
            column={column}
            epicNames={epicNames}
            filters={filters}
            draggedFrom={dragged?.state ?? null}
            onMove={move}
          />
        ))}
      </div>
      <DragOverlay dropAnimation={null}>
        {dragged && (
          <div className="rotate-2 opacity-95">
            <TaskCardFace task={dragged} epicName={epicNames.get(dragged.epicId ?? '')} isLifted />
          </div>
        )}
      </DragOverlay>
      {dialog}
    </DndContext>
  );
}

function isFocused(taskId: string): boolean {
  const { activeElement } = document;
  return activeElement instanceof HTMLElement && activeElement.dataset.task === taskId;
}

function findTask(columns: readonly BoardColumn[], id: string | number): Task | null {
  for (const { tasks } of columns) {
    const task = tasks.find((each) => each.id === id);
    if (task) return task;
  }
  return null;
}
