import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query';
import type { TaskListBody } from '../../src/http/team-types.ts';
import type { TaskState } from '../../src/team/task-moves.ts';
import type { Task } from '../../src/team/work.ts';
import type { TaskFilter } from './team.ts';

export const taskKeys = {
  tasks: ['tasks'] as const,
  columns: ['tasks', 'column'] as const,
  column: (state: TaskState, filter: TaskFilter) => ['tasks', 'column', state, filter] as const,
  task: (id: string) => ['tasks', 'one', id] as const,
};

export type TaskPages = InfiniteData<TaskListBody, string | null>;

/** Puts a task where it belongs on every board that is kept, before the hub's own lists say the same. */
export function placeTask(client: QueryClient, task: Task): void {
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
