import {
  type Announcements,
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
import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { type TaskState, taskStates } from '../../../../src/team/work/task-moves.ts';
import type { Task } from '../../../../src/team/work/work.ts';
import { useEpics } from '../../../api/work-queries.ts';
import { taskStateLooks } from '../../../parts/team/task-state.tsx';
import { classes } from '../../../ui/classes.ts';
import { BoardColumnView } from './board-column.tsx';
import { cardBeside, type DrawnCard } from './board-keys.ts';
import type { BoardSearch } from './board-search.ts';
import { TaskCardFace } from './task-card.tsx';
import { canMove, describeRefusal, stateBeside } from './task-steps.ts';
import type { BoardColumn } from './use-board-columns.ts';
import { useTaskSteps } from './use-task-steps.tsx';

export interface BoardProps {
  columns: readonly BoardColumn[];
  filters: BoardSearch;
  isOld: boolean;
}

// Constants, because new objects would make dnd-kit draw every card again.
const mouse = { activationConstraint: { distance: 6 } };
/** Dragging needs a short press, because an immediate move scrolls. */
const touch = { activationConstraint: { delay: 220, tolerance: 8 } };
const collisions: CollisionDetection = (args) => {
  const hits = pointerWithin(args);
  return hits.length > 0 ? hits : rectIntersection(args);
};
/** Scrolls slowly and only near the edges, so that the next column appears, not the last one. */
const autoScroll = { threshold: { x: 0.08, y: 0.12 }, acceleration: 5 };
const instructions = {
  draggable:
    'Use the arrow keys to move between cards. Press Shift and an arrow key to move the task to the next allowed state.',
};

export function Board({ columns, filters, isOld }: BoardProps) {
  const board = useRef<HTMLDivElement>(null);
  /** The task last moved by keyboard or menu. */
  const movedId = useRef<string | null>(null);
  const { follow, onFocus, onBlur } = useCardFocus(board);
  /** The card that the tab key returns to. */
  const [activeId, setActiveId] = useState<string | null>(null);
  const [dragged, setDragged] = useState<Task | null>(null);
  const sensors = useSensors(useSensor(MouseSensor, mouse), useSensor(TouchSensor, touch));
  const epics = useEpics().data;
  const epicNames = useMemo(() => new Map(epics?.map(({ id, title }) => [id, title])), [epics]);
  const onMoved = useCallback(
    (task: Task, to: TaskState) => {
      if (movedId.current === task.id) follow(task.id, to);
    },
    [follow],
  );
  const { move, dialog } = useTaskSteps(onMoved);
  const moveByKeyOrMenu = useCallback(
    (task: Task, to: TaskState) => {
      movedId.current = task.id;
      move(task, to);
    },
    [move],
  );

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || event.metaKey || event.ctrlKey || event.altKey) return;
    const id = target.dataset.task;
    if (id === undefined) return;
    if (event.shiftKey) {
      const task = findTask(columns, id);
      const direction = event.key === 'ArrowLeft' ? 'left' : event.key === 'ArrowRight' ? 'right' : null;
      if (!direction || !task) return;
      event.preventDefault();
      const to = stateBeside(task.state, direction);
      if (to) moveByKeyOrMenu(task, to);
      else {
        // Says why nothing moves.
        const beside = taskStates[taskStates.indexOf(task.state) + (direction === 'left' ? -1 : 1)];
        if (beside) move(task, beside);
      }
      return;
    }
    const next = cardBeside(drawnCards(event.currentTarget), id, event.key);
    if (next === undefined) return;
    event.preventDefault();
    event.currentTarget.querySelector<HTMLElement>(cardSelector(next))?.focus();
  };

  const onDragEnd = ({ over }: DragEndEvent) => {
    setDragged(null);
    const to = taskStates.find((state) => state === over?.id);
    movedId.current = null;
    if (dragged && to && to !== dragged.state) move(dragged, to);
  };

  return (
    <DndContext
      sensors={sensors}
      collisionDetection={collisions}
      autoScroll={autoScroll}
      accessibility={{ screenReaderInstructions: instructions, announcements: announce(columns) }}
      onDragStart={({ active }) => setDragged(findTask(columns, active.id))}
      onDragEnd={onDragEnd}
      onDragCancel={() => setDragged(null)}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the links inside */}
      <div
        ref={board}
        data-keeps-focus
        onKeyDown={onKeyDown}
        onFocus={(event) => {
          onFocus(event);
          if (event.target.dataset.task) setActiveId(event.target.dataset.task);
        }}
        onBlur={onBlur}
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
            activeId={activeId}
            onMove={moveByKeyOrMenu}
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

