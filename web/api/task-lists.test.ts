import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import type { TaskState } from '../../src/team/task-moves.ts';
import type { Task } from '../../src/team/work.ts';
import { taskRow } from '../../test/support/team-rows.ts';
import { placeTask, type TaskPages, taskKeys } from './task-lists.ts';
import type { TaskFilter } from './team.ts';

describe('a task that moves', () => {
  it('leaves its column and stands on top of the next, also with more pages below', () => {
    const client = new QueryClient();
    fill(client, 'PENDING', {}, [['a', 'b'], ['c']]);
    fill(client, 'IN_PROGRESS', {}, [['d'], ['e']]);
    placeTask(client, task('c', { state: 'IN_PROGRESS' }));
    expect(shown(client, 'PENDING', {})).toEqual([['a', 'b'], []]);
    expect(shown(client, 'IN_PROGRESS', {})).toEqual([['c', 'd'], ['e']]);
  });

  it('goes back to its column when the move is undone', () => {
    const client = new QueryClient();
    const before = task('a', {});
    fill(client, 'PENDING', {}, [['a']]);
    fill(client, 'ASSIGNED', {}, [[]]);
    placeTask(client, { ...before, state: 'ASSIGNED', assigneeId: 'w' });
    placeTask(client, before);
    expect(shown(client, 'PENDING', {})).toEqual([['a']]);
    expect(shown(client, 'ASSIGNED', {})).toEqual([[]]);
  });

  it('comes only to boards whose filter it matches', () => {
    const client = new QueryClient();
    fill(client, 'ASSIGNED', { assigneeId: 'w' }, [[]]);
    fill(client, 'ASSIGNED', { assigneeId: 'other' }, [[]]);
    fill(client, 'ASSIGNED', { epicId: 'epic_1' }, [[]]);
    placeTask(client, task('a', { state: 'ASSIGNED', assigneeId: 'w', epicId: 'epic_2' }));
    expect(shown(client, 'ASSIGNED', { assigneeId: 'w' })).toEqual([['a']]);
    expect(shown(client, 'ASSIGNED', { assigneeId: 'other' })).toEqual([[]]);
    expect(shown(client, 'ASSIGNED', { epicId: 'epic_1' })).toEqual([[]]);
  });

  it('keeps its place when it changes without moving', () => {
    const client = new QueryClient();
    fill(client, 'PENDING', {}, [['a', 'b']]);
    placeTask(client, task('b', { title: 'new title' }));
    const [page] = client.getQueryData<TaskPages>(taskKeys.column('PENDING', {}))?.pages ?? [];
    expect(page?.tasks.map(({ title }) => title)).toEqual(['a', 'new title']);
  });
});

function fill(client: QueryClient, state: TaskState, filter: TaskFilter, pages: string[][]): void {
  client.setQueryData<TaskPages>(taskKeys.column(state, filter), {
    pages: pages.map((ids) => ({ tasks: ids.map((id) => task(id, { state })), cursor: null })),
    pageParams: pages.map(() => null),
  });
}

function shown(client: QueryClient, state: TaskState, filter: TaskFilter): string[][] | undefined {
  const data = client.getQueryData<TaskPages>(taskKeys.column(state, filter));
  return data?.pages.map((page) => page.tasks.map(({ id }) => id));
}

/** Called by its id, so that a title can be looked for. */
function task(id: string, change: Partial<Task>): Task {
  return taskRow(id, { title: id, ...change });
}
