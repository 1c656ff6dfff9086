import { describe, expect, it } from 'vitest';
import type { Task } from '../../../../src/team/work/work.ts';
import { taskRow } from '../../../../test/support/team/team-rows.ts';
import { boardSearch } from './board-search.ts';
import { filtersInBrowser, filterTasks, hubFilter } from './filter-tasks.ts';

const tasks = [
  task('task_1', { title: 'Add login', assigneeId: 'worker-1', epicId: 'epic_1' }),
  task('task_2', { title: 'Add logout', branchName: 'feature/logout' }),
  task('task_3', { title: 'Write docs', epicId: 'epic_1' }),
];

/** Late on the last day of the year, here. */
const now = new Date(2026, 11, 31, 23, 30);

describe('the board filters', () => {
  it.each([
    [{ q: 'add log' }, ['task_1', 'task_2']],
    [{ q: 'WORKER-1' }, ['task_1']],
    [{ q: 'feature/' }, ['task_2']],
    [{ q: 'task_3' }, ['task_3']],
    [{ q: '3' }, []],
    [{ epic: 'none' }, ['task_2']],
    [{ assignee: 'none', q: 'docs' }, ['task_3']],
    // The hub has already applied these.
    [{ epic: 'epic_1', assignee: 'worker-1' }, ['task_1', 'task_2', 'task_3']],
  ])('%o keep %o', (search, ids) => {
    expect(filterTasks(tasks, search).map(({ id }) => id)).toEqual(ids);
  });

  it('use the hub for ids and the browser for the rest', () => {
    expect(hubFilter({ epic: 'epic_1', assignee: 'worker-1', q: 'x' }, now)).toEqual({
      epicId: 'epic_1',
      assigneeId: 'worker-1',
    });
    expect(hubFilter({ epic: 'none', assignee: 'none' }, now)).toEqual({});
    expect(filtersInBrowser({ epic: 'epic_1' })).toBe(false);
    expect(filtersInBrowser({ q: '  ' })).toBe(false);
    expect(filtersInBrowser({ assignee: 'none' })).toBe(true);
  });

  it('by due date count the days of this time zone', () => {
    expect(hubFilter({ due: 'overdue' }, now)).toEqual({ dueBy: '2026-12-30' });
    expect(hubFilter({ due: 'week', priority: 'high' }, now)).toEqual({
      dueBy: '2027-01-07',
      priority: 'high',
    });
  });

  it('come from the URL, which may contain anything', () => {
    expect(boardSearch({ q: 42, epic: ['x'], assignee: '', add: 'yes', other: 1 })).toEqual({ q: '42' });
    expect(boardSearch({ epic: 'epic_1', add: true })).toEqual({ epic: 'epic_1', add: true });
    expect(boardSearch({ priority: 'top', due: ['week'] })).toEqual({});
    expect(boardSearch({ priority: 'high', due: 'week' })).toEqual({ priority: 'high', due: 'week' });
  });
});

/** Uses the id as the default title. */
function task(id: string, change: Partial<Task>): Task {
  return taskRow(id, { title: id, ...change });
}
