import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { HubError } from '../../src/base/hub-error.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

const run = promisify(execFile);

interface ExecuteAnswer {
  success: boolean;
  data: Record<string, unknown> & { mails: Record<string, unknown>[] };
  error: { code: string; message: string; details: object };
  timestamp: string;
}

/** A tool that fails in any requested way, in the scope of the team's agents. */
let fault: () => Error = () => new Error('nothing was chosen');
const faulty = defineTool({
  name: 'faulty',
  description: 'Fails as the test wants.',
  input: z.strictObject({}),
  run: () => {
    throw fault();
  },
});

let served: TestHub;
beforeAll(async () => {
  served = await serveTestHub({
    anonymous: 'work',
    tools: [faulty],
    agents: [defineAgent({ name: 'helper', tools: ['faulty'] })],
  });
  for (const member of [
    { id: 'supervisor-456', type: 'SUPERVISOR' },
    { id: 'orchestrator-1', type: 'ORCHESTRATOR' },
    { id: 'worker-123', type: 'WORKER', supervisorId: 'supervisor-456', agent: 'helper' },
    { id: 'worker-2', type: 'WORKER' },
  ]) {
    const { status } = await served.call('POST', '/api/team/members', { body: { ...member, withToken: false } });
    expect(status).toBe(201);
  }
});
afterAll(() => served.end());

function execute(agentId: string, toolName: string, input: object = {}, more: object = {}) {
  return served.call<ExecuteAnswer>('POST', '/mcp/execute', { body: { agentId, toolName, input, ...more } });
}

/** The documented curl command, with the test's own port. */
async function curl(body: string): Promise<ExecuteAnswer> {
  const url = `http://localhost:${served.server.port}/mcp/execute`;
  const { stdout } = await run('curl', ['-s', '-X', 'POST', url, '-H', 'Content-Type: application/json', '-d', body]);
  return JSON.parse(stdout);
}

