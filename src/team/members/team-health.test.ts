import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { usualDatabaseKinds } from '../../../test/support/databases/test-database.ts';
import { capturedLogger, openTestTeamParts, type TestTeamParts } from '../../../test/support/team/test-team-parts.ts';
import type { TeamParts } from '../team-parts.ts';
import { type TeamHealthOptions, teamHealth } from './team-health.ts';

const callerScript = fileURLToPath(new URL('../../../test/support/team/dying-caller.ts', import.meta.url));
const minute = 60_000;
const day = 24 * 60 * minute;

describe.each(usualDatabaseKinds)('health on %s', (kind) => {
  let team: TestTeamParts;
  beforeEach(async () => {
    team = await openTestTeamParts(kind);
    await team.addMember('boss', { type: 'SUPERVISOR' });
    await team.addMember('worker', { supervisorId: 'boss', state: 'BUSY', currentTaskId: 'task_1' });
    await team.addTask('task_1', { state: 'IN_PROGRESS', assigneeId: 'worker', branchName: 'feature/auth' });
  });
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
    await team.stores.remove();
  });

  describe('a member is stalled', () => {
    it('when its last call is too long ago while it has a task in progress', async () => {
      team.clock.advance(20 * minute);
      await team.noteCall('worker');
      team.clock.advance(30 * minute);
      expect(await stalled()).toEqual([]);
      team.clock.advance(1_000);
      expect(await stalled()).toEqual([['worker', 'no call for 30 minutes']]);
      const { members, isHealthy } = await open().check();
      expect(isHealthy).toBe(false);
      expect(members.find(({ agentId }) => agentId === 'worker')).toEqual({
        agentId: 'worker',
        type: 'WORKER',
        state: 'BUSY',
        currentTaskId: 'task_1',
        lastActiveAt: '2026-11-15T12:20:00.000Z',
        isStalled: true,
        reason: 'no call for 30 minutes',
      });
    });

    it('only after its task has been in progress for as long', async () => {
      await team.noteCall('worker');
      team.clock.advance(2 * day);
      await team.parts.store.write((rows) => rows.changeTask('task_1', { state: 'REVIEW' }, team.clock.now()));
      await team.parts.store.write((rows) => rows.changeTask('task_1', { state: 'IN_PROGRESS' }, team.clock.now()));
      team.clock.advance(30 * minute);
      expect(await stalled()).toEqual([]);
      team.clock.advance(1);
      expect(await stalled()).toHaveLength(1);
    });

    it('never without a task in progress', async () => {
      await team.parts.store.write((rows) => rows.changeTask('task_1', { state: 'REVIEW' }, team.clock.now()));
      team.clock.advance(10 * minute);
      expect(await open().check()).toMatchObject({ isHealthy: true });
      team.clock.advance(30 * day);
      expect(await stalled()).toEqual([]);
    });
  });

  describe('recovery', () => {
    beforeEach(() => team.clock.advance(31 * minute));

    it('fails the member, returns its task with a reason, and mails the supervisor', async () => {
      await team.addTask('task_2', { state: 'ASSIGNED', assigneeId: 'worker' });
      expect(await open().recover()).toEqual({
        failedMembers: ['worker'],
        returnedTasks: ['task_1'],
        closedCalls: [],
        mails: 1,
      });
      expect(await team.parts.store.member('worker')).toMatchObject({ state: 'FAILED', currentTaskId: 'task_2' });
      expect(await team.parts.store.task('task_1')).toMatchObject({ state: 'PENDING', assigneeId: null, comments: 1 });
      expect(await team.parts.store.comments('task_1')).toMatchObject([
        { authorId: null, body: expect.stringContaining('worker made no call for 31 minutes') },
      ]);
      const [mail, ...others] = await inbox('boss');
      expect(others).toEqual([]);
      expect(mail).toMatchObject({ fromAgentId: 'worker', subject: 'Stalled: worker made no call for 31 minutes' });
      expect(mail?.body).toContain('- task_1: Task task_1 (branch feature/auth)');
      const claimed = await team.parts.store.write((rows) => rows.nextPendingTask(null));
      expect(claimed?.id).toBe('task_1');
      expect(await open().recover()).toEqual({ failedMembers: [], returnedTasks: [], closedCalls: [], mails: 0 });
      expect(await open().check()).toMatchObject({ isHealthy: false });
    });

    it('mails the user if no supervisor can act', async () => {
      await team.parts.store.write((rows) => rows.changeMember('boss', { state: 'FAILED' }, 0));
      await open().recover();
      expect(await inbox('boss')).toEqual([]);
      expect(await inbox(null)).toMatchObject([{ isForHuman: true, fromAgentId: 'worker' }]);
    });

    it('skips a member that called after the check', async () => {
      const interrupted = beforeFirstWrite(() => team.noteCall('worker'));
      expect(await open({}, interrupted).recover()).toMatchObject({ failedMembers: [], returnedTasks: [], mails: 0 });
      expect(await team.parts.store.member('worker')).toMatchObject({ state: 'BUSY', currentTaskId: 'task_1' });
      expect(await team.parts.store.task('task_1')).toMatchObject({ state: 'IN_PROGRESS', assigneeId: 'worker' });
    });

    it('skips a task that moved after the check', async () => {
      const interrupted = beforeFirstWrite(() =>
        team.parts.store.write((rows) => rows.changeTask('task_1', { state: 'REVIEW' }, team.clock.now())),
      );
      expect(await open({}, interrupted).recover()).toMatchObject({ failedMembers: [], returnedTasks: [], mails: 0 });
      expect(await team.parts.store.task('task_1')).toMatchObject({ state: 'REVIEW', assigneeId: 'worker' });
      expect(await team.parts.store.member('worker')).toMatchObject({ state: 'BUSY' });
    });

    it('skips a member that was removed after the check', async () => {
      const interrupted = beforeFirstWrite(() => team.parts.store.write((rows) => rows.removeMember('worker')));
      expect(await open({}, interrupted).recover()).toMatchObject({ failedMembers: [], returnedTasks: [], mails: 0 });
    });

    it('happens once when two processes run it at the same time', async () => {
      await team.addTask('task_3', { state: 'BLOCKED', assigneeId: 'worker', stateSince: '2026-11-01T00:00:00.000Z' });
      const reports = await Promise.all(
        [open(), open({}, team.other), open(), open({}, team.other)].map((each) => each.recover()),
      );
      expect(reports.flatMap(({ failedMembers }) => failedMembers)).toEqual(['worker']);
      expect(reports.reduce((sum, { mails }) => sum + mails, 0)).toBe(2);
      expect(await inbox('boss')).toHaveLength(2);
      expect(await team.parts.store.comments('task_1')).toHaveLength(1);
    });
  });

  it('a FAILED member that calls again becomes IDLE; other calls cost no write', async () => {
    const { noteAlive } = open();
    await team.parts.store.write((rows) => rows.changeMember('worker', { state: 'FAILED' }, 0));
    await noteAlive({ id: 'worker', state: 'FAILED' });
    expect(await team.parts.store.member('worker')).toMatchObject({ state: 'IDLE' });
    // The caller may have an outdated state.
    await team.parts.store.write((rows) => rows.changeMember('worker', { state: 'BUSY' }, 0));
    await noteAlive({ id: 'worker', state: 'FAILED' });
    await noteAlive({ id: 'gone', state: 'FAILED' });
    expect(await team.parts.store.member('worker')).toMatchObject({ state: 'BUSY' });
    const write = vi.fn().mockRejectedValue(new Error('the disk is full'));
    const broken = open({}, { ...team.parts, store: { ...team.parts.store, write } });
    await broken.noteAlive({ id: 'worker', state: 'BUSY' });
    expect(write).not.toHaveBeenCalled();
    await expect(broken.noteAlive({ id: 'worker', state: 'FAILED' })).resolves.toBeUndefined();
  });

  describe('a task that waits too long', () => {
    beforeEach(async () => {
      await team.parts.store.write((rows) => rows.changeTask('task_1', { state: 'REVIEW' }, team.clock.now()));
      await team.addTask('task_2', { state: 'ASSIGNED', assigneeId: 'worker' });
      await team.addTask('task_3', { state: 'BLOCKED' });
      await team.addTask('task_4', { state: 'BLOCKED', createdBy: 'boss' });
      for (const state of ['PENDING', 'COMPLETED', 'FAILED'] as const) await team.addTask(`task_${state}`, { state });
    });

    it('is reported once to whoever can help, and again after the same time', async () => {
      const health = open();
      team.clock.advance(day);
      expect((await health.check()).tasks).toEqual([]);
      team.clock.advance(1);
      const { tasks, isHealthy } = await health.check();
      expect(isHealthy).toBe(false);
      expect(tasks.map(({ taskId, state, reason }) => [taskId, state, reason]).sort()).toEqual([
        ['task_1', 'REVIEW', 'in review for 24 hours'],
        ['task_2', 'ASSIGNED', 'assigned to worker for 24 hours and not begun'],
        ['task_3', 'BLOCKED', 'blocked for 24 hours'],
        ['task_4', 'BLOCKED', 'blocked for 24 hours'],
      ]);
      expect((await health.recover()).mails).toBe(4);
      expect((await inbox('boss')).map(({ subject, fromAgentId }) => `${subject} ${fromAgentId}`).sort()).toEqual([
        'Waiting: Task task_1 worker',
        'Waiting: Task task_2 worker',
        'Waiting: Task task_4 null',
      ]);
      expect(await inbox(null)).toMatchObject([{ subject: 'Waiting: Task task_3', fromAgentType: 'SYSTEM' }]);
      expect((await health.recover()).mails).toBe(0);
      expect((await open({}, team.other).recover()).mails).toBe(0);
      team.clock.advance(day);
      expect((await open({}, team.other).recover()).mails).toBe(0);
      team.clock.advance(1);
      expect((await health.recover()).mails).toBe(4);
    });

    it('is reported again in its next state', async () => {
      const health = open();
      team.clock.advance(day + 1);
      await health.recover();
      await team.parts.store.write((rows) => rows.changeTask('task_1', { state: 'BLOCKED' }, team.clock.now()));
      expect((await health.recover()).mails).toBe(0);
      team.clock.advance(day - 1);
      expect((await health.recover()).mails).toBe(0);
      team.clock.advance(2);
      // Three tasks in their second day, and one in its new state.
      expect((await health.recover()).mails).toBe(4);
    });

    it('is not reported if it moved after the check', async () => {
      team.clock.advance(day + 1);
      const interrupted = beforeFirstWrite(() =>
        team.parts.store.write((rows) => rows.changeTask('task_3', { state: 'IN_PROGRESS' }, team.clock.now())),
      );
      expect((await open({}, interrupted).recover()).mails).toBe(3);
      expect(await inbox(null)).toEqual([]);
    });
  });

  it('a call of a killed process is closed once in the log, as an error of its member', async () => {
    const args = [JSON.stringify(team.stores.db), 'worker', 'call_9', 'mcp__task__update_status', team.clock.now()];
    const child = spawn(process.execPath, [callerScript, ...args.map(String)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    cleanups.push(() => child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    expect(await open().recover()).toMatchObject({ closedCalls: [] });
    child.kill('SIGKILL');
    await once(child, 'exit');
    const reports = await Promise.all(
      [open(), open({}, team.other), open(), open({}, team.other)].map((each) => each.recover()),
    );
    expect(reports.flatMap(({ closedCalls }) => closedCalls)).toEqual(['call_9']);
    expect(reports.reduce((sum, { mails }) => sum + mails, 0)).toBe(2);
    const { entries } = await team.parts.decisions.page({ callId: 'call_9' });
    expect(entries.map(({ kind: each }) => each).sort()).toEqual(['error', 'invocation']);
    expect(entries.find(({ kind: each }) => each === 'error')).toMatchObject({
      agentId: 'worker',
      taskId: 'task_7',
      tool: 'mcp__task__update_status',
      decision: 'Tool error: mcp__task__update_status',
      reasoning: 'Automatic tool error log',
      context: expect.stringContaining('"code":"INTERNAL_ERROR"'),
    });
    expect(await inbox('boss')).toMatchObject([{ subject: 'Tool failed: mcp__task__update_status (INTERNAL_ERROR)' }]);
    expect(await inbox(null)).toMatchObject([{ subject: expect.stringMatching(/^⚠️ CRITICAL/) }]);
    expect(await open().recover()).toMatchObject({ closedCalls: [], mails: 0 });
  });

  describe('the reconciler', () => {
    it('runs at once and again after each interval, until it is closed', async () => {
      team.clock.advance(31 * minute);
      const running = open().start();
      cleanups.push(() => running.close());
      await until(async () => expect(await team.parts.store.member('worker')).toMatchObject({ state: 'FAILED' }));
      await until(() => expect(team.clock.sleeps()).toContain(30_000));
      await team.parts.store.write((rows) =>
        rows.changeTask('task_1', { state: 'IN_PROGRESS', assigneeId: 'boss' }, 0),
      );
      team.clock.advance(30_000);
      await until(async () => expect(await team.parts.store.member('boss')).toMatchObject({ state: 'FAILED' }));
      await until(() => expect(team.clock.sleeps()).toContain(30_000));
      await running.close();
      expect(team.clock.sleeps()).toEqual([]);
    });

    it('survives a run that fails', async () => {
      const logger = capturedLogger();
      const members = vi.fn(team.parts.store.members).mockRejectedValueOnce(new Error('the database is busy'));
      team.clock.advance(31 * minute);
      const running = open({}, { ...team.parts, logger, store: { ...team.parts.store, members } }).start();
      cleanups.push(() => running.close());
      await until(() => expect(team.clock.sleeps()).toContain(30_000));
      expect(logger.messages).toEqual(['could not recover stalled work']);
      team.clock.advance(30_000);
      await until(async () => expect(await team.parts.store.member('worker')).toMatchObject({ state: 'FAILED' }));
      await running.close();
    });

    it('deletes old data at most once an hour', async () => {
      const pruned: [string, number][] = [];
      const deliveries = {
        ...team.parts.store.deliveries,
        prune: async (before: number) => void pruned.push(['events', before]),
      };
      const decisions = Object.assign(Object.create(team.parts.decisions), {
        prune: async (before: number) => pruned.push(['decisions', before]),
      });
      const parts = { ...team.parts, decisions, store: { ...team.parts.store, deliveries } };
      const running = open(
        { keepDecisionsMs: () => 90 * day, alsoPrune: { runs: async (now) => pruned.push(['runs', now]) } },
        parts,
      ).start();
      cleanups.push(() => running.close());
      const first = team.clock.now();
      for (let run = 0; run < 121; run += 1) {
        await until(() => expect(team.clock.sleeps()).toContain(30_000));
        team.clock.advance(30_000);
      }
      await until(() => expect(team.clock.sleeps()).toContain(30_000));
      await running.close();
      const hour = 60 * minute;
      expect(pruned).toEqual([
        ['events', first - 7 * day],
        ['decisions', first - 90 * day],
        ['runs', first],
        ['events', first + hour - 7 * day],
        ['decisions', first + hour - 90 * day],
        ['runs', first + hour],
      ]);
    });
  });

  function open(options: TeamHealthOptions = {}, parts: TeamParts = team.parts) {
    return teamHealth(parts, options);
  }

  async function stalled() {
    const { members } = await open().check();
    return members.filter(({ isStalled }) => isStalled).map(({ agentId, reason }) => [agentId, reason]);
  }

  async function inbox(toAgentId: string | null) {
    return (await team.parts.store.mailbox({ toAgentId, includeRead: true, limit: 50 })).items;
  }

  /** Runs `action` after recovery has checked the team and before it writes. */
  function beforeFirstWrite(action: () => Promise<unknown>): TeamParts {
    let hasRun = false;
    const { store } = team.parts;
    const write: typeof store.write = async (run) => {
      if (!hasRun) {
        hasRun = true;
        await action();
      }
      return store.write(run);
    };
    return { ...team.parts, store: { ...store, write } };
  }
});

function until(check: () => unknown): Promise<void> {
  return vi.waitFor(
    async () => {
      await check();
    },
    { timeout: 20_000, interval: 5 },
  );
}
