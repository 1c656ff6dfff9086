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

// Constants: new objects would make dnd-kit draw every card again.
const mouse = { activationConstraint: { distance: 6 } };
/** A finger that moves at once scrolls. */
const touch = { activationConstraint: { delay: 220, tolerance: 8 } };
const collisions: CollisionDetection = (given) => {
  const found = pointerWithin(given);
  return found.length > 0 ? found : rectIntersection(given);
};
/** Near the edges only, and not in a rush: the next column should come into sight, not the last one. */
const autoScroll = { threshold: { x: 0.08, y: 0.12 }, acceleration: 5 };
const instructions = {
  draggable: 'Arrow keys go from card to card. Shift and an arrow move the task to the next state it may go to.',
};

export function Board({ columns, filters, isOld }: BoardProps) {
  const board = useRef<HTMLDivElement>(null);
  /** The task that was moved by keys or menu. */
  const held = useRef<string | null>(null);
  const { follow, onFocus, onBlur } = useCardFocus(board);
  /** The card the tab key comes back to. */
  const [activeId, setActiveId] = useState<string | null>(null);
  const [dragged, setDragged] = useState<Task | null>(null);
  const sensors = useSensors(useSensor(MouseSensor, mouse), useSensor(TouchSensor, touch));
  const epics = useEpics().data;
  const epicNames = useMemo(() => new Map(epics?.map(({ id, title }) => [id, title])), [epics]);
  const onMoved = useCallback(
    (task: Task, to: TaskState) => {
      if (held.current === task.id) follow(task.id, to);
    },
    [follow],
  );
  const { move, dialog } = useTaskSteps(onMoved);
  const moveHeld = useCallback(
    (task: Task, to: TaskState) => {
      held.current = task.id;
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
      if (to) moveHeld(task, to);
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
    held.current = null;
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
            onMove={moveHeld}
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

/** Of each column: what is far from sight is not drawn. */
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
    // Where it ended is said by the move itself.
    onDragEnd: () => undefined,
    onDragCancel: ({ active }) => `${name(active.id)} is back where it was.`,
  };
}

/** The card whose task has the keyboard, until the person goes elsewhere. */
interface Owed {
  id: string;
  /** Where the task was moved to by keys or menu; its card there takes the focus, also from a menu that closes. */
  goal: TaskState | null;
  /** Where the card had the focus last. */
  seenIn: string | undefined;
}

/**
 * Keeps the focus with a card. In another column it is another element, and one that leaves the page takes the focus
 * with it: so the focus is put again after each change of the board, however many there are and whoever made them.
 */
function useCardFocus(board: RefObject<HTMLElement | null>) {
  const owed = useRef<Owed | null>(null);

  const settle = useCallback(() => {
    if (!board.current || !owed.current) return;
    const { id, goal, seenIn } = owed.current;
    const inGoal = goal && board.current.querySelector<HTMLElement>(`[data-column="${goal}"] ${cardSelector(id)}`);
    if (inGoal) {
      owed.current.goal = null;
      inGoal.focus();
    } else if (isFocusLost()) {
      const card = board.current.querySelector<HTMLElement>(cardSelector(id));
      // Where it was already, the person may have scrolled on.
      card?.focus({ preventScroll: columnOf(card) === seenIn });
    }
  }, [board]);

  useEffect(settle);
  // Columns draw their cards on their own, too.
  useEffect(() => {
    if (!board.current) return;
    const observer = new MutationObserver(settle);
    observer.observe(board.current, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [board, settle]);
  // Who goes on meanwhile is not called back: by pointer to nowhere, by key from a place the card did not have yet.
  useEffect(() => {
    const onPointer = () => {
      owed.current = null;
    };
    const onKey = () => {
      if (owed.current) owed.current.goal = null;
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
    const goal = owed.current?.id === id ? owed.current.goal : null;
    owed.current = { id, goal, seenIn: columnOf(target) };
  }, []);
  // React is silent about elements that it takes away, and a window that loses the focus keeps its active element:
  // what is left is a person who goes on to something else.
  const onBlur = useCallback(({ target }: FocusEvent<HTMLElement>) => {
    if (target === document.activeElement || target.dataset.task !== owed.current?.id) return;
    if (owed.current?.goal === null) owed.current = null;
  }, []);

  /** The task goes to another column, and the focus with it. */
  const follow = useCallback((id: string, goal: TaskState) => {
    owed.current = { id, goal, seenIn: undefined };
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
