import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usualDatabaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestTeam, plantedSecret, type TestTeam } from '../../../test/support/team/open-test-team.ts';
import { type MemberActor, mailsTo, newMember, taskIn } from '../../../test/support/team/team-work.ts';
import { human } from '../members/member.ts';
import type { Team } from '../team.ts';
import { taskMoves, taskStates } from './task-moves.ts';
import { NewEpic, NewTask } from './work.ts';

describe.each(usualDatabaseKinds)('tasks on %s', (kind) => {
  let opened: TestTeam;
  let team: Team;
  let supervisor: MemberActor;
  let worker: MemberActor;
  let colleague: MemberActor;

  beforeAll(async () => {
    opened = await openTestTeam(kind);
    team = opened.team;
  });
  afterAll(() => opened.remove());

  async function addMembers() {
    opened.clock.time += 1_000;
    supervisor = await newMember(team, 'SUPERVISOR');
    worker = await newMember(team, 'WORKER', supervisor);
    colleague = await newMember(team, 'WORKER', supervisor);
  }

  const stateOf = async (actor: MemberActor) => {
    const stored = await opened.parts.store.member(actor.member.id);
    return { state: stored?.state, currentTaskId: stored?.currentTaskId, currentEpicId: stored?.currentEpicId };
  };
  const tick = () => {
    opened.clock.time += 1_000;
  };

  it('move only as the table allows', async () => {
    await addMembers();
    for (const from of taskStates) {
      for (const to of taskStates) {
        const assignee = await newMember(team, 'ORCHESTRATOR');
        const task = await taskIn(team, from, { assignee });
        const moved = team.tasks.move(assignee, { taskId: task.id, status: to });
        if (taskMoves[from].includes(to)) {
          expect(await moved, `${from} → ${to}`).toMatchObject({ id: task.id, state: to });
        } else {
          await expect(moved, `${from} → ${to}`).rejects.toMatchObject({
            code: 'INVALID_AGENT_STATE',
            message: expect.stringMatching(
              new RegExp(`is (?:already )?${from}.*${taskMoves[from].join(', ') || 'That state is final'}`, 's'),
            ),
          });
          expect((await team.tasks.get(task.id)).state).toBe(from);
        }
      }
    }
  });

  it('without an assignee are claimed by the first member that begins them', async () => {
    await addMembers();
    const task = await team.tasks.create(human, NewTask.parse({ title: 'Free for all' }));
    const outcomes = await Promise.allSettled([
      team.tasks.move(worker, { taskId: task.id, status: 'IN_PROGRESS' }),
      opened.otherTeam.tasks.move(colleague, { taskId: task.id, status: 'IN_PROGRESS' }),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const lost = outcomes.find((outcome) => outcome.status === 'rejected');
    expect(lost?.reason).toMatchObject({ code: 'INVALID_AGENT_STATE' });
    const winner = outcomes[0].status === 'fulfilled' ? worker : colleague;
    expect(await team.tasks.get(task.id)).toMatchObject({ assigneeId: winner.member.id, state: 'IN_PROGRESS' });
    expect(await stateOf(winner)).toMatchObject({ state: 'BUSY', currentTaskId: task.id });
  });

  it('are assigned and started in one step, or not at all', async () => {
    await addMembers();
    const free = await team.tasks.create(human, NewTask.parse({ title: 'Free' }));
    const start = (taskId: string, { member }: MemberActor) =>
      team.tasks.start(human, { taskId, agentId: member.id }, { idempotencyKey: taskId });
    const started = await start(free.id, worker);
    expect(started).toMatchObject({ state: 'IN_PROGRESS', assigneeId: worker.member.id });
    expect(await start(free.id, worker)).toEqual(started);
    const next = await team.tasks.create(human, NewTask.parse({ title: 'Next' }));
    await expect(start(next.id, worker)).rejects.toMatchObject({
      code: 'INVALID_AGENT_STATE',
      message: expect.stringContaining(free.id),
    });
    expect(await team.tasks.get(next.id)).toMatchObject({ state: 'PENDING', assigneeId: null });
    expect(await mailsTo(team, worker)).toHaveLength(1);
    const assigned = await team.tasks.assign(human, { taskId: next.id, agentId: worker.member.id });
    expect(await start(assigned.id, colleague)).toMatchObject({
      state: 'IN_PROGRESS',
      assigneeId: colleague.member.id,
    });
  });

  it('without a task id are claimed oldest first, starting with the epic of the member', async () => {
    await addMembers();
    const { items: leftovers } = await team.tasks.list({ state: ['PENDING'], limit: 200 });
    for (const { id } of leftovers) await team.tasks.remove(id);
    const epic = await team.epics.create(human, NewEpic.parse({ title: 'Mine' }));
    const cancelled = await team.epics.create(human, NewEpic.parse({ title: 'Not wanted any more' }));
    const inCancelled = await team.tasks.create(human, NewTask.parse({ title: 'Older still', epicId: cancelled.id }));
    await team.epics.move(human, { epicId: cancelled.id, status: 'CANCELLED' });
    tick();
    const older = await team.tasks.create(human, NewTask.parse({ title: 'Older' }));
    tick();
    const ofEpic = await team.tasks.create(human, NewTask.parse({ title: 'Of the epic', epicId: epic.id }));
    await team.members.change(worker.member.id, { currentEpicId: epic.id });
    expect((await team.tasks.move(worker, { status: 'IN_PROGRESS' })).id).toBe(ofEpic.id);
    expect((await team.tasks.move(worker, { status: 'REVIEW' })).id).toBe(ofEpic.id);
    await team.tasks.move(supervisor, { taskId: ofEpic.id, status: 'COMPLETED' });
    expect((await team.tasks.move(worker, { status: 'IN_PROGRESS' })).id).toBe(older.id);
    await expect(team.tasks.move(colleague, { status: 'IN_PROGRESS' })).rejects.toMatchObject({
      code: 'INVALID_AGENT_STATE',
    });
    await expect(team.tasks.move(colleague, { taskId: inCancelled.id, status: 'IN_PROGRESS' })).rejects.toMatchObject({
      code: 'INVALID_AGENT_STATE',
      message: expect.stringContaining('CANCELLED'),
    });
    await team.tasks.remove(inCancelled.id);
  });

  it('without a task id are begun in order: assigned, oldest pending, blocked, and never in review', async () => {
    await addMembers();
    const { items: leftovers } = await team.tasks.list({ state: ['PENDING'], limit: 200 });
    for (const { id } of leftovers) await team.tasks.remove(id);
    const begin = () => team.tasks.move(worker, { status: 'IN_PROGRESS' });
    const reviewed = await taskIn(team, 'REVIEW', { assignee: worker });
    await expect(begin()).rejects.toMatchObject({
      code: 'INVALID_AGENT_STATE',
      message: expect.stringContaining(`"${reviewed.id}" is in REVIEW`),
    });
    expect(await stateOf(worker)).toMatchObject({ state: 'WAITING', currentTaskId: reviewed.id });
    const pending = await team.tasks.create(human, NewTask.parse({ title: 'Oldest' }));
    tick();
    const assigned = await taskIn(team, 'ASSIGNED', { assignee: worker });
    expect(await begin()).toMatchObject({ id: assigned.id });
    await expect(begin()).rejects.toMatchObject({
      code: 'INVALID_AGENT_STATE',
      message: expect.stringContaining(assigned.id),
    });
    await team.tasks.move(worker, { status: 'BLOCKED' });
    expect(await begin()).toMatchObject({ id: pending.id });
    await team.tasks.move(worker, { status: 'REVIEW' });
    // No task is pending, so the worker resumes the blocked one.
    expect(await begin()).toMatchObject({ id: assigned.id });
    await team.tasks.move(worker, { status: 'REVIEW' });
    await expect(begin()).rejects.toMatchObject({ code: 'INVALID_AGENT_STATE' });
    for (const { id } of [reviewed, pending, assigned]) {
      expect(await team.tasks.get(id)).toMatchObject({ state: 'REVIEW', assigneeId: worker.member.id });
    }
    expect(await team.tasks.move(worker, { taskId: reviewed.id, status: 'IN_PROGRESS' })).toMatchObject({
      id: reviewed.id,
    });
  });

  it('are begun by priority, and keep their plan', async () => {
    await addMembers();
    const add = (title: string, plan: object) =>
      team.tasks.create(human, NewTask.parse({ title, assigneeId: worker.member.id, ...plan }));
    const later = await add('Later', { priority: 'low' });
    tick();
    const first = await add('First', {
      priority: 'urgent',
      dueDate: '2027-03-31',
      labels: [' ui', 'ui', plantedSecret],
    });
    expect(first).toMatchObject({ priority: 'urgent', dueDate: '2027-03-31', labels: ['ui', expect.any(String)] });
    expect(JSON.stringify(first)).not.toContain(plantedSecret);
    const begun = await team.tasks.move(worker, { status: 'IN_PROGRESS' });
    expect(begun.id).toBe(first.id);
    const changed = await team.tasks.change(human, later.id, { priority: 'high', labels: ['docs'], dueDate: null });
    expect(changed).toMatchObject({ title: 'Later', priority: 'high', labels: ['docs'], dueDate: null });
    expect(NewTask.safeParse({ title: 'x', dueDate: '2027-02-30' }).success).toBe(false);
  });

  it('need a task id if the member has no current task', async () => {
    await addMembers();
    await expect(team.tasks.move(worker, { status: 'REVIEW' })).rejects.toMatchObject({ code: 'INVALID_AGENT_STATE' });
    await expect(team.tasks.comment(worker, { body: 'Hm' })).rejects.toMatchObject({ code: 'INVALID_AGENT_STATE' });
    await expect(team.tasks.move(human, { status: 'REVIEW' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: 'taskId: is required',
    });
    await expect(team.tasks.move(worker, { taskId: 'task_none', status: 'REVIEW' })).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    });
    await expect(team.tasks.currentOf(worker.member)).rejects.toMatchObject({ code: 'INVALID_AGENT_STATE' });
  });

  it('of other members cannot be handled by a worker', async () => {
    await addMembers();
    const task = await taskIn(team, 'ASSIGNED', { assignee: colleague });
    const denied = { code: 'PERMISSION_DENIED' };
    await expect(team.tasks.move(worker, { taskId: task.id, status: 'IN_PROGRESS' })).rejects.toMatchObject(denied);
    await expect(team.tasks.comment(worker, { taskId: task.id, body: 'Mine!' })).rejects.toMatchObject(denied);
    await expect(team.tasks.change(worker, task.id, { title: 'Mine!' })).rejects.toMatchObject(denied);
    await expect(team.tasks.assign(worker, { taskId: task.id, agentId: worker.member.id })).rejects.toMatchObject(
      denied,
    );
    const free = await team.tasks.create(human, NewTask.parse({ title: 'Free' }));
    await expect(team.tasks.comment(worker, { taskId: free.id, body: 'Hm' })).rejects.toMatchObject(denied);
    await team.tasks.remove(free.id);
    expect(await team.tasks.get(task.id)).toMatchObject({ state: 'ASSIGNED', title: task.title, comments: 0 });
    expect(await team.tasks.move(supervisor, { taskId: task.id, status: 'IN_PROGRESS' })).toMatchObject({
      assigneeId: colleague.member.id,
    });
  });

  it('are never completed by a worker', async () => {
    await addMembers();
    const task = await taskIn(team, 'REVIEW', { assignee: worker });
    const attempts = [
      () => team.tasks.move(worker, { taskId: task.id, status: 'COMPLETED' }),
      () => team.epics.approve(worker, { taskId: task.id }),
      () => team.epics.approve(colleague, { taskId: task.id }),
      () => team.epics.requestChanges(worker, { taskId: task.id, comment: 'More' }),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    expect((await team.tasks.get(task.id)).state).toBe('REVIEW');
  });

  it('are in progress one at a time for each member', async () => {
    await addMembers();
    const first = await taskIn(team, 'IN_PROGRESS', { assignee: worker });
    const second = await taskIn(team, 'ASSIGNED', { assignee: worker });
    for (const actor of [worker, supervisor, human]) {
      await expect(team.tasks.move(actor, { taskId: second.id, status: 'IN_PROGRESS' })).rejects.toMatchObject({
        code: 'INVALID_AGENT_STATE',
        message: expect.stringContaining(first.id),
      });
    }
    await team.tasks.move(worker, { taskId: first.id, status: 'REVIEW' });
    await team.tasks.move(worker, { taskId: second.id, status: 'IN_PROGRESS' });
    expect(await stateOf(worker)).toMatchObject({ state: 'BUSY', currentTaskId: second.id });
    // A task that is not the current one does not change the member.
    for (const status of ['BLOCKED', 'FAILED'] as const) {
      await team.tasks.move(human, { taskId: first.id, status });
      expect(await stateOf(worker)).toMatchObject({ state: 'BUSY', currentTaskId: second.id });
    }
  });

  it('set the current task and the state of their member', async () => {
    await addMembers();
    const epic = await team.epics.create(human, NewEpic.parse({ title: 'Epic' }));
    const first = await taskIn(team, 'ASSIGNED', { assignee: worker, epicId: epic.id });
    tick();
    const second = await taskIn(team, 'ASSIGNED', { assignee: worker });
    tick();
    const third = await taskIn(team, 'ASSIGNED', { assignee: worker });
    const on = (task: { id: string; epicId: string | null }) => ({
      currentTaskId: task.id,
      currentEpicId: task.epicId,
    });
    expect(await stateOf(worker)).toEqual({ state: 'IDLE', ...on(first) });
    await team.tasks.move(worker, { status: 'IN_PROGRESS' });
    expect(await stateOf(worker)).toEqual({ state: 'BUSY', ...on(first) });
    await team.tasks.move(worker, { status: 'REVIEW' });
    expect(await stateOf(worker)).toEqual({ state: 'WAITING', ...on(first) });
    await team.tasks.move(supervisor, { taskId: first.id, status: 'IN_PROGRESS' });
    expect(await stateOf(worker)).toEqual({ state: 'BUSY', ...on(first) });
    await team.tasks.move(worker, { status: 'BLOCKED' });
    expect(await stateOf(worker)).toEqual({ state: 'WAITING', ...on(first) });
    await team.tasks.move(supervisor, { taskId: first.id, status: 'FAILED' });
    expect(await stateOf(worker)).toEqual({ state: 'IDLE', ...on(second) });
    await team.tasks.assign(supervisor, { taskId: second.id, agentId: colleague.member.id });
    expect(await stateOf(worker)).toEqual({ state: 'IDLE', ...on(third) });
    expect(await stateOf(colleague)).toEqual({ state: 'IDLE', ...on(second) });
    expect(await team.tasks.assign(supervisor, { taskId: third.id, agentId: null })).toMatchObject({
      state: 'PENDING',
      assigneeId: null,
    });
    expect(await stateOf(worker)).toMatchObject({ state: 'IDLE', currentTaskId: null });
    await team.tasks.remove(second.id);
    expect(await stateOf(colleague)).toMatchObject({ state: 'IDLE', currentTaskId: null });
    await team.tasks.remove(third.id);
  });

  it('can be assigned to existing members, before they are begun or after they failed', async () => {
    await addMembers();
    const pending = await team.tasks.create(human, NewTask.parse({ title: 'Pending' }));
    const agentId = colleague.member.id;
    await expect(team.tasks.assign(human, { taskId: pending.id, agentId: 'nobody' })).rejects.toMatchObject({
      code: 'AGENT_NOT_FOUND',
    });
    await team.tasks.assign(human, { taskId: pending.id, agentId });
    await expect(team.tasks.assign(human, { taskId: pending.id, agentId })).rejects.toMatchObject({
      code: 'INVALID_AGENT_STATE',
    });
    for (const state of ['IN_PROGRESS', 'REVIEW', 'BLOCKED', 'COMPLETED'] as const) {
      const task = await taskIn(team, state, { assignee: await newMember(team, 'WORKER') });
      for (const to of [agentId, null]) {
        await expect(team.tasks.assign(human, { taskId: task.id, agentId: to }), state).rejects.toMatchObject({
          code: 'INVALID_AGENT_STATE',
        });
      }
    }
    const failed = await taskIn(team, 'FAILED', { assignee: worker });
    expect(await team.tasks.assign(human, { taskId: failed.id, agentId })).toMatchObject({
      state: 'FAILED',
      assigneeId: agentId,
    });
    expect(await team.tasks.move(colleague, { taskId: failed.id, status: 'IN_PROGRESS' })).toMatchObject({
      assigneeId: agentId,
      completedAt: null,
    });
  });

  it('without an assignee are begun by a member, not by the user', async () => {
    await addMembers();
    const task = await team.tasks.create(human, NewTask.parse({ title: 'Free' }));
    for (const status of ['ASSIGNED', 'IN_PROGRESS'] as const) {
      await expect(team.tasks.move(human, { taskId: task.id, status })).rejects.toMatchObject({
        code: 'INVALID_AGENT_STATE',
      });
    }
    expect(await team.tasks.move(worker, { taskId: task.id, status: 'ASSIGNED' })).toMatchObject({
      assigneeId: worker.member.id,
    });
    expect(await stateOf(worker)).toMatchObject({ state: 'IDLE', currentTaskId: task.id });
  });

  it('send mail to the members concerned, but not to the one that acted', async () => {
    await addMembers();
    const subjects = async (actor: typeof human | MemberActor) =>
      (await mailsTo(team, actor)).map(({ subject }) => subject).reverse();
    const mailsToUser = (await subjects(human)).length;
    const task = await team.tasks.create(
      supervisor,
      NewTask.parse({
        title: 'Paint it',
        description: 'In blue.',
        assigneeId: worker.member.id,
      }),
    );
    const [assigned] = await mailsTo(team, worker);
    expect(assigned).toMatchObject({ subject: 'Task assigned: Paint it', fromAgentId: supervisor.member.id });
    expect(assigned?.body).toContain(task.id);
    expect(assigned?.body).toContain('In blue.');
    await team.tasks.move(worker, { status: 'IN_PROGRESS' });
    await team.tasks.move(worker, { status: 'REVIEW', comment: 'Done, I think.' });
    const [ready] = await mailsTo(team, supervisor);
    expect(ready).toMatchObject({ subject: 'Task ready for review: Paint it', fromAgentId: worker.member.id });
    expect(ready?.body).toContain('Done, I think.');
    tick();
    await team.epics.requestChanges(supervisor, { taskId: task.id, comment: 'Too dark.' });
    expect((await mailsTo(team, worker))[0]?.body).toContain('Too dark.');
    tick();
    await team.tasks.move(worker, { status: 'BLOCKED', comment: 'No paint.' });
    tick();
    await team.tasks.move(worker, { status: 'IN_PROGRESS' });
    await team.tasks.move(worker, { status: 'REVIEW' });
    tick();
    await team.epics.approve(supervisor, { taskId: task.id });
    expect(await subjects(worker)).toEqual([
      'Task assigned: Paint it',
      'Changes requested: Paint it',
      'Task approved: Paint it',
    ]);
    expect(await subjects(supervisor)).toEqual([
      'Task ready for review: Paint it',
      'Task blocked: Paint it',
      'Task ready for review: Paint it',
    ]);
    expect((await subjects(human)).length).toBe(mailsToUser);
  });

  it('send mail to the user if there is no supervisor, and to a member that loses its task', async () => {
    await addMembers();
    const alone = await newMember(team, 'WORKER');
    const task = await taskIn(team, 'IN_PROGRESS', { assignee: alone, title: 'Alone' });
    tick();
    await team.tasks.move(alone, { status: 'FAILED', comment: 'Cannot.' });
    expect((await mailsTo(team, human))[0]).toMatchObject({
      subject: 'Task failed: Alone',
      fromAgentId: alone.member.id,
    });
    tick();
    await team.tasks.assign(human, { taskId: task.id, agentId: worker.member.id });
    expect((await mailsTo(team, alone))[0]?.subject).toBe('Task taken back: Alone');
    expect((await mailsTo(team, worker))[0]?.subject).toBe('Task assigned: Alone');
  });

  it('keep comments, links and times, without secrets', async () => {
    await addMembers();
    const task = await team.tasks.create(
      supervisor,
      NewTask.parse({
        title: `Use ${plantedSecret}`,
        description: `It is ${plantedSecret}`,
        assigneeId: worker.member.id,
        branchName: `b-${plantedSecret}`,
      }),
    );
    expect(task).toMatchObject({ createdBy: supervisor.member.id, state: 'ASSIGNED', branchName: 'b-[removed]' });
    tick();
    const prUrl = 'https://example.com/pull/1';
    await team.tasks.move(worker, { status: 'IN_PROGRESS', worktreePath: '/tree', comment: `With ${plantedSecret}` });
    await team.tasks.comment(worker, { body: `Again ${plantedSecret}` });
    await team.tasks.change(worker, task.id, { branchName: null });
    await team.tasks.move(worker, { status: 'REVIEW', prUrl });
    const done = await team.epics.approve(human, { taskId: task.id, comment: 'Good' });
    expect(done).toMatchObject({ worktreePath: '/tree', branchName: null, prUrl, comments: 3 });
    expect(done.completedAt).toBe(new Date(opened.clock.time).toISOString());
    const { commentList } = await team.tasks.get(task.id);
    expect(commentList.map(({ body }) => body).sort()).toEqual(['Again [removed]', 'Good', 'With [removed]']);
    expect(commentList.find(({ body }) => body === 'Good')?.authorId).toBeNull();
    const stored = [await team.tasks.get(task.id), await mailsTo(team, worker), await mailsTo(team, supervisor)];
    expect(JSON.stringify(stored)).not.toContain(plantedSecret);
  });

  it('are changed once per idempotency key', async () => {
    await addMembers();
    const key = (name: string) => ({ idempotencyKey: `${name}-${worker.member.id}` });
    const create = () =>
      team.tasks.create(supervisor, NewTask.parse({ title: 'Once', assigneeId: worker.member.id }), key('create'));
    const [task, ...others] = await Promise.all([create(), create(), create(), create()]);
    for (const other of others) expect(other).toEqual(task);
    const begin = () => team.tasks.move(worker, { status: 'IN_PROGRESS', comment: 'Now' }, key('begin'));
    const begun = await begin();
    expect(await begin()).toEqual(begun);
    await expect(team.tasks.move(worker, { status: 'IN_PROGRESS', comment: 'Now' })).rejects.toMatchObject({
      code: 'INVALID_AGENT_STATE',
    });
    await expect(team.tasks.move(worker, { status: 'REVIEW' }, key('begin'))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
    const comment = () => team.tasks.comment(worker, { body: 'One' }, key('comment'));
    expect(await comment()).toEqual(await comment());
    expect((await team.tasks.get(task.id)).comments).toBe(2);
    expect(await mailsTo(team, worker)).toHaveLength(1);
    expect((await team.tasks.list({ assigneeId: worker.member.id })).items).toHaveLength(1);
  });
});