describe('the documented examples, as written', () => {
  test('a worker sends mail to its supervisor', async () => {
    const answer = await curl(`{
    "agentId": "worker-123",
    "toolName": "mcp__mail__send",
    "input": {
      "toAgentId": "supervisor-456",
      "subject": "Task Blocked",
      "body": "I need help unblocking this task"
    }
  }`);
    expect(answer).toEqual({
      success: true,
      data: { mailId: expect.stringMatching(/^mail/), timestamp: isoTime },
      timestamp: isoTime,
    });
  });

  test('the supervisor reads its inbox', async () => {
    const answer = await curl(`{
    "agentId": "supervisor-456",
    "toolName": "mcp__mail__list_inbox",
    "input": {}
  }`);
    expect(answer).toMatchObject({ success: true, data: { count: 1, unreadCount: 1 }, timestamp: isoTime });
    expect(answer.data.mails[0]).toMatchObject({
      fromAgentId: 'worker-123',
      fromAgentType: 'WORKER',
      subject: 'Task Blocked',
      body: 'I need help unblocking this task',
      isRead: false,
      createdAt: isoTime,
      readAt: null,
    });
  });

  test('a worker logs a decision', async () => {
    const answer = await curl(`{
    "agentId": "worker-123",
    "toolName": "mcp__system__log_decision",
    "input": {
      "title": "Chose implementation approach",
      "body": "Decided to use Redis for caching instead of in-memory cache for better scalability"
    }
  }`);
    expect(answer).toMatchObject({ success: true, data: { logId: expect.any(String), timestamp: isoTime } });
    const { entries } = await served.hub.decisions.page({ agentId: 'worker-123', kind: 'manual' });
    expect(entries).toMatchObject([
      {
        decision: 'Chose implementation approach',
        reasoning: 'Decided to use Redis for caching instead of in-memory cache for better scalability',
      },
    ]);
  });
});

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('the documented errors', () => {
  const long = 'x'.repeat(200_000);
  const all = ['supervisor-456', 'orchestrator-1', 'worker-123'];
  /** Tool, invalid input, caller: each is INVALID_INPUT. */
  const invalid: [string, object, string][] = [
    ['mcp__mail__list_inbox', { includeRead: 'yes' }, 'worker-123'],
    ['mcp__mail__read', {}, 'worker-123'],
    ['mcp__mail__send', { subject: 'a', body: 'b' }, 'worker-123'],
    ['mcp__mail__send', { toAgentId: 'supervisor-456', toHuman: true, subject: 'a', body: 'b' }, 'worker-123'],
    ['mcp__mail__send', { toHuman: true, subject: 'a', body: long }, 'worker-123'],
    ['mcp__mail__reply', { originalMailId: 'mail-1' }, 'worker-123'],
    ['mcp__agent__get_status', { agentId: 'worker-2' }, 'worker-123'],
    ['mcp__agent__get_task', { other: 1 }, 'worker-123'],
    ['mcp__agent__get_epic', { other: 1 }, 'worker-123'],
    ['mcp__system__log_decision', { title: '' }, 'worker-123'],
    ['mcp__task__create', { title: '' }, 'orchestrator-1'],
    ['mcp__task__assign', { taskId: 'task-1' }, 'orchestrator-1'],
    ['mcp__task__update_status', { status: 'DONE' }, 'worker-123'],
    ['mcp__task__update_state', { status: 'DONE' }, 'worker-123'],
    ['mcp__task__add_comment', {}, 'worker-123'],
    ['mcp__task__list', { state: 'DONE' }, 'orchestrator-1'],
    ['mcp__epic__create', {}, 'orchestrator-1'],
    ['mcp__epic__update_status', { epicId: 'e', status: 'DONE' }, 'orchestrator-1'],
    ['mcp__epic__list', { limit: 'many' }, 'orchestrator-1'],
    ['mcp__epic__list_tasks', { epicId: 7 }, 'orchestrator-1'],
    ['mcp__epic__get_review_queue', { epicId: 7 }, 'orchestrator-1'],
    ['mcp__epic__approve_task', {}, 'orchestrator-1'],
    ['mcp__epic__request_changes', { taskId: 'task-1' }, 'orchestrator-1'],
    ['mcp__orchestrator__list_members', { other: 1 }, 'supervisor-456'],
    ['mcp__orchestrator__check_health', { other: 1 }, 'supervisor-456'],
    ['mcp__orchestrator__recover', { other: 1 }, 'supervisor-456'],
    ['mcp__supervisor__create_worker', { type: 'KING' }, 'supervisor-456'],
    ['mcp__supervisor__stop_worker', {}, 'supervisor-456'],
  ];
  test.each(invalid)('%s rejects %j', async (tool, input, agentId) => {
    const { status, body } = await execute(agentId, tool, input);
    expect([status, body.success, body.error.code]).toEqual([400, false, 'INVALID_INPUT']);
    expect(body.error.message.length).toBeGreaterThan(10);
  });

  const missing: [string, object, string][] = [
    ['mcp__mail__read', { mailId: 'mail-none' }, 'worker-123'],
    ['mcp__mail__reply', { originalMailId: 'mail-none', body: 'b' }, 'worker-123'],
    ['mcp__mail__send', { toAgentId: 'nobody', subject: 'a', body: 'b' }, 'worker-123'],
    ['mcp__task__assign', { taskId: 'task-none', agentId: 'worker-2' }, 'orchestrator-1'],
    ['mcp__task__create', { title: 'a', epicId: 'epic-none' }, 'orchestrator-1'],
    ['mcp__task__update_status', { taskId: 'task-none', status: 'IN_PROGRESS' }, 'worker-123'],
    ['mcp__task__update_state', { taskId: 'task-none', status: 'IN_PROGRESS' }, 'worker-123'],
    ['mcp__task__add_comment', { taskId: 'task-none', body: 'b' }, 'worker-123'],
    ['mcp__epic__update_status', { epicId: 'epic-none', status: 'BLOCKED' }, 'orchestrator-1'],
    ['mcp__epic__list_tasks', { epicId: 'epic-none' }, 'orchestrator-1'],
    ['mcp__epic__approve_task', { taskId: 'task-none' }, 'orchestrator-1'],
    ['mcp__epic__request_changes', { taskId: 'task-none', comment: 'c' }, 'orchestrator-1'],
    ['mcp__supervisor__stop_worker', { agentId: 'nobody' }, 'supervisor-456'],
  ];
  test.each(missing)('%s does not find the target of %j', async (tool, input, agentId) => {
    const { status, body } = await execute(agentId, tool, input);
    expect(status).toBe(404);
    expect(['RESOURCE_NOT_FOUND', 'AGENT_NOT_FOUND']).toContain(body.error.code);
  });

  test("other members' mail and tools of other types are denied", async () => {
    const sent = await execute('worker-123', 'mcp__mail__send', { toAgentId: 'worker-2', subject: 'a', body: 'b' });
    const { mailId } = sent.body.data;
    for (const [tool, input] of [
      ['mcp__mail__read', { mailId }],
      ['mcp__mail__reply', { originalMailId: mailId, body: 'c' }],
      ['mcp__task__create', { title: 'a' }],
      ['mcp__task__assign', { taskId: 'a', agentId: 'b' }],
      ['mcp__task__list', {}],
      ['mcp__epic__list', {}],
      ['mcp__orchestrator__list_members', {}],
      ['mcp__supervisor__create_worker', {}],
      ['mcp__orchestrator__create_task', {}],
    ] as const) {
      const { status, body } = await execute('worker-123', tool, input);
      expect([tool, status, body.error.code]).toEqual([tool, 403, 'PERMISSION_DENIED']);
    }
    const { body } = await execute('worker-123', 'mcp__task__create', { title: 'a' });
    expect(body.error.message).toContain(`Tool 'mcp__task__create' is not allowed for agent type 'WORKER'`);
  });

  test.each(all)('an unknown tool and an unknown member are named: %s', async (agentId) => {
    const unknown = await execute(agentId, 'mcp__mail__burn');
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'TOOL_NOT_FOUND']);
    const nobody = await execute('nobody-1', 'mcp__mail__list_inbox');
    expect([nobody.status, nobody.body.error.code]).toEqual([404, 'AGENT_NOT_FOUND']);
  });

  test.each([
    ['worker-123', 'mcp__agent__get_task', 'current task'],
    ['supervisor-456', 'mcp__agent__get_task', 'WORKER'],
    ['orchestrator-1', 'mcp__agent__get_task', 'WORKER'],
    ['worker-123', 'mcp__agent__get_epic', 'current task'],
    ['supervisor-456', 'mcp__agent__get_epic', 'current epic'],
  ])('%s is in the wrong state for %s', async (agentId, tool, text) => {
    const { status, body } = await execute(agentId, tool);
    expect([status, body.error.code]).toEqual([409, 'INVALID_AGENT_STATE']);
    expect(body.error.message).toContain(text);
  });

  test('an invalid move is rejected, and the message lists the valid ones', async () => {
    const made = await execute('orchestrator-1', 'mcp__task__create', { title: 'A task' });
    const { id: taskId } = made.body.data;
    const { status, body } = await execute('orchestrator-1', 'mcp__task__update_status', {
      taskId,
      status: 'COMPLETED',
    });
    expect([status, body.error.code]).toEqual([409, 'INVALID_AGENT_STATE']);
    expect(body.error.message).toContain('ASSIGNED');
    for (const tool of ['mcp__epic__approve_task', 'mcp__epic__request_changes']) {
      const refused = await execute('orchestrator-1', tool, { taskId, comment: 'c' });
      expect([tool, refused.body.error.code]).toEqual([tool, 'INVALID_AGENT_STATE']);
    }
  });

  test.each([
    ['an unexpected failure', () => new TypeError('secret detail at /home/x'), 500, 'INTERNAL_ERROR'],
    ['a failure that may pass', () => new HubError('UNAVAILABLE', 'The file is locked.'), 503, 'TRANSIENT_ERROR'],
  ])('%s has its code and no stack', async (_, error, expected, code) => {
    fault = error;
    const { status, body, text } = await execute('worker-123', 'faulty');
    expect([status, body.error.code]).toEqual([expected, code]);
    expect(text).not.toMatch(/secret detail|\bat .*\.ts/);
  });

  test.each([
    ['no JSON', '{', 400],
    ['no object', '[]', 400],
    ['no tool', '{"agentId":"worker-123"}', 400],
    ['a tool that is no text', '{"agentId":"worker-123","toolName":7}', 400],
    ['a field too many', '{"agentId":"worker-123","toolName":"a","inputs":{}}', 400],
    ['no agentId', '{"toolName":"mcp__mail__list_inbox"}', 400],
    ['an input that is no object', '{"agentId":"worker-123","toolName":"mcp__mail__list_inbox","input":7}', 400],
  ])('a body with %s is rejected', async (_, body, expected) => {
    const answer = await served.call<ExecuteAnswer>('POST', '/mcp/execute', { body });
    expect([answer.status, answer.body.success, answer.body.error.code]).toEqual([expected, false, 'INVALID_INPUT']);
  });

  test('another method or content type is rejected in the same format', async () => {
    expect((await served.call('GET', '/mcp/execute')).status).toBe(405);
    const headers = { 'content-type': 'text/plain' };
    expect((await served.call('POST', '/mcp/execute', { body: '{}', headers })).status).toBe(415);
  });
});

