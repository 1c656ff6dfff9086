import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { connectV1, connectV2, type McpTarget, type McpTestClient } from '../support/clients/mcp-clients.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

let served: TestHub;
let tokens: Record<string, string>;

beforeAll(async () => {
  served = await serveTestHub({ toml: '[agents.finder]\ntools = ["search"]\nsystem_prompt = "You find things."\n' });
  tokens = {};
  for (const member of [
    { id: 'lead', type: 'SUPERVISOR' },
    { id: 'planner', type: 'ORCHESTRATOR' },
    { id: 'worker', type: 'WORKER', agent: 'finder', supervisorId: 'lead' },
  ]) {
    const { body } = await served.call<{ token: string }>('POST', '/api/team/members', { body: member });
    tokens[member.id] = body.token;
  }
});
afterAll(() => served.end());

/** The tools of its type and of its agent's scope. */
const ofWorker = [
  'mcp__agent__get_epic',
  'mcp__agent__get_status',
  'mcp__agent__get_task',
  'mcp__mail__list_inbox',
  'mcp__mail__read',
  'mcp__mail__reply',
  'mcp__mail__send',
  'mcp__system__log_decision',
  'mcp__task__add_comment',
  'mcp__task__update_status',
  'search',
];

function target(member?: string): McpTarget {
  const url = `${served.server.url}/mcp`;
  return member === undefined ? { url } : { url, token: tokens[member] ?? '' };
}

const clients: [string, (target: McpTarget) => Promise<McpTestClient>][] = [
  ['an SDK v1 client', connectV1],
  ['an SDK v2 client with sessions', (to) => connectV2(to, 'legacy')],
  ['an SDK v2 client of 2026-07-28', (to) => connectV2(to, { pin: '2026-07-28' })],
];

describe.each(clients)('%s with a member\u2019s token', (_, connect) => {
  test('lists exactly the tools the member may call, and calls them', async () => {
    const client = await connect(target('worker'));
    try {
      expect((await client.toolNames()).sort()).toEqual(ofWorker);
      expect(await client.promptNames()).toEqual(['finder']);
      expect((await client.promptTexts('finder')).join('')).toContain('You find things.');
      const status = await client.call('mcp__agent__get_status', {});
      expect(status.structuredContent).toMatchObject({ id: 'worker', type: 'WORKER' });
      const sent = await client.call('mcp__mail__send', { toAgentId: 'lead', subject: 'Hi', body: 'there' });
      expect(sent.isError).toBeUndefined();
    } finally {
      await client.close();
    }
  });

  test('cannot call other tools or their aliases, and gets the error codes of the team', async () => {
    const client = await connect(target('worker'));
    try {
      const codes: unknown[] = [];
      for (const [name, input] of [
        ['mcp__task__create', { title: 'a' }],
        ['mcp__orchestrator__create_task', {}],
        ['mcp__nothing__here', {}],
        ['mcp__mail__burn', {}],
        ['mcp__mail__send', { subject: 'a', body: 'b' }],
        ['mcp__mail__read', { mailId: 'mail-none' }],
        ['mcp__task__update_state', { status: 'REVIEW' }],
      ] as const) {
        const { isError, content } = await client.call(name, input);
        expect(isError).toBe(true);
        codes.push(JSON.parse(content[0]?.text ?? '').code);
      }
      expect(codes).toEqual([
        'PERMISSION_DENIED',
        'PERMISSION_DENIED',
        'PERMISSION_DENIED',
        'TOOL_NOT_FOUND',
        'INVALID_INPUT',
        'RESOURCE_NOT_FOUND',
        'INVALID_AGENT_STATE',
      ]);
    } finally {
      await client.close();
    }
  });
});

