import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query';
import type { TaskState } from '../../src/team/work/task-moves.ts';
import type { TaskListBody } from '../../src/team/work/work.contract.ts';
import type { Task } from '../../src/team/work/work.ts';

/** What the hub filters by itself. */
export interface TaskFilter {
  epicId?: string;
  assigneeId?: string;
}

export const taskKeys = {
  tasks: ['tasks'] as const,
  columns: ['tasks', 'column'] as const,
  column: (state: TaskState, filter: TaskFilter) => ['tasks', 'column', state, filter] as const,
  task: (id: string) => ['tasks', 'one', id] as const,
  moves: ['tasks', 'moves'] as const,
};

export type TaskPages = InfiniteData<TaskListBody, string | null>;

/** A task that the hub has been asked to move and has not answered yet. */
interface MoveUnderWay {
  /** As the hub said last. */
  known: Task;
  /** As the boards show it until the hub has answered. */
  shown: Task;
  unanswered: number;
}

type MovesUnderWay = Readonly<Record<string, MoveUnderWay>>;

/** Every board shows the task as it will be, also in lists that are fetched before the hub has answered. */
export async function beginMove(client: QueryClient, task: Task, shown: Task): Promise<void> {
  const before = movesOf(client)[task.id];
  const move = { known: before?.known ?? task, shown, unanswered: (before?.unanswered ?? 0) + 1 };
  client.setQueryData<MovesUnderWay>(taskKeys.moves, { ...movesOf(client), [task.id]: move });
  // A list under way may hold pages from before.
  await client.cancelQueries({ queryKey: taskKeys.columns });
  placeTask(client, shown);
}

/** The hub's answer; null when it refused. With the last one the boards show what the hub said. */
export function endMove(client: QueryClient, id: string, answer: Task | null): void {
  const { [id]: move, ...others } = movesOf(client);
  if (!move) return;
  const next = { ...move, known: answer ?? move.known, unanswered: move.unanswered - 1 };
  client.setQueryData<MovesUnderWay>(taskKeys.moves, next.unanswered === 0 ? others : { ...others, [id]: next });
  if (next.unanswered === 0) placeTask(client, next.known);
}

/** A page of a column as the hub gave it, with the moves it has not answered yet. */
export function withMoves(client: QueryClient, queryKey: QueryKey, page: TaskListBody, isFirst: boolean): TaskListBody {
  const moving = Object.values(movesOf(client)).map(({ shown }) => shown);
  if (moving.length === 0) return page;
  const ids = new Set(moving.map(({ id }) => id));
  const come = isFirst ? moving.filter((task) => belongs(queryKey, task)) : [];
  return { ...page, tasks: [...come, ...page.tasks.filter(({ id }) => !ids.has(id))] };
}

function movesOf(client: QueryClient): MovesUnderWay {
  return client.getQueryData<MovesUnderWay>(taskKeys.moves) ?? {};
}

/** Puts a task where it belongs on every board that is kept, before the hub's own lists say the same. */
function placeTask(client: QueryClient, task: Task): void {
  for (const [queryKey, pages] of client.getQueriesData<TaskPages>({ queryKey: taskKeys.columns })) {
    if (pages) client.setQueryData<TaskPages>(queryKey, withTask(pages, task, belongs(queryKey, task)));
  }
}

/** Newest change first, so a task that came stands on top; one that stays keeps its place. */
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
  // Only `taskKeys.column` makes keys below `columns`.
  const [, , state, filter] = queryKey as ReturnType<typeof taskKeys.column>;
  return (
    task.state === state &&
    (filter.epicId === undefined || filter.epicId === task.epicId) &&
    (filter.assigneeId === undefined || filter.assigneeId === task.assigneeId)
  );
}
