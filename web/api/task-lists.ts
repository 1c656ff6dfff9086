import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query';
import type { TaskState } from '../../src/team/work/task-moves.ts';
import type { TaskListBody } from '../../src/team/work/work.contract.ts';
import { compareUrgency, type Priority, type Task } from '../../src/team/work/work.ts';

/** The filters the hub applies. */
export interface TaskFilter {
  epicId?: string;
  assigneeId?: string;
  label?: string;
  priority?: Priority;
  /** Only open tasks that are due on this day or before it. */
  dueBy?: string;
  sort?: 'urgency';
}

export const taskKeys = {
  tasks: ['tasks'] as const,
  columns: ['tasks', 'column'] as const,
  column: (state: TaskState, filter: TaskFilter) => ['tasks', 'column', state, filter] as const,
  task: (id: string) => ['tasks', 'one', id] as const,
  moves: ['tasks', 'moves'] as const,
  labels: ['tasks', 'labels'] as const,
  any: ['tasks', 'any'] as const,
};

export type TaskPages = InfiniteData<TaskListBody, string | null>;

/** A move the hub has not confirmed yet. */
interface PendingMove {
  /** The last state from the hub. */
  known: Task;
  /** Shown on boards until the hub replies. */
  shown: Task;
  pendingCount: number;
}

export type PendingMoves = Readonly<Record<string, PendingMove>>;

/** Shows a task as moved on every board, including lists fetched before the hub replies. */
export async function beginMove(client: QueryClient, task: Task, shown: Task): Promise<void> {
  const before = movesOf(client)[task.id];
  const move = { known: before?.known ?? task, shown, pendingCount: (before?.pendingCount ?? 0) + 1 };
  client.setQueryData<PendingMoves>(taskKeys.moves, { ...movesOf(client), [task.id]: move });
  // A running fetch may return old pages.
  await client.cancelQueries({ queryKey: taskKeys.columns });
  placeTask(client, shown);
}

/** Ends a move with the hub's reply, or null if it refused. After the last pending move, boards show the hub's state. */
export function endMove(client: QueryClient, id: string, reply: Task | null): void {
  const { [id]: move, ...others } = movesOf(client);
  if (!move) return;
  const next = { ...move, known: reply ?? move.known, pendingCount: move.pendingCount - 1 };
  client.setQueryData<PendingMoves>(taskKeys.moves, next.pendingCount === 0 ? others : { ...others, [id]: next });
  if (next.pendingCount === 0) placeTask(client, next.known);
}

/** Returns the tasks that are moving, as they are shown. */
export function movingTasks(client: QueryClient): Task[] {
  return Object.values(movesOf(client)).map(({ shown }) => shown);
}

/** Applies pending moves to a fetched page of a column, and remembers what it says about the moving tasks. */
export function withMoves(client: QueryClient, queryKey: QueryKey, page: TaskListBody, isFirst: boolean): TaskListBody {
  noteKnown(client, page.tasks);
  const moving = movingTasks(client);
  if (moving.length === 0) return page;
  const ids = new Set(moving.map(({ id }) => id));
  const arriving = isFirst ? moving.filter((task) => belongs(queryKey, task)) : [];
  return { ...page, tasks: inOrder(queryKey, [...arriving, ...page.tasks.filter(({ id }) => !ids.has(id))]) };
}

function noteKnown(client: QueryClient, tasks: readonly Task[]): void {
  const moves = movesOf(client);
  const changed = tasks.flatMap((known) => {
    const move = moves[known.id];
    if (!move) return [];
    const { state, assigneeId, stateSince } = move.shown;
    return [[known.id, { ...move, known, shown: { ...known, state, assigneeId, stateSince } }] as const];
  });
  if (changed.length === 0) return;
  client.setQueryData<PendingMoves>(taskKeys.moves, { ...moves, ...Object.fromEntries(changed) });
}

function movesOf(client: QueryClient): PendingMoves {
  return client.getQueryData<PendingMoves>(taskKeys.moves) ?? {};
}

/** Moves a task to its column on every cached board. */
function placeTask(client: QueryClient, task: Task): void {
  for (const [queryKey, pages] of client.getQueriesData<TaskPages>({ queryKey: taskKeys.columns })) {
    if (pages) client.setQueryData<TaskPages>(queryKey, withTask(queryKey, pages, task));
  }
}

/** Puts an arriving task where the order of its column wants it; a task that stays keeps its position. */
function withTask(queryKey: QueryKey, pages: TaskPages, task: Task): TaskPages {
  const isHere = belongs(queryKey, task);
  const wasHere = pages.pages.some((page) => page.tasks.some(({ id }) => id === task.id));
  if (!wasHere && !isHere) return pages;
  const change = (tasks: Task[]) =>
    isHere ? tasks.map((each) => (each.id === task.id ? task : each)) : tasks.filter(({ id }) => id !== task.id);
  return {
    ...pages,
    pages: pages.pages.map((page, index) => ({
      ...page,
      tasks: isHere && !wasHere && index === 0 ? inOrder(queryKey, [task, ...page.tasks]) : change(page.tasks),
    })),
  };
}

/** The newest change is on top already. */
function inOrder(queryKey: QueryKey, tasks: Task[]): Task[] {
  return columnOf(queryKey).filter.sort === 'urgency' ? tasks.toSorted(compareUrgency) : tasks;
}

function columnOf(queryKey: QueryKey): { state: TaskState; filter: TaskFilter } {
  // Only `taskKeys.column` creates keys below `columns`.
  const [, , state, filter] = queryKey as ReturnType<typeof taskKeys.column>;
  return { state, filter };
}

function belongs(queryKey: QueryKey, task: Task): boolean {
  const { state, filter } = columnOf(queryKey);
  return (
    task.state === state &&
    (filter.priority === undefined || task.priority === filter.priority) &&
    (filter.dueBy === undefined ||
      (task.dueDate !== null && task.dueDate <= filter.dueBy && task.state !== 'COMPLETED')) &&
    (filter.label === undefined || task.labels.includes(filter.label)) &&
    (filter.epicId === undefined || filter.epicId === task.epicId) &&
    (filter.assigneeId === undefined || filter.assigneeId === task.assigneeId)
  );
}
