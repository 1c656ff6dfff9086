import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { newTestDatabase, type TestDatabase, usualDatabaseKinds } from '../support/databases/test-database.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

interface Answer {
  success: boolean;
  data: Record<string, unknown>;
  error: { code: string; message: string };
}

/** Attacks by a member, or by a caller who poses as one. */
describe.each(usualDatabaseKinds)('a team on %s with a hostile member', (kind) => {
  let database: TestDatabase;
  let served: TestHub;
  const tokens = new Map<string, string>();

  beforeAll(async () => {
    database = await newTestDatabase(kind);
    served = await serveTestHub({ db: database.db, agents: [defineAgent({ name: 'helper', tools: ['search'] })] });
    await add({ id: 'lead', type: 'SUPERVISOR' });
    await add({ id: 'worker', supervisorId: 'lead', agent: 'helper' });
    await add({ id: 'other', supervisorId: 'lead' });
  });
  afterAll(async () => {
    await served.end();
    await database.remove();
  });

  async function add(member: { id: string; type?: string; supervisorId?: string; agent?: string }): Promise<void> {
    const { body } = await served.call<{ token: string }>('POST', '/api/team/members', { body: member });
    tokens.set(member.id, body.token);
  }

  function execute(agentId: string, toolName: string, input: object = {}, more: object = {}) {
    const headers = { authorization: `Bearer ${tokens.get(agentId)}` };
    return served.call<Answer>('POST', '/mcp/execute', { body: { agentId, toolName, input, ...more }, headers });
  }

  async function newestRow() {
    const { entries } = await served.hub.decisions.page({ limit: 1 });
    return entries[0];
  }

  test.each([
    ['NUL', 'a\0b'],
    ['a lone surrogate', 'a\ud800b'],
  ])('a taskId with %s neither stops the log nor breaks its chain', async (_, taskId) => {
    const { status, body } = await execute('worker', 'mcp__task__add_comment', { taskId, body: 'x' });
    expect([status, body.error.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
    expect(await newestRow()).toMatchObject({ kind: 'error', agentId: 'worker', tool: 'mcp__task__add_comment' });
    expect((await served.hub.decisions.verify()).problems).toEqual([]);
  });

  const callStatus = {
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name: 'mcp__agent__get_status', arguments: {} },
  };

  test.each([
    ['an unknown token over MCP', '/mcp', 'nobody', callStatus, 403, null],
    ["another member's id next to a token over MCP", '/mcp?member=worker', 'other', callStatus, 403, 'other'],
    ['an id without a token over MCP', '/mcp?member=worker', undefined, callStatus, 403, null],
    ['an unknown agent over MCP', '/mcp?agent=nothing', undefined, callStatus, 404, null],
    ['an unknown token over HTTP', '/tools/mcp__agent__get_status', 'nobody', {}, 403, null],
    ['an agent next to a token over HTTP', '/tools/mcp__agent__get_status?agent=helper', 'other', {}, 400, 'other'],
    ['an unknown agent over HTTP', '/tools/mcp__agent__get_status?agent=nothing', undefined, {}, 404, null],
  ])('a call with %s is rejected and logged', async (_, path, token, body, status, agentId) => {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (token !== undefined) headers.authorization = `Bearer ${tokens.get(token) ?? token}`;
    const before = await newestRow();
    const answer = await served.call('POST', path, { body, headers, isAnonymous: true });
    expect(answer.status).toBe(status);
    const row = await newestRow();
    expect(row?.seq).toBeGreaterThan(before?.seq ?? 0);
    // A route refuses an unknown sender before it looks at the call.
    const logged =
      token === 'nobody' && path.startsWith('/tools/')
        ? { kind: 'act', tool: 'POST /tools/{name}', decision: expect.stringContaining('mcp__agent__get_status') }
        : { kind: 'error', tool: 'mcp__agent__get_status' };
    expect(row).toMatchObject({ ...logged, agentId });
  });

  test('a tool for members only tells other callers how to create a member', async () => {
    const { body } = await served.call('POST', '/tools/mcp__mail__send', { body: {} });
    expect(body.error.message).toContain('"zoo team add" creates one');
  });

  test("a new member with a former member's id gets none of its stored replies", async () => {
    await add({ id: 'guest' });
    const input = { toAgentId: 'guest', subject: 'Plan', body: 'for the first guest' };
    const { body: sent } = await execute('lead', 'mcp__mail__send', input);
    const read = () => execute('guest', 'mcp__mail__read', { mailId: sent.data.mailId }, { idempotencyKey: 'read-1' });
    expect((await read()).body.data.body).toBe('for the first guest');
    await served.call('DELETE', '/api/team/members/guest');
    await add({ id: 'guest' });
    expect((await read()).body.error.code).toBe('PERMISSION_DENIED');
  });

  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };

  async function beginSession(member: string): Promise<string> {
    const headers = { accept: 'application/json', authorization: `Bearer ${tokens.get(member)}` };
    const answer = await served.call('POST', '/mcp', { body: initialize, headers });
    return answer.headers.get('mcp-session-id') ?? '';
  }

  async function continueSession(member: string, session: string): Promise<number> {
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${tokens.get(member)}`,
      'mcp-session-id': session,
    };
    return (await served.call('POST', '/mcp', { body: callStatus, headers })).status;
  }

  test('a session belongs to the member that started it, not to a later member with the same id', async () => {
    await add({ id: 'visitor' });
    const session = await beginSession('visitor');
    expect(await continueSession('visitor', session)).toBe(200);
    expect(await continueSession('other', session)).toBe(404);
    await served.call('DELETE', '/api/team/members/visitor');
    expect(await continueSession('visitor', session)).toBe(403);
    await add({ id: 'visitor' });
    expect(await continueSession('visitor', session)).toBe(404);
  });

  test.each([
    ['its token is revoked', 'DELETE', '/api/team/members/listener/token'],
    ['its token is renewed', 'POST', '/api/team/members/listener/token'],
    ['it is removed', 'DELETE', '/api/team/members/listener'],
  ])("a member's stream ends when %s", async (_, method, path) => {
    await add({ id: 'listener' });
    const stream = await fetch(`${served.server.url}/mcp`, {
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${tokens.get('listener')}`,
        'mcp-session-id': await beginSession('listener'),
      },
    });
    expect(stream.status).toBe(200);
    await served.call(method, path);
    // Resolves when the stream ends.
    await stream.text();
    await served.call('DELETE', '/api/team/members/listener');
  });

  test('an open stream does not revive a member marked as failed', async () => {
    await add({ id: 'listener' });
    const ending = new AbortController();
    const open = async () =>
      fetch(`${served.server.url}/mcp`, {
        headers: {
          accept: 'text/event-stream',
          authorization: `Bearer ${tokens.get('listener')}`,
          'mcp-session-id': await beginSession('listener'),
        },
        signal: ending.signal,
      });
    expect((await open()).status).toBe(200);
    const state = async () => (await served.hub.team.members.get('listener')).state;
    await served.call('PATCH', '/api/team/members/listener', { body: { state: 'FAILED' } });
    // Each change makes the hub check open streams again, which must not revive the member.
    for (const type of ['SUPERVISOR', 'WORKER']) {
      await served.call('PATCH', '/api/team/members/listener', { body: { type } });
      await new Promise(setImmediate);
      expect(await state()).toBe('FAILED');
    }
    ending.abort();
    await served.call('DELETE', '/api/team/members/listener');
  });

  test('an authentication error explains how to send the token', async () => {
    const body = { agentId: 'worker', toolName: 'mcp__agent__get_status' };
    const { body: answer } = await served.call<Answer>('POST', '/mcp/execute', { body, isAnonymous: true });
    expect(answer.error.message).toContain('in the Authorization header');
    expect(answer.error.message).not.toContain('[removed]');
  });

  test.each(['agentId', 'tool'])('a log query with NUL in %s is a bad request', async (field) => {
    const period = 'since=2026-01-01&until=2026-01-02&step=60';
    for (const path of [`/api/decisions/counts?${period}&${field}=%00`, `/api/decisions?${field}=%00`]) {
      const { status, body } = await served.call('GET', path);
      expect([status, body.error.message]).toEqual([400, `Query: ${field}: must not contain a NUL character`]);
    }
  });
});

test('a tool with the name of a team tool blocks members only while it is registered', async () => {
  const served = await serveTestHub();
  const impostor = defineTool({ name: 'mcp__mail__send', description: 'x', input: z.object({}), run: () => ({}) });
  const unregister = served.hub.tools.register(impostor);
  await served.call('POST', '/api/team/members', { body: { id: 'worker', withToken: false } });
  const execute = () =>
    served.call<Answer>('POST', '/mcp/execute', { body: { agentId: 'worker', toolName: 'mcp__agent__get_status' } });
  const { body } = await execute();
  expect(body.error.message).toContain('Two tools are called "mcp__mail__send"');
  unregister();
  expect((await execute()).status).toBe(200);
  await served.end();
});
