import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import type { TaskState } from '../../src/team/work/task-moves.ts';
import type { Task } from '../../src/team/work/work.ts';
import { taskRow } from '../../test/support/team/team-rows.ts';
import { beginMove, endMove, type TaskFilter, type TaskPages, taskKeys, withMoves } from './task-lists.ts';

describe('a moved task', () => {
  it('stays in its new column in lists fetched before the hub replies', async () => {
    const client = new QueryClient();
    fill(client, 'PENDING', {}, [['a', 'b']]);
    fill(client, 'IN_PROGRESS', {}, [['d']]);
    await beginMove(client, task('a', {}), task('a', { state: 'IN_PROGRESS' }));
    const fetched = (state: TaskState, ids: string[], isFirst = true) =>
      withMoves(
        client,
        taskKeys.column(state, {}),
        { tasks: ids.map((id) => task(id, { state })), cursor: 'next' },
        isFirst,
      );
    expect(idsOf(fetched('PENDING', ['a', 'b']))).toEqual(['b']);
    expect(idsOf(fetched('IN_PROGRESS', ['d']))).toEqual(['a', 'd']);
    expect(idsOf(fetched('IN_PROGRESS', ['a', 'd']))).toEqual(['a', 'd']);
    expect(idsOf(fetched('IN_PROGRESS', ['e'], false))).toEqual(['e']);
    expect(fetched('IN_PROGRESS', ['d'])).toMatchObject({ cursor: 'next', tasks: [{ state: 'IN_PROGRESS' }, {}] });
    endMove(client, 'a', task('a', { state: 'IN_PROGRESS' }));
    expect(idsOf(fetched('PENDING', ['a', 'b']))).toEqual(['a', 'b']);
  });

  it('that moves twice stays in its last column, then follows the hub', async () => {
    const client = new QueryClient();
    const before = task('a', {});
    const once = task('a', { state: 'ASSIGNED' });
    fill(client, 'PENDING', {}, [['a']]);
    fill(client, 'ASSIGNED', {}, [[]]);
    fill(client, 'IN_PROGRESS', {}, [[]]);
    await beginMove(client, before, once);
    await beginMove(client, once, task('a', { state: 'IN_PROGRESS' }));
    endMove(client, 'a', null);
    expect(shown(client, 'IN_PROGRESS', {})).toEqual([['a']]);
    endMove(client, 'a', null);
    expect(shown(client, 'PENDING', {})).toEqual([['a']]);
    expect(shown(client, 'IN_PROGRESS', {})).toEqual([[]]);
  });

  it('leaves its column and appears on top of the next, whatever the page', async () => {
    const client = new QueryClient();
    fill(client, 'PENDING', {}, [['a', 'b'], ['c']]);
    fill(client, 'IN_PROGRESS', {}, [['d'], ['e']]);
    await beginMove(client, task('c', {}), task('c', { state: 'IN_PROGRESS' }));
    expect(shown(client, 'PENDING', {})).toEqual([['a', 'b'], []]);
    expect(shown(client, 'IN_PROGRESS', {})).toEqual([['c', 'd'], ['e']]);
  });

  it('goes back to its column when the hub refuses the move', async () => {
    const client = new QueryClient();
    const before = task('a', {});
    fill(client, 'PENDING', {}, [['a']]);
    fill(client, 'ASSIGNED', {}, [[]]);
    await beginMove(client, before, { ...before, state: 'ASSIGNED', assigneeId: 'w' });
    endMove(client, 'a', null);
    expect(shown(client, 'PENDING', {})).toEqual([['a']]);
    expect(shown(client, 'ASSIGNED', {})).toEqual([[]]);
  });

  it('appears only on boards whose filter it matches', async () => {
    const client = new QueryClient();
    fill(client, 'ASSIGNED', { assigneeId: 'w' }, [[]]);
    fill(client, 'ASSIGNED', { assigneeId: 'other' }, [[]]);
    fill(client, 'ASSIGNED', { epicId: 'epic_1' }, [[]]);
    await beginMove(client, task('a', {}), task('a', { state: 'ASSIGNED', assigneeId: 'w', epicId: 'epic_2' }));
    expect(shown(client, 'ASSIGNED', { assigneeId: 'w' })).toEqual([['a']]);
    expect(shown(client, 'ASSIGNED', { assigneeId: 'other' })).toEqual([[]]);
    expect(shown(client, 'ASSIGNED', { epicId: 'epic_1' })).toEqual([[]]);
  });

  it('appears in order on boards by urgency, and only on those of its priority and due date', async () => {
    const client = new QueryClient();
    const urgency = { sort: 'urgency' } as const;
    const moved = task('b', { state: 'ASSIGNED', priority: 'high', dueDate: '2026-12-01' });
    client.setQueryData<TaskPages>(taskKeys.column('ASSIGNED', urgency), {
      pages: [{ tasks: [task('a', { priority: 'urgent' }), task('c', { priority: 'high' })], cursor: null }],
      pageParams: [null],
    });
    fill(client, 'ASSIGNED', { priority: 'high' }, [[]]);
    fill(client, 'ASSIGNED', { priority: 'low' }, [[]]);
    fill(client, 'ASSIGNED', { dueBy: '2026-12-01' }, [[]]);
    fill(client, 'ASSIGNED', { dueBy: '2026-11-30' }, [[]]);
    await beginMove(client, task('b', {}), moved);
    expect(shown(client, 'ASSIGNED', urgency)).toEqual([['a', 'b', 'c']]);
    expect(shown(client, 'ASSIGNED', { priority: 'high' })).toEqual([['b']]);
    expect(shown(client, 'ASSIGNED', { priority: 'low' })).toEqual([[]]);
    expect(shown(client, 'ASSIGNED', { dueBy: '2026-12-01' })).toEqual([['b']]);
    expect(shown(client, 'ASSIGNED', { dueBy: '2026-11-30' })).toEqual([[]]);
    const page = { tasks: [task('a', { priority: 'urgent' }), task('c', { priority: 'high' })], cursor: null };
    expect(idsOf(withMoves(client, taskKeys.column('ASSIGNED', urgency), page, true))).toEqual(['a', 'b', 'c']);
  });

  it('keeps its position when it changes without moving', async () => {
    const client = new QueryClient();
    fill(client, 'PENDING', {}, [['a', 'b']]);
    await beginMove(client, task('b', {}), task('b', { title: 'new title' }));
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

function idsOf({ tasks }: { tasks: Task[] }): string[] {
  return tasks.map(({ id }) => id);
}

/** Called by its id, so that a title can be looked for. */
function task(id: string, change: Partial<Task>): Task {
  return taskRow(id, { title: id, ...change });
}
