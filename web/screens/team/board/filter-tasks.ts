import type { Task } from '../../../../src/team/work/work.ts';
import type { TaskFilter } from '../../../api/task-lists.ts';
import type { BoardSearch } from './board-search.ts';

/** The URL value for tasks without an epic or assignee. */
export const nobody = 'none';

/** Returns the part of the filter that the hub applies. Days are those of the browser's time zone. */
export function hubFilter({ epic, assignee, label, priority, due }: BoardSearch, now: Date): TaskFilter {
  return {
    ...(epic !== undefined && epic !== nobody && { epicId: epic }),
    ...(assignee !== undefined && assignee !== nobody && { assigneeId: assignee }),
    ...(label !== undefined && { label }),
    ...(priority !== undefined && { priority }),
    ...(due !== undefined && { dueBy: dayOf(now, due === 'overdue' ? -1 : 7) }),
  };
}

/** Returns whether the browser filters too, which requires all tasks to be loaded. */
export function filtersInBrowser({ q, epic, assignee }: BoardSearch): boolean {
  return wordsOf(q).length > 0 || epic === nobody || assignee === nobody;
}

/** Returns the tasks that match every word in title, labels, branch, assignee or the start of the id. */
export function filterTasks(tasks: readonly Task[], search: BoardSearch): readonly Task[] {
  if (!filtersInBrowser(search)) return tasks;
  const words = wordsOf(search.q);
  return tasks.filter((task) => {
    if (search.epic === nobody && task.epicId !== null) return false;
    if (search.assignee === nobody && task.assigneeId !== null) return false;
    const text =
      `${task.title} ${task.labels.join(' ')} ${task.branchName ?? ''} ${task.assigneeId ?? ''}`.toLowerCase();
    // Only the start of the id, because a short word occurs in most random ids.
    return words.every((word) => text.includes(word) || task.id.startsWith(word));
  });
}

/** Returns the day that is so many days after `now`, as 2027-03-31. */
function dayOf(now: Date, daysLater: number): string {
  return new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate() + daysLater)).toISOString().slice(0, 10);
}

function wordsOf(q: string | undefined): string[] {
  return (q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
}
