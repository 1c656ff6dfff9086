import type { Task } from '../../../../src/team/work/work.ts';
import type { TaskFilter } from '../../../api/task-lists.ts';
import type { BoardSearch } from './board-search.ts';

/** Stands for "without one" among ids in the address. */
export const nobody = 'none';

/** What the hub can filter by itself. */
export function hubFilter({ epic, assignee }: BoardSearch): TaskFilter {
  return {
    ...(epic !== undefined && epic !== nobody && { epicId: epic }),
    ...(assignee !== undefined && assignee !== nobody && { assigneeId: assignee }),
  };
}

/** Whether some of what the hub sends is hidden, so that all of it has to be there to see what is left. */
export function filtersHere({ q, epic, assignee }: BoardSearch): boolean {
  return wordsOf(q).length > 0 || epic === nobody || assignee === nobody;
}

/** Those that hold every word in title, branch or assignee, or whose id begins with it. */
export function filterTasks(tasks: readonly Task[], search: BoardSearch): readonly Task[] {
  if (!filtersHere(search)) return tasks;
  const words = wordsOf(search.q);
  return tasks.filter((task) => {
    if (search.epic === nobody && task.epicId !== null) return false;
    if (search.assignee === nobody && task.assigneeId !== null) return false;
    const text = `${task.title} ${task.branchName ?? ''} ${task.assigneeId ?? ''}`.toLowerCase();
    // Ids are letters and digits by chance: a short word is in most of them.
    return words.every((word) => text.includes(word) || task.id.startsWith(word));
  });
}

function wordsOf(q: string | undefined): string[] {
  return (q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
}