describe('the log', () => {
  beforeEach(() => {
    fault = () => new TypeError('the disk is on fire');
  });

  test('has the three automatic records in the documented words', async () => {
    const answer = await execute('worker-2', 'mcp__mail__send', { toHuman: true, subject: 'Hi', body: 'there' });
    const { entries } = await served.hub.decisions.page({ agentId: 'worker-2', tool: 'mcp__mail__send', limit: 2 });
    expect(entries.map(({ decision, reasoning, context }) => [decision, reasoning, JSON.parse(context)])).toEqual([
      ['Tool result: mcp__mail__send', 'Automatic tool result log', answer.body.data],
      [
        'Invoked tool: mcp__mail__send',
        'Automatic tool invocation log',
        { toHuman: true, subject: 'Hi', body: 'there' },
      ],
    ]);
    await execute('worker-123', 'faulty');
    const failed = await served.hub.decisions.page({ agentId: 'worker-123', tool: 'faulty', limit: 1 });
    expect(failed.entries).toMatchObject([{ decision: 'Tool error: faulty', reasoning: 'Automatic tool error log' }]);
    const context = JSON.parse(failed.entries[0]?.context ?? '');
    expect(context).toMatchObject({
      message: 'the disk is on fire',
      stack: expect.stringContaining('factory-factory'),
    });
  });

  test('does not show stacks over HTTP', async () => {
    await execute('worker-123', 'faulty');
    const { text, status } = await served.call('GET', '/api/decisions?agentId=worker-123&kind=error');
    expect(status).toBe(200);
    expect(text).toContain('the disk is on fire');
    expect(text).not.toContain('factory-factory');
  });
});

