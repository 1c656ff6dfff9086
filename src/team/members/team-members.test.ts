import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { usualDatabaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestTeam, plantedSecret, type TestTeam } from '../../../test/support/team/open-test-team.ts';
import { taskRow } from '../../../test/support/team/team-rows.ts';
import { defineTool } from '../../tools/tool.ts';
import { taskStates } from '../work/task-moves.ts';
import { NewMember } from './member.ts';
import { hashToken } from './roster.ts';

describe.each(usualDatabaseKinds)('members in %s', (kind) => {
  let test: TestTeam;
  beforeAll(async () => {
    test = await openTestTeam(kind);
  });
  afterAll(() => test.remove());

  it('are named after their agent or type, with the next number', async () => {
    const { members } = test.team;
    const names: string[] = [];
    for (const member of [{}, {}, { type: 'SUPERVISOR' }, { agent: 'reviewer' }] as const) {
      names.push((await members.add(NewMember.parse(member))).member.id);
    }
    expect(names).toEqual(['worker-1', 'worker-2', 'supervisor-1', 'reviewer-1']);
    await members.remove('worker-1');
    expect((await members.add(NewMember.parse({}))).member.id).toBe('worker-3');
    for (const id of ['worker-2', 'worker-3', 'supervisor-1', 'reviewer-1']) await members.remove(id);
  });

  it('added at the same time by two processes get different names', async () => {
    const teams = [test.team, test.otherTeam, test.team, test.otherTeam, test.team, test.otherTeam];
    const added = await Promise.all(teams.map(({ members }) => members.add({ type: 'ORCHESTRATOR' })));
    const ids = added.map(({ member }) => member.id);
    expect(ids.sort()).toEqual([1, 2, 3, 4, 5, 6].map((number) => `orchestrator-${number}`));
    for (const id of ids) await test.team.members.remove(id);
  });

  it('can only remove members that are workers at that moment', async () => {
    const { members } = test.team;
    const { member } = await members.add({ id: 'stopper', type: 'SUPERVISOR' });
    await members.add({ id: 'stopped', type: 'SUPERVISOR' });
    const options = { actor: { kind: 'member', member } as const };
    await expect(members.remove('stopped', options)).rejects.toMatchObject({ code: 'INVALID_AGENT_STATE' });
    expect(await members.get('stopped')).toMatchObject({ type: 'SUPERVISOR' });
    await members.change('stopped', { type: 'WORKER' });
    expect(await members.remove('stopped', options)).toMatchObject({ id: 'stopped' });
    await members.remove('stopper');
  });

  it('start idle and without work, and every process sees them', async () => {
    const { member, token } = await test.team.members.add(
      NewMember.parse({ id: 'new', agent: 'reviewer', tmuxSessionName: 'one' }),
    );
    const at = new Date(test.clock.now()).toISOString();
    expect(member).toEqual({
      id: 'new',
      agent: 'reviewer',
      type: 'WORKER',
      state: 'IDLE',
      supervisorId: null,
      currentEpicId: null,
      currentTaskId: null,
      tmuxSessionName: 'one',
      lastActiveAt: null,
      hasToken: true,
      createdAt: at,
      updatedAt: at,
    });
    expect(token).toMatch(/^zoo_[A-Za-z0-9_-]{43}$/);
    expect(await test.otherTeam.members.get('new')).toEqual(member);
    expect(await test.team.members.list()).toEqual([member]);
    await test.team.members.remove('new');
    await vi.waitFor(() =>
      expect(test.otherTeam.members.get('new')).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' }),
    );
  });

  it('were last active at their last call in the log', async () => {
    const { clock, parts, team } = test;
    await team.members.add(NewMember.parse({ id: 'active' }));
    const at = clock.now() - 5_000;
    const words = { tool: 'x', decision: 'Invoked tool: x', reasoning: '', context: '{}' };
    const who = { surface: 'http', agentId: 'active', persona: null, taskId: null };
    await parts.decisions.append({ callId: 'c', kind: 'invocation', at, ...who, ...words });
    const lastActiveAt = new Date(at).toISOString();
    expect(await team.members.get('active')).toMatchObject({ lastActiveAt });
    expect(await team.members.list()).toMatchObject([{ lastActiveAt }]);
    expect(await team.members.acting('active')).toMatchObject({ lastActiveAt: new Date(clock.now()).toISOString() });
    expect(await team.members.remove('active')).toMatchObject({ lastActiveAt });
  });

  it.each([
    ['a taken id', { id: 'boss' }, 'CONFLICT'],
    ['an unknown agent', { agent: 'nobody-knows' }, 'INVALID_ARGUMENTS'],
    ['an unknown supervisor', { supervisorId: 'nobody' }, 'INVALID_ARGUMENTS'],
    ['oneself as supervisor', { id: 'self', supervisorId: 'self' }, 'INVALID_ARGUMENTS'],
  ])('are rejected with %s, and nothing is stored', async (_, member, code) => {
    const { members } = test.team;
    await members.add({ id: 'boss', type: 'SUPERVISOR' });
    await expect(members.add(NewMember.parse(member))).rejects.toMatchObject({ code });
    expect((await members.list()).map(({ id }) => id)).toEqual(['boss']);
    await members.remove('boss');
  });

  it.each(['Human', 'system', 'a b', '-a', '', 'x'.repeat(65)])('cannot be called %j', (id) => {
    expect(NewMember.safeParse({ id }).success).toBe(false);
  });

  it('change only the given fields, and cannot supervise each other in a cycle', async () => {
    const { members } = test.team;
    await members.add(NewMember.parse({ id: 'a' }));
    await members.add(NewMember.parse({ id: 'b', supervisorId: 'a' }));
    await members.add(NewMember.parse({ id: 'c', supervisorId: 'b' }));
    test.clock.time += 1_000;
    const changed = await members.change('c', { type: 'ORCHESTRATOR', tmuxSessionName: `s ${plantedSecret}` });
    expect(changed).toMatchObject({ type: 'ORCHESTRATOR', supervisorId: 'b', tmuxSessionName: 's [removed]' });
    expect(changed.updatedAt).toBe(new Date(test.clock.now()).toISOString());
    await expect(members.change('a', { supervisorId: 'c' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining('a → c → b → a'),
    });
    await expect(members.change('a', { supervisorId: 'a' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    await expect(members.change('a', { agent: 'no' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    await expect(members.change('a', { currentEpicId: 'no' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    await expect(members.change('nobody', { state: 'BUSY' })).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
    for (const id of ['a', 'b', 'c']) await members.remove(id);
  });

  it('made to supervise each other at the same time do not form a cycle', async () => {
    const { members } = test.team;
    await members.add(NewMember.parse({ id: 'left' }));
    await members.add(NewMember.parse({ id: 'right' }));
    const outcomes = await Promise.allSettled([
      members.change('left', { supervisorId: 'right' }),
      test.otherTeam.members.change('right', { supervisorId: 'left' }),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const supervised = (await members.list()).filter(({ supervisorId }) => supervisorId !== null);
    expect(supervised).toHaveLength(1);
    for (const id of ['left', 'right']) await members.remove(id);
  });

  it('that leave return their open tasks, and their supervisor takes over their members', async () => {
    const { members } = test.team;
    await members.add(NewMember.parse({ id: 'top' }));
    await members.add(NewMember.parse({ id: 'middle', supervisorId: 'top' }));
    await members.add(NewMember.parse({ id: 'low', supervisorId: 'middle' }));
    await test.parts.store.write(async (rows) => {
      for (const state of taskStates) await rows.addTask(taskRow(state, { state, assigneeId: 'middle' }));
    });
    expect(await members.remove('middle')).toMatchObject({ id: 'middle', supervisorId: 'top' });
    const { items } = await test.parts.store.tasks({ limit: 100 });
    const after = Object.fromEntries(items.map((task) => [task.id, `${task.state} ${task.assigneeId}`]));
    expect(after).toEqual({
      PENDING: 'PENDING middle',
      ASSIGNED: 'PENDING null',
      IN_PROGRESS: 'PENDING null',
      REVIEW: 'PENDING null',
      BLOCKED: 'PENDING null',
      COMPLETED: 'COMPLETED middle',
      FAILED: 'FAILED middle',
    });
    expect(await members.get('low')).toMatchObject({ supervisorId: 'top' });
    await expect(members.remove('middle')).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
    for (const id of ['low', 'top']) await members.remove(id);
  });

  it('with one idempotency key are added once and removed once, with the first token', async () => {
    const { members } = test.team;
    const calls = Array.from({ length: 10 }, () => members.add(NewMember.parse({}), { idempotencyKey: 'add-once' }));
    const answers = await Promise.all(calls);
    expect(new Set(answers.map(({ token }) => token)).size).toBe(1);
    const [{ member, token } = { member: { id: '' }, token: '' }] = answers;
    expect(await members.list()).toHaveLength(1);
    expect(await members.identify({ token: token ?? '' })).toBe(member.id);
    expect(await test.otherTeam.members.add(NewMember.parse({}), { idempotencyKey: 'add-once' })).toEqual({
      member,
      token: null,
    });
    await expect(members.add(NewMember.parse({ id: 'other' }), { idempotencyKey: 'add-once' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
    const removed = await members.remove(member.id, { idempotencyKey: 'remove-once' });
    expect(await members.remove(member.id, { idempotencyKey: 'remove-once' })).toEqual(removed);
  });

  it('added by a member are supervised by it, unless it names no supervisor', async () => {
    const { members } = test.team;
    const { member } = await members.add({ id: 'maker', type: 'SUPERVISOR' });
    const actor = { kind: 'member', member } as const;
    expect((await members.add(NewMember.parse({ id: 'made' }), { actor })).member.supervisorId).toBe('maker');
    expect(
      (await members.add(NewMember.parse({ id: 'free', supervisorId: null }), { actor })).member.supervisorId,
    ).toBe(null);
    for (const id of ['made', 'free', 'maker']) await members.remove(id);
  });

  describe('identify themselves', () => {
    it('by the id in the request until the first token is made', async () => {
      const fresh = await openTestTeam(kind);
      const { members } = fresh.team;
      await members.add(NewMember.parse({ id: 'w' }), { withToken: false });
      expect(await members.believesCallers()).toBe(true);
      expect(await members.identify({ agentId: 'w' })).toBe('w');
      await expect(members.identify({ agentId: 'nobody' })).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
      await expect(members.identify({})).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
      await members.makeToken('w');
      await members.revokeToken('w');
      expect(await members.believesCallers()).toBe(false);
      expect(await fresh.otherTeam.members.believesCallers()).toBe(false);
      await fresh.remove();
    });

    it('only by their own token once any member has one', async () => {
      const { members } = test.team;
      await members.add(NewMember.parse({ id: 'without' }), { withToken: false });
      const { token: one } = await members.add(NewMember.parse({ id: 'one' }));
      const { token: two } = await members.add(NewMember.parse({ id: 'two' }));
      expect(await members.believesCallers()).toBe(false);
      const identified = await test.otherTeam.members.identify({ token: one ?? '', agentId: 'one' });
      expect(identified).toBe('one');
      const shown = await test.otherTeam.members.get('one');
      expect(shown).toMatchObject({ id: 'one', hasToken: true });
      expect(shown).not.toHaveProperty('tokenHash');
      expect(await members.identify({ token: two ?? '' })).toBe('two');
      const rejectedProofs = [
        { agentId: 'one' },
        { agentId: 'without' },
        { agentId: 'nobody' },
        { token: one ?? '', agentId: 'two' },
        { token: one ?? '', agentId: 'nobody' },
        { token: one ?? '', agentId: '' },
        { token: '' },
        { token: 'zoo_x', agentId: 'one' },
        { token: hashToken(one ?? '') },
      ];
      for (const proof of rejectedProofs) {
        await expect(members.identify(proof), JSON.stringify(proof)).rejects.toMatchObject({
          code: 'PERMISSION_DENIED',
        });
      }
      await expect(members.identify({})).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
      for (const id of ['one', 'two', 'without']) await members.remove(id);
    });

    it('a new token replaces the earlier one at once, and a revoked one stops working', async () => {
      const { members } = test.team;
      const { token: first } = await members.add(NewMember.parse({ id: 'w' }));
      await members.add(NewMember.parse({ id: 'other' }));
      const { token: second, member } = await members.makeToken('w');
      expect(member).toMatchObject({ id: 'w', hasToken: true });
      const denied = { code: 'PERMISSION_DENIED' };
      await expect(members.identify({ token: first ?? '' })).rejects.toMatchObject(denied);
      expect(await members.identify({ token: second })).toBe('w');
      expect(await members.revokeToken('w')).toMatchObject({ hasToken: false });
      await expect(members.identify({ token: second })).rejects.toMatchObject(denied);
      await expect(members.makeToken('nobody')).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
      await expect(members.revokeToken('nobody')).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
      for (const id of ['w', 'other']) await members.remove(id);
    });
  });

  it('may call what their type and the scope of their agent allow', async () => {
    const { members } = test.team;
    await members.add(NewMember.parse({ id: 'w', agent: 'reviewer' }));
    const tools = ['search', 'mcp__mail__send', 'mcp__task__create'].map((name) =>
      defineTool({ name, description: '', input: z.object({}), run: () => ({}) }),
    );
    expect(await members.permissions('w', tools)).toMatchObject([
      { tool: 'search', decision: { allowed: true, rule: 'agent "reviewer" has search in its scope' } },
      { tool: 'mcp__mail__send', decision: { allowed: true, rule: 'WORKER may call mcp__mail__*' } },
      { tool: 'mcp__task__create', decision: { allowed: false, rule: 'WORKER may not call mcp__task__create' } },
    ]);
    expect((await members.matrix(tools)).map(({ decisions }) => decisions.WORKER.allowed)).toEqual([
      false,
      true,
      false,
    ]);
    expect((await members.matrix(tools)).map(({ decisions }) => decisions.SUPERVISOR.allowed)).toEqual([
      true,
      true,
      true,
    ]);
    expect(await members.rules('SUPERVISOR')).toEqual({ allow: ['*'], deny: [] });
    await expect(members.permissions('nobody', tools)).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
    await members.remove('w');
  });
});
