import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../../test/support/databases/test-store.ts';
import { epicRow, memberRow, taskRow, teamTime } from '../../../test/support/team/team-rows.ts';
import type { TeamStore } from '../team.store.ts';
import { compareUrgency, priorities, type Task, type TaskQuery } from './work.ts';

const iso = (after: number) => new Date(teamTime + after).toISOString();

describe.each(databaseKinds)('epics and tasks in %s', (kind) => {
  let stores: TestStores;
  let team: TeamStore;
  beforeAll(async () => {
    stores = await openTestStores(kind);
    team = stores.store.team;
  });
  afterAll(() => stores.remove());

  it('are read as they were added, without characters that PostgreSQL rejects', async () => {
    const epic = epicRow('whole', {
      linearIssueId: 'ZOO-1',
      linearIssueUrl: 'https://linear.example/ZOO-1',
      description: 'Why',
      state: 'COMPLETED',
      completedAt: iso(5),
    });
    const task = taskRow('whole', {
      description: 'How',
      state: 'REVIEW',
      epicId: 'whole',
      assigneeId: 'w',
      createdBy: 'boss',
      worktreePath: '/trees/whole',
      branchName: 'whole',
      prUrl: 'https://git.example/1',
      stateSince: iso(1),
      updatedAt: iso(2),
      completedAt: iso(3),
    });
    await team.write(async (rows) => {
      await rows.addEpic({ ...epic, title: 'a\0' });
      await rows.addTask({ ...task, title: 'b\0' });
    });
    expect(await stores.other.team.epic('whole')).toEqual({ ...epic, title: 'a\ufffd' });
    expect(await stores.other.team.task('whole')).toEqual({ ...task, title: 'b\ufffd' });
    expect(await team.epic('none\0')).toBeUndefined();
    expect(await team.task('none\0')).toBeUndefined();
  });

  it('a change sets only the given fields, and the state has its own time', async () => {
    const task = taskRow('changes', { epicId: 'e', description: 'Stays' });
    const epic = epicRow('changes', { linearIssueId: 'ZOO-2' });
    await team.write(async (rows) => {
      await rows.addTask(task);
      await rows.addEpic(epic);
      expect(await rows.changeTask('changes', { state: 'IN_PROGRESS', assigneeId: 'w' }, teamTime + 1)).toBe(true);
      expect(await rows.changeTask('changes', { state: 'IN_PROGRESS', prUrl: 'https://x.example' }, teamTime + 2)).toBe(
        true,
      );
      expect(await rows.changeTask('changes', { epicId: null, completedAt: teamTime + 3 }, teamTime + 3)).toBe(true);
      expect(await rows.changeTask('none', { title: 'x' }, teamTime)).toBe(false);
      const change = { state: 'CANCELLED', linearIssueId: null, completedAt: teamTime + 4 } as const;
      expect(await rows.changeEpic('changes', change, teamTime + 4)).toBe(true);
      expect(await rows.changeEpic('none', change, teamTime)).toBe(false);
    });
    expect(await team.task('changes')).toEqual({
      ...task,
      state: 'IN_PROGRESS',
      assigneeId: 'w',
      prUrl: 'https://x.example',
      epicId: null,
      stateSince: iso(1),
      updatedAt: iso(3),
      completedAt: iso(3),
    });
    expect(await team.epic('changes')).toEqual({
      ...epic,
      state: 'CANCELLED',
      linearIssueId: null,
      updatedAt: iso(4),
      completedAt: iso(4),
    });
  });

  it('tasks are found by a label, exactly as it is written', async () => {
    await team.write(async (rows) => {
      await rows.addTask(taskRow('labels-1', { labels: ['ui', '50% "done"'] }));
      await rows.addTask(taskRow('labels-2', { labels: ['build', 'gui', '505 "done"'], dueDate: '2027-03-31' }));
    });
    expect(await team.labels()).toEqual(['50% "done"', '505 "done"', 'build', 'gui', 'ui']);
    const found = async (label: string) => (await team.tasks({ label })).items.map(({ id }) => id);
    expect(await found('ui')).toEqual(['labels-1']);
    expect(await found('50% "done"')).toEqual(['labels-1']);
    expect(await found('u_')).toEqual([]);
    expect(await team.task('labels-2')).toMatchObject({
      labels: ['build', 'gui', '505 "done"'],
      dueDate: '2027-03-31',
    });
  });

  it('comments are counted, and listed oldest first', async () => {
    await team.write(async (rows) => {
      await rows.addTask(taskRow('talked'));
      await rows.addComment({ id: 'c2', taskId: 'talked', authorId: null, body: 'sooner', at: teamTime + 2 });
      await rows.addComment({ id: 'c1', taskId: 'talked', authorId: 'w', body: 'by a clock behind\0', at: teamTime });
    });
    expect(await team.comments('talked')).toEqual([
      { id: 'c2', taskId: 'talked', authorId: null, body: 'sooner', createdAt: iso(2) },
      { id: 'c1', taskId: 'talked', authorId: 'w', body: 'by a clock behind\ufffd', createdAt: iso(3) },
    ]);
    expect(await team.task('talked')).toMatchObject({ comments: 2 });
  });

  it('removing an epic or a task removes all references to it', async () => {
    await team.write(async (rows) => {
      await rows.addEpic(epicRow('gone'));
      await rows.addTask(taskRow('of-gone', { epicId: 'gone' }));
      await rows.addTask(taskRow('gone'));
      await rows.addComment({ id: 'of-gone', taskId: 'gone', authorId: null, body: 'x', at: teamTime });
      await rows.addMember(memberRow('points', { currentEpicId: 'gone', currentTaskId: 'gone' }));
    });
    await team.write(async (rows) => {
      expect(await rows.removeEpic('gone')).toBe(true);
      expect(await rows.removeTask('gone')).toBe(true);
      expect(await rows.removeEpic('gone')).toBe(false);
      expect(await rows.removeTask('gone')).toBe(false);
    });
    expect(await team.task('of-gone')).toMatchObject({ epicId: null });
    expect(await team.comments('gone')).toEqual([]);
    expect(await team.member('points')).toMatchObject({ currentEpicId: null, currentTaskId: null });
  });

  describe('lists', () => {
    beforeAll(async () => {
      const states = ['PENDING', 'IN_PROGRESS', 'REVIEW', 'COMPLETED'] as const;
      await team.write(async (rows) => {
        for (let index = 0; index < 24; index += 1) {
          const state = states[index % 4] ?? 'PENDING';
          await rows.addTask(
            taskRow(`list-${String(index).padStart(2, '0')}`, {
              state,
              epicId: index < 16 ? 'list' : 'list-other',
              assigneeId: index % 3 === 0 ? 'lister' : null,
              title: index % 2 === 0 ? `Even 100%_task ${index}` : `Ödd task ${index}`,
              // Two tasks share each time.
              updatedAt: iso(1000 + Math.floor(index / 2)),
            }),
          );
        }
        for (let index = 0; index < 5; index += 1) {
          const state = index % 2 === 0 ? 'IN_PROGRESS' : 'BLOCKED';
          await rows.addEpic(epicRow(`list-${index}`, { state, updatedAt: iso(1000 + index) }));
        }
      });
    });

    const expected = (accept: (index: number) => boolean) =>
      Array.from({ length: 24 }, (_, index) => index)
        .filter(accept)
        .toReversed()
        .map((index) => `list-${String(index).padStart(2, '0')}`);

    it.each<[TaskQuery, (index: number) => boolean]>([
      [{ epicId: 'list' }, (index) => index < 16],
      [{ epicId: 'list', state: ['REVIEW'] }, (index) => index < 16 && index % 4 === 2],
      [
        { epicId: 'list', state: ['COMPLETED', 'PENDING', 'PENDING'] },
        (index) => index < 16 && [0, 3].includes(index % 4),
      ],
      [{ assigneeId: 'lister' }, (index) => index % 3 === 0],
      [
        { assigneeId: 'lister', state: ['IN_PROGRESS', 'REVIEW'] },
        (index) => index % 3 === 0 && [1, 2].includes(index % 4),
      ],
      [{ assigneeId: 'lister', epicId: 'list-other' }, (index) => index % 3 === 0 && index >= 16],
      [{ text: 'TASK  even' }, (index) => index % 2 === 0],
      [{ text: '100%_t', epicId: 'list' }, (index) => index % 2 === 0 && index < 16],
      [{ text: '100__t' }, () => false],
      [{ text: 'ödd' }, (index) => index % 2 === 1],
      [{ epicId: 'list', state: [] }, () => false],
      [{ epicId: 'none\0' }, () => false],
    ])('of tasks with %j are paged, newest change first', async (query, accept) => {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await team.tasks({ ...query, limit: 3, cursor });
        expect(page.items.length).toBeLessThanOrEqual(3);
        seen.push(...page.items.map((task) => task.id));
        cursor = page.cursor ?? undefined;
      } while (cursor !== undefined);
      expect(seen).toEqual(expected(accept));
      expect((await team.tasks(query)).items.map((task) => task.id)).toEqual(seen);
    });

    it('of tasks are filtered by priority and due date, and paged by urgency', async () => {
      const plans = ['2026-12-02', null, '2026-11-30', '2026-12-01'] as const;
      await team.write(async (rows) => {
        for (let index = 0; index < 16; index += 1) {
          const plan = {
            epicId: 'plans',
            assigneeId: 'planner',
            priority: priorities[index % 4] ?? 'normal',
            dueDate: plans[Math.floor(index / 4)] ?? null,
            state: index % 3 === 0 ? 'COMPLETED' : 'PENDING',
          } as const;
          await rows.addTask(taskRow(`plan-${index}`, { ...plan, createdAt: iso(index % 2) }));
          await rows.addTask(taskRow(`plan-${index}-b`, { ...plan, createdAt: iso(2) }));
        }
      });
      const all = async (query: TaskQuery) => {
        const seen: Task[] = [];
        let cursor: string | undefined;
        do {
          const page = await team.tasks({ epicId: 'plans', ...query, limit: 3, cursor });
          seen.push(...page.items);
          cursor = page.cursor ?? undefined;
        } while (cursor !== undefined);
        return seen;
      };
      const idsOf = (tasks: Task[]) => tasks.map(({ id }) => id);
      const everything = await all({});
      expect(everything).toHaveLength(32);
      expect(idsOf(await all({ sort: 'urgency' }))).toEqual(idsOf(everything.toSorted(compareUrgency)));
      expect(idsOf(await all({ sort: 'urgency' })).slice(0, 4)).toEqual(['plan-8', 'plan-8-b', 'plan-12', 'plan-12-b']);
      expect(idsOf(await all({ sort: 'urgency', state: ['PENDING', 'COMPLETED'] }))).toHaveLength(32);
      expect(idsOf(await all({ priority: 'high' })).toSorted()).toEqual(
        ['plan-1', 'plan-1-b', 'plan-13', 'plan-13-b', 'plan-5', 'plan-5-b', 'plan-9', 'plan-9-b'].toSorted(),
      );
      // Completed tasks are not due.
      expect(idsOf(await all({ dueBy: '2026-11-30', sort: 'urgency' }))).toEqual([
        'plan-8',
        'plan-8-b',
        'plan-10',
        'plan-10-b',
        'plan-11',
        'plan-11-b',
      ]);
      expect(await all({ dueBy: '2026-12-01', priority: 'low' })).toHaveLength(2);
      const { cursor } = await team.tasks({ epicId: 'plans', limit: 3 });
      const other = team.tasks({ epicId: 'plans', limit: 3, sort: 'urgency', cursor: cursor ?? '' });
      await expect(other).rejects.toThrow('The cursor is not valid for this list.');
    });

    it('of all tasks start with the newest change', async () => {
      const { items, cursor } = await team.tasks({ limit: 24 });
      expect(items.map((task) => task.id)).toEqual(expected(() => true));
      expect(cursor).not.toBeNull();
    });

    it('of epics are paged, newest change first', async () => {
      const first = await team.epics({ limit: 3 });
      expect(first.items.map((epic) => epic.id)).toEqual(['list-4', 'list-3', 'list-2']);
      const second = await team.epics({ limit: 2, cursor: first.cursor ?? '' });
      expect(second.items.map((epic) => epic.id)).toEqual(['list-1', 'list-0']);
      const blocked = await team.epics({ state: ['BLOCKED'], limit: 10 });
      expect(blocked).toMatchObject({ items: [{ id: 'list-3' }, { id: 'list-1' }], cursor: null });
    });

    it('tasks are counted by epic and state', async () => {
      const counts = await team.countTasks();
      const none = { ASSIGNED: 0, BLOCKED: 0, FAILED: 0 };
      expect(counts.get('list')).toEqual({ ...none, PENDING: 4, IN_PROGRESS: 4, REVIEW: 4, COMPLETED: 4 });
      expect(counts.get('list-other')).toEqual({ ...none, PENDING: 2, IN_PROGRESS: 2, REVIEW: 2, COMPLETED: 2 });
      expect(counts.get('')).toMatchObject({ PENDING: expect.any(Number) });
      expect(counts.has('none')).toBe(false);
    });
  });

  describe('the next pending task', () => {
    it('is the oldest one without an assignee, optionally of one epic', async () => {
      await team.write(async (rows) => {
        await rows.addTask(taskRow('assigned', { epicId: 'next', assigneeId: 'w', createdAt: iso(-100) }));
        await rows.addTask(taskRow('begun', { epicId: 'next', state: 'BLOCKED', createdAt: iso(-99) }));
        await rows.addTask(taskRow('second', { epicId: 'next', createdAt: iso(-8) }));
        await rows.addTask(taskRow('first', { epicId: 'next', createdAt: iso(-9) }));
        await rows.addTask(taskRow('elsewhere', { epicId: 'next-other', createdAt: iso(-50) }));
        expect(await rows.nextPendingTask('next')).toMatchObject({ id: 'first' });
        expect(await rows.nextPendingTask(null)).toMatchObject({ id: 'elsewhere' });
        expect(await rows.nextPendingTask('none')).toBeUndefined();
      });
    });

    it('is the most urgent one, whenever it was created', async () => {
      await team.write(async (rows) => {
        await rows.addTask(taskRow('plan-low', { epicId: 'plan', priority: 'low', createdAt: iso(-9) }));
        await rows.addTask(taskRow('plan-normal', { epicId: 'plan', createdAt: iso(-8) }));
        await rows.addTask(taskRow('plan-urgent', { epicId: 'plan', priority: 'urgent', createdAt: iso(-2) }));
        await rows.addTask(taskRow('plan-high', { epicId: 'plan', priority: 'high', createdAt: iso(-3) }));
        const claimed: (string | undefined)[] = [];
        for (let count = 0; count < 4; count += 1) {
          const task = await rows.nextPendingTask('plan');
          claimed.push(task?.id);
          if (task) await rows.changeTask(task.id, { state: 'IN_PROGRESS', assigneeId: 'w' }, teamTime);
        }
        expect(claimed).toEqual(['plan-urgent', 'plan-high', 'plan-normal', 'plan-low']);
      });
    });

    it('is given to only one of many concurrent callers', async () => {
      await team.write(async (rows) => {
        for (let index = 0; index < 30; index += 1) await rows.addTask(taskRow(`claim-${index}`, { epicId: 'claims' }));
      });
      const claimed: string[] = [];
      await Promise.all(
        Array.from({ length: 8 }, async (_, claimer) => {
          const store = (claimer % 2 === 0 ? stores.store : stores.other).team;
          for (;;) {
            const id = await store.write(async (rows) => {
              const task = await rows.nextPendingTask('claims');
              if (task) await rows.changeTask(task.id, { state: 'IN_PROGRESS', assigneeId: `m${claimer}` }, teamTime);
              return task?.id;
            });
            if (id === undefined) return;
            claimed.push(id);
          }
        }),
      );
      // A claimer stops when others hold all remaining tasks, so no task is left over.
      expect(new Set(claimed).size).toBe(claimed.length);
      expect(claimed).toHaveLength(30);
      expect((await team.countTasks()).get('claims')).toMatchObject({ PENDING: 0, IN_PROGRESS: 30 });
    });
  });
});