/** Returns the drawn cards of each column. Cards outside the viewport are not drawn. */
function drawnCards(board: HTMLElement): DrawnCard[][] {
  return [...board.querySelectorAll('[data-column]')].map((column) =>
    [...column.querySelectorAll<HTMLElement>('[data-task]')].map((card) => ({
      id: card.dataset.task ?? '',
      top: card.getBoundingClientRect().top,
    })),
  );
}

function findTask(columns: readonly BoardColumn[], id: string | number): Task | null {
  for (const { tasks } of columns) {
    const task = tasks.find((each) => each.id === id);
    if (task) return task;
  }
  return null;
}

function announce(columns: readonly BoardColumn[]): Announcements {
  const name = (id: string | number) => `“${findTask(columns, id)?.title ?? 'The task'}”`;
  return {
    onDragStart: ({ active }) => `Picked up ${name(active.id)}.`,
    onDragOver: ({ active, over }) => {
      const task = findTask(columns, active.id);
      const to = taskStates.find((state) => state === over?.id);
      if (!task || !to || to === task.state) return undefined;
      return canMove(task.state, to) ? `Over ${taskStateLooks[to].label}.` : describeRefusal(task.state, to);
    },
    // `useTaskSteps` announces the result.
    onDragEnd: () => undefined,
    onDragCancel: ({ active }) => `${name(active.id)} is back in its column.`,
  };
}

/** The card that should have the focus until the user moves on. */
interface FocusTarget {
  id: string;
  /** The column the task was moved to. Its card there takes the focus, even from a closing menu. */
  goal: TaskState | null;
  /** The column in which the card last had the focus. */
  lastColumn: string | undefined;
}

/**
 * Keeps the focus on a card. A card that moves to another column becomes a new element, and a removed element loses
 * the focus, so the focus is restored after every change of the board.
 */
function useCardFocus(board: RefObject<HTMLElement | null>) {
  const focusTarget = useRef<FocusTarget | null>(null);

  const restoreFocus = useCallback(() => {
    if (!board.current || !focusTarget.current) return;
    const { id, goal, lastColumn } = focusTarget.current;
    const movedCard = goal && board.current.querySelector<HTMLElement>(`[data-column="${goal}"] ${cardSelector(id)}`);
    if (movedCard) {
      focusTarget.current.goal = null;
      movedCard.focus();
    } else if (isFocusLost()) {
      const card = board.current.querySelector<HTMLElement>(cardSelector(id));
      // In the same column the user may have scrolled on.
      card?.focus({ preventScroll: columnOf(card) === lastColumn });
    }
  }, [board]);

  useEffect(restoreFocus);
  // Columns also draw cards on their own.
  useEffect(() => {
    if (!board.current) return;
    const observer = new MutationObserver(restoreFocus);
    observer.observe(board.current, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [board, restoreFocus]);
  // A click ends the restoring; a key ends the wait for the new column.
  useEffect(() => {
    const onPointer = () => {
      focusTarget.current = null;
    };
    const onKey = () => {
      if (focusTarget.current) focusTarget.current.goal = null;
    };
    document.addEventListener('pointerdown', onPointer, true);
    document.addEventListener('keydown', onKey, true);
    return () => {
      document.removeEventListener('pointerdown', onPointer, true);
      document.removeEventListener('keydown', onKey, true);
    };
  }, []);

  const onFocus = useCallback(({ target }: FocusEvent<HTMLElement>) => {
    const id = target.dataset.task;
    if (id === undefined) return;
    const goal = focusTarget.current?.id === id ? focusTarget.current.goal : null;
    focusTarget.current = { id, goal, lastColumn: columnOf(target) };
  }, []);
  // React fires no blur for removed elements, and an inactive window keeps its active element, so this blur means that
  // the user moved on.
  const onBlur = useCallback(({ target }: FocusEvent<HTMLElement>) => {
    if (target === document.activeElement || target.dataset.task !== focusTarget.current?.id) return;
    if (focusTarget.current?.goal === null) focusTarget.current = null;
  }, []);

  /** Moves the focus with a task to another column. */
  const follow = useCallback((id: string, goal: TaskState) => {
    focusTarget.current = { id, goal, lastColumn: undefined };
  }, []);
  return { onFocus, onBlur, follow };
}

function cardSelector(taskId: string): string {
  return `[data-task="${CSS.escape(taskId)}"]`;
}

function columnOf(card: HTMLElement): string | undefined {
  return card.closest<HTMLElement>('[data-column]')?.dataset.column;
}

function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
