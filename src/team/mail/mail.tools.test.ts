import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usualDatabaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestTeam, type TestTeam } from '../../../test/support/team/open-test-team.ts';
import { type TeamCalls, teamCalls } from '../../../test/support/team/team-calls.ts';
import { executeTool } from '../../tools/execute-tool.ts';
import { human, NewMember } from '../members/member.ts';
import { callingMember } from '../members/team-members.ts';
import { NewEpic, NewTask } from '../work/work.ts';

describe.each(usualDatabaseKinds)('tools for mail, oneself and the log in %s', (kind) => {
  let test: TestTeam;
  let calls: TeamCalls;
  let sent: string;
  beforeAll(async () => {
    test = await openTestTeam(kind);
    calls = teamCalls(test);
    await test.team.members.add({ id: 'supervisor-456', type: 'SUPERVISOR' });
    await test.team.members.add(NewMember.parse({ id: 'worker-123', supervisorId: 'supervisor-456' }));
    await test.team.members.add({ id: 'orchestrator-1', type: 'ORCHESTRATOR' });
  });
  afterAll(() => test.remove());

  it('the documented examples give the documented answers', async () => {
    const draft = {
      toAgentId: 'supervisor-456',
      subject: 'Task Blocked',
      body: 'I need help unblocking this task',
    };
    const timestamp = new Date(test.clock.now()).toISOString();
    const receipt = await calls.call('worker-123', 'mcp__mail__send', draft);
    expect(receipt).toEqual({ mailId: expect.any(String), timestamp });
    sent = String(receipt.mailId);
    expect(await calls.call('supervisor-456', 'mcp__mail__list_inbox', {})).toEqual({
      count: 1,
      unreadCount: 1,
      cursor: null,
      mails: [
        {
          id: sent,
          threadId: sent,
          inReplyTo: null,
          fromAgentId: 'worker-123',
          fromAgentType: 'WORKER',
          subject: 'Task Blocked',
          body: 'I need help unblocking this task',
          isRead: false,
          createdAt: timestamp,
          readAt: null,
        },
      ],
    });
    const decision = {
      title: 'Chose implementation approach',
      body: 'Decided to use Redis for caching instead of in-memory cache for better scalability',
    };
    const logged = await calls.call('worker-123', 'mcp__system__log_decision', decision);
    expect(logged).toEqual({ logId: expect.stringMatching(/^log_/), timestamp });
    const { entries } = await test.parts.decisions.page({ callId: String(logged.logId) });
    expect(entries).toMatchObject([
      {
        kind: 'manual',
        agentId: 'worker-123',
        tool: 'mcp__system__log_decision',
        decision: decision.title,
        reasoning: decision.body,
      },
    ]);
  });

  it('a run learns that it reads what another member wrote', async () => {
    const read: string[] = [];
    const reading = { sources: [], add: (source: string) => void read.push(source) };
    const acting = await test.team.members.acting('supervisor-456');
    const member = await callingMember(test.parts, acting);
    const caller = { surface: 'engine', kind: 'member', right: 'use', member, reading } as const;
    await executeTool(calls.pipeline, { caller, tool: 'mcp__mail__list_inbox', input: {} });
    expect(read).toEqual(['mail from worker-123']);
  });

  it('a member reads a mail and replies', async () => {
    const readAt = new Date(test.clock.now()).toISOString();
    expect(await calls.call('supervisor-456', 'mcp__mail__read', { mailId: sent })).toMatchObject({
      id: sent,
      isRead: true,
      readAt,
    });
    const answer = { originalMailId: sent, body: 'Take the other one' };
    const reply = await calls.call('supervisor-456', 'mcp__mail__reply', answer);
    expect(await calls.call('worker-123', 'mcp__mail__list_inbox', { includeRead: true, limit: 1 })).toMatchObject({
      mails: [{ id: reply.mailId, subject: 'Re: Task Blocked', inReplyTo: sent }],
    });
  });

  it('a member sees its own status, without its token', async () => {
    expect(await calls.call('worker-123', 'mcp__agent__get_status')).toEqual({
      id: 'worker-123',
      agent: null,
      type: 'WORKER',
      state: 'IDLE',
      supervisorId: 'supervisor-456',
      currentEpicId: null,
      currentTaskId: null,
      tmuxSessionName: null,
      lastActiveAt: new Date(test.clock.now()).toISOString(),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
  });

  it('a member sees its task and its epic', async () => {
    const { epics, tasks } = test.team;
    const epic = await epics.create(human, NewEpic.parse({ title: 'Users' }));
    const task = await tasks.create(
      human,
      NewTask.parse({ title: 'Login', epicId: epic.id, assigneeId: 'worker-123' }),
    );
    const own = await calls.call('worker-123', 'mcp__agent__get_task');
    expect(own).toMatchObject({ id: task.id, title: 'Login', state: 'ASSIGNED', epicId: epic.id, prUrl: null });
    const whole = await calls.call('worker-123', 'mcp__agent__get_epic');
    expect(whole).toMatchObject({ id: epic.id, title: 'Users', linearIssueId: null, completedAt: null });
    await tasks.assign({ kind: 'human' }, { taskId: task.id, agentId: null });
  });

  const draft = { subject: 's', body: 'b' };
  const cases: [tool: string, why: string, who: string, input: () => unknown, code: string][] = [
    ['mcp__mail__list_inbox', 'an unknown field', 'worker-123', () => ({ agentId: 'x' }), 'INVALID_INPUT'],
    ['mcp__mail__list_inbox', 'too many', 'worker-123', () => ({ limit: 101 }), 'INVALID_INPUT'],
    ['mcp__mail__list_inbox', 'a broken cursor', 'worker-123', () => ({ cursor: 'no' }), 'INVALID_INPUT'],
    ['mcp__mail__read', 'no mail', 'worker-123', () => ({ mailId: 'mail-1' }), 'RESOURCE_NOT_FOUND'],
    ['mcp__mail__read', "another's mail", 'worker-123', () => ({ mailId: sent }), 'PERMISSION_DENIED'],
    ['mcp__mail__read', 'nothing named', 'worker-123', () => ({}), 'INVALID_INPUT'],
    ['mcp__mail__send', 'no recipient', 'worker-123', () => draft, 'INVALID_INPUT'],
    [
      'mcp__mail__send',
      'two recipients',
      'worker-123',
      () => ({ ...draft, toAgentId: 'a', toHuman: true }),
      'INVALID_INPUT',
    ],
    [
      'mcp__mail__send',
      'an unknown recipient',
      'worker-123',
      () => ({ ...draft, toAgentId: 'a' }),
      'RESOURCE_NOT_FOUND',
    ],
    [
      'mcp__mail__send',
      'a forged sender',
      'worker-123',
      () => ({ ...draft, toHuman: true, fromAgentId: 'a' }),
      'INVALID_INPUT',
    ],
    [
      'mcp__mail__send',
      'a key that is too long',
      'worker-123',
      () => ({ ...draft, toHuman: true, idempotencyKey: 'k'.repeat(201) }),
      'INVALID_INPUT',
    ],
    [
      'mcp__mail__reply',
      'no mail',
      'worker-123',
      () => ({ originalMailId: 'mail-1', body: 'b' }),
      'RESOURCE_NOT_FOUND',
    ],
    [
      'mcp__mail__reply',
      "another's mail",
      'worker-123',
      () => ({ originalMailId: sent, body: 'b' }),
      'PERMISSION_DENIED',
    ],
    ['mcp__mail__reply', 'no body', 'worker-123', () => ({ originalMailId: sent }), 'INVALID_INPUT'],
    ['mcp__agent__get_status', 'an unknown field', 'worker-123', () => ({ id: 'x' }), 'INVALID_INPUT'],
    ['mcp__agent__get_task', 'a supervisor', 'supervisor-456', () => ({}), 'INVALID_AGENT_STATE'],
    ['mcp__agent__get_task', 'an orchestrator', 'orchestrator-1', () => ({}), 'INVALID_AGENT_STATE'],
    ['mcp__agent__get_task', 'no task', 'worker-123', () => ({}), 'INVALID_AGENT_STATE'],
    ['mcp__agent__get_epic', 'no task', 'worker-123', () => ({}), 'INVALID_AGENT_STATE'],
    ['mcp__agent__get_epic', 'no epic', 'supervisor-456', () => ({}), 'INVALID_AGENT_STATE'],
    ['mcp__system__log_decision', 'no body', 'worker-123', () => ({ title: 't' }), 'INVALID_INPUT'],
    ['mcp__mail__no_such_tool', 'no such tool', 'worker-123', () => ({}), 'TOOL_NOT_FOUND'],
    ['mcp__system__no_such_tool', 'a name no rule allows', 'worker-123', () => ({}), 'PERMISSION_DENIED'],
    ['mcp__orchestrator__create_task', 'a name its rules deny', 'worker-123', () => ({}), 'PERMISSION_DENIED'],
    ['mcp__supervisor__stop_worker', 'a worker', 'worker-123', () => ({ agentId: 'x' }), 'PERMISSION_DENIED'],
  ];
  it.each(cases)('%s with %s is rejected', async (tool, _, who, input, code) => {
    const before = await test.parts.store.deliveries.count();
    expect(await calls.codeOf(who, tool, input())).toBe(code);
    expect(await test.parts.store.deliveries.count()).toEqual(before);
  });

  it('a mail without a recipient is rejected with the documented message', async () => {
    await expect(calls.call('worker-123', 'mcp__mail__send', draft)).rejects.toThrow(
      'INVALID_INPUT: Must specify either `toAgentId` or `toHuman: true`',
    );
  });

  it.each([
    ['the input', (input: object) => [{ ...input, idempotencyKey: 'in-input' }, undefined] as const],
    ['the request', (input: object) => [input, 'in-request'] as const],
  ])('a key in %s has one effect, however often it is sent', async (_, withKey) => {
    const writes: [tool: string, input: object][] = [
      ['mcp__mail__send', { toHuman: true, subject: 'once', body: 'b' }],
      ['mcp__system__log_decision', { title: 'once', body: 'b' }],
    ];
    for (const [index, [tool, given]] of writes.entries()) {
      const [input, key] = withKey(given);
      const keyed = 'idempotencyKey' in input ? { ...input, idempotencyKey: `${input.idempotencyKey}${index}` } : input;
      const sends = Array.from({ length: 10 }, () =>
        calls.call('worker-123', tool, keyed, key === undefined ? undefined : `${key}${index}`),
      );
      const answers = await Promise.all(sends);
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size, tool).toBe(1);
    }
  });

  it('each key left exactly one mail and one entry', async () => {
    const { items } = await test.parts.store.mailbox({ toAgentId: null, includeRead: true, limit: 100 });
    expect(items.filter(({ subject }) => subject === 'once')).toHaveLength(2);
    const { entries } = await test.parts.decisions.page({ kind: 'manual', limit: 100 });
    expect(entries.filter(({ decision }) => decision === 'once')).toHaveLength(2);
  });

  it('have true annotations, and take a key if they write', () => {
    const facts = calls.pipeline.tools
      .list()
      .filter(({ name }) => /^mcp__(?:mail|agent|system)__/.test(name))
      .map(({ name, annotations: { readOnlyHint, idempotentHint }, keepsKeys, isForMembers, inputSchema }) => [
        name,
        {
          readOnlyHint,
          idempotentHint,
          keepsKeys,
          isForMembers,
          hasKey: Object.hasOwn(inputSchema.properties ?? {}, 'idempotencyKey'),
        },
      ]);
    const reading = { readOnlyHint: true, idempotentHint: true, keepsKeys: false, isForMembers: true, hasKey: false };
    const writing = { readOnlyHint: false, idempotentHint: false, keepsKeys: true, isForMembers: true, hasKey: true };
    expect(Object.fromEntries(facts)).toEqual({
      mcp__mail__list_inbox: reading,
      mcp__mail__read: { ...writing, idempotentHint: true },
      mcp__mail__read_thread: { ...writing, idempotentHint: true },
      mcp__mail__send: writing,
      mcp__mail__reply: writing,
      mcp__agent__get_status: reading,
      mcp__agent__get_task: reading,
      mcp__agent__get_epic: reading,
      mcp__system__log_decision: writing,
    });
  });
});
