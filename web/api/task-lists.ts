import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query';
import type { TaskState } from '../../src/team/work/task-moves.ts';
import type { TaskListBody } from '../../src/team/work/work.contract.ts';
import type { Task } from '../../src/team/work/work.ts';

/** The filters the hub applies. */
export interface TaskFilter {
  epicId?: string;
  assigneeId?: string;
  label?: string;
}

export const taskKeys = {
  tasks: ['tasks'] as const,
  columns: ['tasks', 'column'] as const,
  column: (state: TaskState, filter: TaskFilter) => ['tasks', 'column', state, filter] as const,
  task: (id: string) => ['tasks', 'one', id] as const,
  moves: ['tasks', 'moves'] as const,
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

type PendingMoves = Readonly<Record<string, PendingMove>>;

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

/** Applies pending moves to a fetched page of a column. */
export function withMoves(client: QueryClient, queryKey: QueryKey, page: TaskListBody, isFirst: boolean): TaskListBody {
  const moving = Object.values(movesOf(client)).map(({ shown }) => shown);
  if (moving.length === 0) return page;
  const ids = new Set(moving.map(({ id }) => id));
  const arriving = isFirst ? moving.filter((task) => belongs(queryKey, task)) : [];
  return { ...page, tasks: [...arriving, ...page.tasks.filter(({ id }) => !ids.has(id))] };
}

function movesOf(client: QueryClient): PendingMoves {
  return client.getQueryData<PendingMoves>(taskKeys.moves) ?? {};
}

/** Moves a task to its column on every cached board. */
function placeTask(client: QueryClient, task: Task): void {
  for (const [queryKey, pages] of client.getQueriesData<TaskPages>({ queryKey: taskKeys.columns })) {
    if (pages) client.setQueryData<TaskPages>(queryKey, withTask(pages, task, belongs(queryKey, task)));
  }
}

/** Puts an arriving task on top, because columns show the newest change first; a task that stays keeps its position. */
function withTask(pages: TaskPages, task: Task, isHere: boolean): TaskPages {
  const wasHere = pages.pages.some((page) => page.tasks.some(({ id }) => id === task.id));
  if (!wasHere && !isHere) return pages;
  const change = (tasks: Task[]) =>
    isHere ? tasks.map((each) => (each.id === task.id ? task : each)) : tasks.filter(({ id }) => id !== task.id);
  return {
    ...pages,
    pages: pages.pages.map((page, index) => ({
      ...page,
      tasks: isHere && !wasHere && index === 0 ? [task, ...page.tasks] : change(page.tasks),
    })),
  };
}

function belongs(queryKey: QueryKey, task: Task): boolean {
  // Only `taskKeys.column` creates keys below `columns`.
  const [, , state, filter] = queryKey as ReturnType<typeof taskKeys.column>;
  return (
    task.state === state &&
    (filter.label === undefined || task.labels.includes(filter.label)) &&
    (filter.epicId === undefined || filter.epicId === task.epicId) &&
    (filter.assigneeId === undefined || filter.assigneeId === task.assigneeId)
  );
}