describe('the mail about a failure', () => {
  test('carries the stack trace for the user, and no answer to a member does', async () => {
    fault = () => new TypeError('the roof is on fire');
    const alone = { id: 'worker-alone', type: 'WORKER', agent: 'helper', withToken: false };
    await served.call('POST', '/api/team/members', { body: alone });
    const answer = await execute('worker-alone', 'faulty');
    const supervised = await execute('worker-123', 'faulty');
    const read = await execute('supervisor-456', 'mcp__mail__list_inbox');
    for (const { text } of [answer, supervised, read]) expect(text).not.toMatch(/\bat .*factory-factory/);
    expect(read.text).toContain('Tool failed: faulty (INTERNAL_ERROR)');
    const { mails } = await served.hub.team.mail.inbox({ kind: 'human' });
    const mail = mails.find(({ fromAgentId }) => fromAgentId === 'worker-alone');
    expect(mail?.body).toMatch(/Trace:\n```\nTypeError: the roof is on fire\n {4}at .*factory-factory\.test\.ts/);
  });
});

test('a repeated key sends nothing and returns the first answer', async () => {
  const input = { toAgentId: 'orchestrator-1', subject: 'Once', body: 'only' };
  const first = await execute('worker-2', 'mcp__mail__send', input, { idempotencyKey: 'key-1' });
  const inside = await execute('worker-2', 'mcp__mail__send', { ...input, idempotencyKey: 'key-1' });
  const again = await execute('worker-2', 'mcp__mail__send', input, { idempotencyKey: 'key-1' });
  expect(again.body.data).toEqual(first.body.data);
  expect(inside.body.data).toEqual(first.body.data);
  const other = await execute('worker-2', 'mcp__mail__send', { ...input, body: 'x' }, { idempotencyKey: 'key-1' });
  expect(other.body.error.code).toBe('INVALID_INPUT');
  const { body } = await execute('orchestrator-1', 'mcp__mail__list_inbox');
  expect(body.data.mails.filter(({ subject }) => subject === 'Once')).toHaveLength(1);
});
