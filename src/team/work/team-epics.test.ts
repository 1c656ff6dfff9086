import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usualDatabaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestTeam, plantedSecret, type TestTeam } from '../../../test/support/team/open-test-team.ts';
import { mailsTo, newMember, taskIn } from '../../../test/support/team/team-work.ts';
import { human } from '../members/member.ts';
import type { Team } from '../team.ts';
import { epicMoves, epicStates } from './task-moves.ts';
import { NewEpic, NewTask } from './work.ts';

describe.each(usualDatabaseKinds)('epics on %s', (kind) => {
  let opened: TestTeam;
  let team: Team;

  beforeAll(async () => {
    opened = await openTestTeam(kind);
    team = opened.team;
  });
  afterAll(() => opened.remove());

  it('move only as the table allows', async () => {
    for (const from of epicStates) {
      for (const to of epicStates) {
        const { id } = await team.epics.create(human, NewEpic.parse({ title: `${from} to ${to}` }));
        if (from !== 'PLANNING') await team.epics.move(human, { epicId: id, status: from });
        const moved = team.epics.move(human, { epicId: id, status: to });
        if (epicMoves[from].includes(to)) {
          const isDone = to === 'COMPLETED';
          const epic = await moved;
          expect(epic, `${from} → ${to}`).toMatchObject({ id, state: to });
          expect(epic.completedAt).toBe(isDone ? new Date(opened.clock.time).toISOString() : null);
        } else {
          await expect(moved, `${from} → ${to}`).rejects.toMatchObject({
            code: 'INVALID_AGENT_STATE',
            message: expect.stringContaining(epicMoves[from].join(', ') || 'That state is final'),
          });
        }
      }
    }
  });

  it('can be completed only without open tasks', async () => {
    const worker = await newMember(team, 'WORKER');
    const epic = await team.epics.create(human, NewEpic.parse({ title: 'Big' }));
    const first = await taskIn(team, 'BLOCKED', { assignee: worker, epicId: epic.id });
    const second = await taskIn(team, 'PENDING', { assignee: worker, epicId: epic.id });
    const complete = () => team.epics.move(human, { epicId: epic.id, status: 'COMPLETED' });
    await expect(complete()).rejects.toMatchObject({
      code: 'INVALID_AGENT_STATE',
      message: expect.stringContaining('2 open tasks (1 PENDING, 1 BLOCKED)'),
    });
    expect((await team.epics.get(epic.id)).tasks).toMatchObject({ PENDING: 1, BLOCKED: 1, COMPLETED: 0 });
    await team.tasks.move(human, { taskId: first.id, status: 'FAILED' });
    await team.tasks.change(human, second.id, { epicId: null });
    expect(await complete()).toMatchObject({ state: 'COMPLETED' });
    const refused = { code: 'INVALID_AGENT_STATE', message: expect.stringContaining('COMPLETED') };
    await expect(team.tasks.move(worker, { taskId: first.id, status: 'IN_PROGRESS' })).rejects.toMatchObject(refused);
    await expect(team.tasks.create(human, NewTask.parse({ title: 'Late', epicId: epic.id }))).rejects.toMatchObject(
      refused,
    );
    await expect(team.tasks.change(human, second.id, { epicId: epic.id })).rejects.toMatchObject(refused);
    await team.tasks.remove(second.id);
  });

  it('that are cancelled keep their tasks unchanged and assign no more of them', async () => {
    const worker = await newMember(team, 'WORKER');
    const epic = await team.epics.create(human, NewEpic.parse({ title: 'Given up' }));
    const begun = await taskIn(team, 'IN_PROGRESS', { assignee: worker, epicId: epic.id });
    const pending = await taskIn(team, 'PENDING', { assignee: worker, epicId: epic.id });
    await team.epics.move(human, { epicId: epic.id, status: 'CANCELLED' });
    expect((await team.epics.get(epic.id)).tasks).toMatchObject({ IN_PROGRESS: 1, PENDING: 1 });
    await team.tasks.move(worker, { taskId: begun.id, status: 'REVIEW' });
    const agentId = worker.member.id;
    await expect(team.tasks.assign(human, { taskId: pending.id, agentId })).rejects.toMatchObject({
      code: 'INVALID_AGENT_STATE',
    });
    expect((await team.tasks.get(pending.id)).state).toBe('PENDING');
  });

  it('have a review queue, with the longest wait first', async () => {
    const epic = await team.epics.create(human, NewEpic.parse({ title: 'Reviewed' }));
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      opened.clock.time += 1_000;
      const worker = await newMember(team, 'WORKER');
      ids.push((await taskIn(team, 'REVIEW', { assignee: worker, epicId: epic.id })).id);
    }
    await team.tasks.change(human, ids[0] ?? '', { title: 'Changed since' });
    expect((await team.epics.reviewQueue(epic.id)).map(({ id }) => id)).toEqual(ids);
    const everything = (await team.epics.reviewQueue()).map(({ id }) => id);
    expect(everything.filter((id) => ids.includes(id))).toEqual(ids);
    await expect(team.epics.reviewQueue('epic_none')).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  });

  it('send a task back to a busy worker, which resumes it afterwards', async () => {
    const supervisor = await newMember(team, 'SUPERVISOR');
    const worker = await newMember(team, 'WORKER', supervisor);
    const { id: taskId } = await taskIn(team, 'REVIEW', { assignee: worker, title: 'Not yet' });
    const other = await taskIn(team, 'IN_PROGRESS', { assignee: worker });
    const mailsBefore = (await mailsTo(team, supervisor)).length;
    opened.clock.time += 1_000;
    expect(await team.epics.requestChanges(human, { taskId, comment: 'Too dark.' })).toMatchObject({
      state: 'BLOCKED',
      assigneeId: worker.member.id,
    });
    expect((await team.tasks.get(other.id)).state).toBe('IN_PROGRESS');
    const [mail] = await mailsTo(team, worker);
    expect(mail?.subject).toBe('Changes requested: Not yet');
    expect(mail?.body).toContain('Too dark.');
    expect(mail?.body).toContain(`{"taskId":"${taskId}","status":"IN_PROGRESS"}`);
    expect(await mailsTo(team, supervisor)).toHaveLength(mailsBefore);
    await team.tasks.move(worker, { status: 'REVIEW' });
    expect(await team.tasks.move(worker, { taskId, status: 'IN_PROGRESS' })).toMatchObject({ state: 'IN_PROGRESS' });
  });

  it('approve or return only tasks in review', async () => {
    const supervisor = await newMember(team, 'SUPERVISOR');
    for (const state of ['PENDING', 'ASSIGNED', 'IN_PROGRESS', 'BLOCKED', 'COMPLETED', 'FAILED'] as const) {
      const { id: taskId } = await taskIn(team, state, { assignee: await newMember(team, 'WORKER') });
      const refused = { code: 'INVALID_AGENT_STATE', message: expect.stringContaining(state) };
      await expect(team.epics.approve(supervisor, { taskId })).rejects.toMatchObject(refused);
      await expect(team.epics.requestChanges(supervisor, { taskId, comment: 'No' })).rejects.toMatchObject(refused);
    }
    const missing = { code: 'RESOURCE_NOT_FOUND' };
    await expect(team.epics.approve(supervisor, { taskId: 'task_none' })).rejects.toMatchObject(missing);
  });

  it('are current for a worker through its task, and for other members directly', async () => {
    const worker = await newMember(team, 'WORKER');
    const orchestrator = await newMember(team, 'ORCHESTRATOR');
    const epic = await team.epics.create(human, NewEpic.parse({ title: 'Current' }));
    const none = { code: 'INVALID_AGENT_STATE' };
    await expect(team.epics.currentOf(worker.member)).rejects.toMatchObject(none);
    await expect(team.epics.currentOf(orchestrator.member)).rejects.toMatchObject(none);
    const task = await taskIn(team, 'ASSIGNED', { assignee: worker });
    await expect(team.epics.currentOf(worker.member)).rejects.toMatchObject(none);
    await team.tasks.change(human, task.id, { epicId: epic.id });
    expect((await team.epics.currentOf(worker.member)).id).toBe(epic.id);
    expect((await team.tasks.currentOf(worker.member)).id).toBe(task.id);
    expect(await opened.parts.store.member(worker.member.id)).toMatchObject({ currentEpicId: epic.id });
    await opened.parts.store.write((rows) => rows.changeMember(orchestrator.member.id, { currentEpicId: epic.id }, 0));
    expect((await team.epics.currentOf(orchestrator.member)).id).toBe(epic.id);
    await team.epics.remove(epic.id);
    await expect(team.epics.currentOf(orchestrator.member)).rejects.toMatchObject(none);
    expect((await team.tasks.get(task.id)).epicId).toBeNull();
    await expect(team.epics.remove(epic.id)).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  });

  it('are created and changed once per idempotency key, without secrets', async () => {
    const draft = { title: `Use ${plantedSecret}`, description: plantedSecret };
    const create = () => team.epics.create(human, NewEpic.parse(draft), { idempotencyKey: 'one-epic' });
    const [epic, again] = await Promise.all([create(), create()]);
    expect(again).toEqual(epic);
    expect(epic).toMatchObject({ title: 'Use [removed]', description: '[removed]', state: 'PLANNING' });
    const changed = await team.epics.change(epic.id, {
      linearIssueId: 'LIN-1',
      linearIssueUrl: 'https://example.com/LIN-1',
    });
    expect(changed).toMatchObject({ title: 'Use [removed]', linearIssueId: 'LIN-1' });
    const { items } = await team.epics.list({ state: ['PLANNING'] });
    expect(items.filter(({ title }) => title === 'Use [removed]')).toHaveLength(1);
  });
});