test('search by meaning without embeddings is a caller error on every surface, and sends no mail', async () => {
  const input = { query: 'x', mode: 'semantic' };
  const asWorker = await connectV1(target('worker'));
  const asAnybody = await connectV1(target());
  const before = await allMail();
  try {
    const answers = [await asWorker.call('search', input), await asAnybody.call('search', input)];
    const bodies = answers.map(({ content }) => JSON.parse(content[0]?.text ?? ''));
    expect(bodies.map(({ code }) => code)).toEqual(['INVALID_INPUT', 'EMBEDDINGS_DISABLED']);
    const executed = await served.call('POST', '/mcp/execute', {
      body: { agentId: 'worker', toolName: 'search', input },
      headers: { authorization: `Bearer ${tokens.worker}` },
    });
    expect(executed).toMatchObject({ status: 400, body: { error: { code: 'INVALID_INPUT' } } });
    const messages = [...bodies.map(({ message }) => message), executed.body.error.message];
    for (const message of messages) expect(message).toContain('Set [embedding] provider = "local"');
    expect(await allMail()).toEqual(before);
  } finally {
    await Promise.all([asWorker.close(), asAnybody.close()]);
  }
});

test('calling an agent without a model is a caller error, and sends no mail', async () => {
  const other = await serveTestHub({
    toml: `[agents.writer]
mode = "autonomous"
system_prompt = "You write."

[agents.finder]
tools = ["agent__writer"]
system_prompt = "You find things."
`,
  });
  try {
    const worker = { id: 'worker', type: 'WORKER', agent: 'finder' };
    const { body } = await other.call<{ token: string }>('POST', '/api/team/members', { body: worker });
    const answer = await other.call('POST', '/mcp/execute', {
      body: { toolName: 'agent__writer', input: { message: 'Hello' } },
      headers: { authorization: `Bearer ${body.token}` },
    });
    const message = expect.stringContaining('Agent "writer" names no model. Set its model');
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_INPUT', message } } });
    const mail = await other.call<{ threads: unknown[] }>('GET', '/api/mail?all=true');
    expect(mail.body.threads).toEqual([]);
  } finally {
    await other.end();
  }
});

test('a supervisor sees every tool under one name', async () => {
  const client = await connectV1(target('lead'));
  const names = await client.toolNames();
  await client.close();
  expect(names).toHaveLength(new Set(names).size);
  expect(names).toContain('mcp__supervisor__create_worker');
  expect(names).not.toContain('mcp__task__update_state');
  expect(names).toHaveLength(35);
});

test('without a token a client sees the tools of the hub, but none of the team\u2019s', async () => {
  const client = await connectV1(target());
  expect(await client.toolNames()).toHaveLength(10);
  const { content } = await client.call('mcp__mail__list_inbox', {});
  expect(JSON.parse(content[0]?.text ?? '')).toMatchObject({ code: 'PERMISSION_DENIED' });
  await client.close();
});

test('an invalid token, another scheme, or a token with an agent is rejected', async () => {
  const send = (headers: Record<string, string>, query = '') =>
    served.call<{ error: { message: string } }>('POST', `/mcp${query}`, {
      body: { jsonrpc: '2.0', id: 1, method: 'ping' },
      headers: { accept: 'application/json, text/event-stream', ...headers },
      isAnonymous: true,
    });
  expect((await send({ authorization: 'Bearer zoo_nothing' })).status).toBe(403);
  expect((await send({ authorization: 'Basic abc' })).status).toBe(403);
  expect((await send({ authorization: `Bearer ${tokens.worker}` }, '?agent=finder')).status).toBe(400);
  expect((await send({}, '?member=worker')).status).toBe(403);
});

test('a member can be named in the address while no token exists', async () => {
  const other = await serveTestHub({ agents: [defineAgent({ name: 'a' })] });
  try {
    await other.call('POST', '/api/team/members', { body: { id: 'w', withToken: false } });
    const client = await connectV1({ url: `${other.server.url}/mcp?member=w` });
    expect(await client.toolNames()).toContain('mcp__mail__send');
    await other.call('POST', '/api/team/members/w/token');
    await expect(client.toolNames()).rejects.toThrow(/token/i);
    await client.close().catch(() => {});
  } finally {
    await other.end();
  }
});

/** Returns all mail of the user and of each member. */
async function allMail(): Promise<unknown[]> {
  const { body } = await served.call<{ threads: unknown[] }>('GET', '/api/mail?all=true');
  return body.threads;
}
