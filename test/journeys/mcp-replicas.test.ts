import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createAgent, updateAgent } from '../../src/agents/edit-agents.ts';
import { installationKeys } from '../../src/base/installation-keys.ts';
import { ownerSecret } from '../../src/callers/credentials.ts';
import { defineTool, type Tool, type ToolContext } from '../../src/tools/tool.ts';
import {
  type AskedClient,
  type AskingClient,
  askingClientV1,
  askingClientV2,
} from '../support/clients/asking-clients.ts';
import { initialize, message, readEvents, send } from '../support/clients/raw-mcp.ts';
import { openPostgresPooler } from '../support/databases/postgres-pooler.ts';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../support/databases/test-database.ts';
import { envelope, listOf, type RpcAnswer } from '../support/hubs/mcp-hub.ts';
import { type McpReplica, startMcpReplica } from '../support/hubs/mcp-replica.ts';
import { type RoundRobinProxy, startRoundRobinProxy } from '../support/hubs/round-robin-proxy.ts';
import { serveTestHub, type TestHub, type TestHubOptions } from '../support/hubs/serve-test-hub.ts';
import type { ModelServerOptions } from '../support/models/model-server.ts';
import { type FlightDesk, openFlightDesk, paris } from '../support/tools/book-flight.ts';

type ModelScript = NonNullable<ModelServerOptions['script']>;

/** Hubs in this process that share a database, as processes on several machines would. */
const env = { AGENT_ZOO_SECRET: 'the same secret on every machine' };

let database: TestDatabase;
let replicas: TestHub[];
/** What the tools do. Each test sets its own. */
let behave: (context: ToolContext, replica: number) => object | Promise<object>;

function toolOf(replica: number): Tool {
  const options = { name: 'act', description: 'Acts.', input: z.object({}) };
  return defineTool({ ...options, run: (_input, context) => behave(context, replica) });
}

async function startReplica(number: number, server?: TestHubOptions['server']): Promise<TestHub> {
  return serveTestHub({ db: database.db, env, anonymous: 'work', tools: [toolOf(number)], ...(server && { server }) });
}

function at(replica: number, query = ''): string {
  const hub = replicas[replica];
  if (!hub) throw new Error(`There is no replica ${replica}.`);
  return `${hub.server.url}/mcp${query}`;
}

function hubAt(replica: number): TestHub['hub'] {
  const found = replicas[replica];
  if (!found) throw new Error(`There is no replica ${replica}.`);
  return found.hub;
}

const call = (id: string | number = 1, extra: object = {}) => message('tools/call', { name: 'act', ...extra }, id);

const listen = (replica: number, session: Record<string, string>, lastEventId?: string) =>
  fetch(at(replica), {
    headers: { ...session, accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) },
  });

/** Collects the notifications of a stream. */
function collect(response: Response) {
  const methods: string[] = [];
  const stream = readEvents(response);
  const ended = (async () => {
    for (let event = await stream.next(); event; event = await stream.next())
      if (event.data?.method) methods.push(event.data.method.replace('notifications/', ''));
  })();
  return { methods, ended, count: (method: string) => methods.filter((each) => each === method).length };
}

/** Reads the next event that has a message. */
async function nextMessage(stream: ReturnType<typeof readEvents>): Promise<RpcAnswer> {
  for (;;) {
    const event = await stream.next();
    if (!event) throw new Error('The stream has ended.');
    if (event.data) return event.data;
  }
}

describe.each(databaseKinds)('two replicas on %s', (kind) => {
  beforeEach(async () => {
    database = await newTestDatabase(kind);
    behave = (_context, replica) => ({ replica });
    replicas = await Promise.all([startReplica(0), startReplica(1)]);
  });

  afterEach(async () => {
    await Promise.all(replicas.map((replica) => replica.end()));
    await database.remove();
  });

  test('continue a session of the other, and end it for both', async () => {
    const session = await initialize(at(0), '2025-06-18');
    expect((await send(at(1), { jsonrpc: '2.0', method: 'notifications/initialized' }, session)).status).toBe(202);
    for (let count = 0; count < 12; count += 1) {
      const reply = await send(at(count % 2), call(count), session);
      expect(await reply.json()).toMatchObject({
        id: count,
        result: { content: [{ text: `{"replica":${count % 2}}` }] },
      });
    }
    expect((await fetch(at(1), { method: 'DELETE', headers: session })).status).toBe(204);
    expect((await send(at(0), message('ping'), session)).status).toBe(404);
    const refused = await send(at(1), message('ping'), session);
    expect(await refused.json()).toMatchObject({
      error: { code: -32001, message: expect.stringContaining('initialize') },
    });
  });

  test('refuse the session of another caller or address, and one that was changed', async () => {
    const key = async (name: string) => {
      const made = await hubAt(0).callers.createKey({ name });
      return { authorization: `Bearer ${made.secret}` };
    };
    const [one, other] = [await key('one'), await key('other')];
    await createAgent(hubAt(0), { id: 'clerk', name: 'Clerk' });
    const session = await initialize(at(0), '2025-11-25', {}, one);
    const token = session['mcp-session-id'] ?? '';
    const statuses = async (headers: Record<string, string>, query = '') =>
      Promise.all([0, 1].map(async (replica) => (await send(at(replica, query), message('ping'), headers)).status));
    expect(await statuses({ ...session, ...other })).toEqual([404, 404]);
    const { authorization: _key, ...anonymous } = session;
    expect(await statuses(anonymous)).toEqual([404, 404]);
    expect(await statuses(session, '?agent=clerk')).toEqual([404, 404]);
    for (const changed of [`${token}A`, `x${token}`, token.replace('.', ''), token.split('.')[0] ?? '', 'nonsense'])
      expect(await statuses({ ...session, 'mcp-session-id': changed })).toEqual([404, 404]);
    expect(await statuses(session)).toEqual([200, 200]);
  });

  test('pass on the reply to a question and a cancellation to the one that runs the call', async () => {
    behave = async ({ client }) => {
      client.progress(1);
      const elicited = await client.elicit({ message: 'Sure?' });
      const sampled = await client.sample({ messages: [], maxTokens: 1 });
      return { elicited, sampled };
    };
    const session = await initialize(at(0), '2025-06-18', { elicitation: {}, sampling: {} });
    const stream = readEvents(await send(at(0), call(5, { _meta: { progressToken: 7 } }), session));
    expect(await nextMessage(stream)).toMatchObject({ method: 'notifications/progress', params: { progressToken: 7 } });
    for (const [method, result] of [
      ['elicitation/create', { action: 'accept' }],
      ['sampling/createMessage', { role: 'assistant', model: 'm', content: { type: 'text', text: 'é \0 “x”' } }],
    ] as const) {
      const question = await nextMessage(stream);
      expect(question).toMatchObject({ method });
      expect((await send(at(1), { jsonrpc: '2.0', id: question.id, result }, session)).status).toBe(202);
    }
    const answer = await nextMessage(stream);
    expect(JSON.stringify(answer.result)).toContain('“x”');

    const started = Promise.withResolvers<AbortSignal>();
    behave = async ({ signal }) => {
      started.resolve(signal);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return {};
    };
    const running = send(at(0), call('slow'), session);
    const signal = await started.promise;
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await send(at(1), { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } }, session);
    await aborted;
    await running;
  });

  test('send each notification once, wherever the stream is opened', async () => {
    await createAgent(hubAt(0), { id: 'clerk', name: 'Clerk' });
    const session = await initialize(at(0), '2025-06-18');
    await send(at(1), message('ping'), session);
    const rename = (name: string) => updateAgent(hubAt(0), 'clerk', { input: { name }, expectedRevision: null });
    // The first replica keeps this until a stream is open, and the second one asks for it.
    await rename('Missed');
    await send(at(0), message('prompts/list'), session);
    const stream = collect(await listen(1, session));
    await expect.poll(() => stream.methods).toEqual(['prompts/list_changed', 'resources/list_changed']);
    const uri = 'agent-zoo://agents/clerk';
    const subscribed = await send(at(0), message('resources/subscribe', { uri }), session);
    expect(await subscribed.json()).toMatchObject({ result: {} });
    // The other replica learns of the subscription soon afterwards.
    for (let count = 2; !stream.methods.includes('resources/updated'); count += 1) {
      await rename(`Seen ${count}`);
      await expect.poll(() => stream.count('resources/list_changed')).toBe(count);
      expect(stream.count('prompts/list_changed')).toBe(count);
    }
    // The stream moves back. Nothing that was sent is sent again.
    const back = collect(await listen(0, session));
    await stream.ended;
    hubAt(0).tools.register(defineTool({ name: 'new', description: 'New.', input: z.object({}), run: () => ({}) }));
    await expect.poll(() => back.methods).toEqual(['tools/list_changed']);
  });

  test('keep the log level that the client has set at the other', async () => {
    behave = ({ client }) => {
      client.log('info', 'quiet');
      client.log('error', 'loud');
      return {};
    };
    const session = await initialize(at(0), '2025-06-18');
    await send(at(0), message('logging/setLevel', { level: 'error' }), session);
    const stream = readEvents(await send(at(1), call(), session));
    expect(await nextMessage(stream)).toMatchObject({ method: 'notifications/message', params: { level: 'error' } });
    await send(at(1), message('logging/setLevel', { level: 'info' }), session);
    await expect
      .poll(async () => (await nextMessage(readEvents(await send(at(0), call(), session)))).params?.level)
      .toBe('info');
  });

  test('resume the stream of a call that runs at the other, or has ended there', async () => {
    const gate = Promise.withResolvers<object>();
    behave = ({ client }) => {
      client.releaseConnection?.();
      return gate.promise;
    };
    const session = await initialize(at(0));
    const open = async (id: number) => {
      const stream = readEvents(await send(at(0), call(id, { _meta: { progressToken: id } }), session));
      const primed = await stream.next();
      expect(await stream.next()).toBeUndefined();
      return primed?.id ?? '';
    };
    const lastEventId = await open(9);
    const back = readEvents(await listen(1, session, lastEventId));
    gate.resolve({ ok: 1 });
    expect(await nextMessage(back)).toMatchObject({ id: 9, result: { content: [{ text: '{"ok":1}' }] } });
    expect(await back.next()).toBeUndefined();
    // Nobody reads this result before its replica has closed.
    const late = await open(10);
    await replicas[0]?.end();
    const again = readEvents(await listen(1, session, late));
    expect(await nextMessage(again)).toMatchObject({ id: 10, result: { content: [{ text: '{"ok":1}' }] } });
    replicas.splice(0, 1);
  });

  test('read the answers so far of a call in 2026-07-28, for the same caller only', async () => {
    behave = async ({ client }) => ({ name: await client.elicit({ message: 'Name?' }, { key: 'name' }) });
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'act' };
    const ask = async (replica: number, extra: object, more: Record<string, string> = {}): Promise<RpcAnswer> => {
      const params = { ...envelope({ elicitation: {} }), name: 'act', ...extra };
      return (await send(at(replica), message('tools/call', params), { ...headers, ...more })).json();
    };
    const first = await ask(0, {});
    const { requestState } = first.result ?? {};
    expect(first.result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
    const answered = { requestState, inputResponses: { name: { action: 'accept', content: { name: 'Ann' } } } };
    expect((await ask(1, answered)).result).toMatchObject({ resultType: 'complete' });
    const made = await hubAt(0).callers.createKey({ name: 'other' });
    const other = await ask(1, answered, { authorization: `Bearer ${made.secret}` });
    expect(other.error?.message).toContain('belongs to another call');
  });
});

describe('a replica that is killed', () => {
  let killed: McpReplica;

  beforeEach(async () => {
    database = await newTestDatabase('postgres');
    behave = (_context, replica) => ({ replica });
    [killed, ...replicas] = await Promise.all([startMcpReplica({ db: database.db, env }), startReplica(0)]);
  });

  afterEach(async () => {
    if (killed.child.exitCode === null && killed.child.signalCode === null) await killed.kill();
    await Promise.all(replicas.map((replica) => replica.end()));
  });

  test('leaves its sessions to the others, which say what is lost', async () => {
    const session = await initialize(`${killed.url}/mcp`);
    const own = readEvents(await fetch(`${killed.url}/mcp`, { headers: { ...session, accept: 'text/event-stream' } }));
    const lastOwn = (await own.next())?.id;
    const request = call('lost', { _meta: { progressToken: 1 } });
    const running = readEvents(await send(`${killed.url}/mcp`, request, session));
    await running.next();
    const progress = await running.next();
    expect(progress?.data).toMatchObject({ method: 'notifications/progress' });
    await killed.called;
    await killed.kill();

    const resumed = readEvents(await listen(0, session, progress?.id));
    expect(await nextMessage(resumed)).toMatchObject({
      id: 'lost',
      error: { message: expect.stringContaining('check before you repeat it'), data: { retryable: false } },
    });
    expect(await resumed.next()).toBeUndefined();
    // Nobody knows what has changed meanwhile.
    const stream = collect(await listen(0, session, lastOwn));
    const all = ['tools/list_changed', 'prompts/list_changed', 'resources/list_changed'];
    await expect.poll(() => stream.methods).toEqual(all);
    expect(await (await send(at(0), call('next'), session)).json()).toMatchObject({ id: 'next', result: {} });
  });
});

test('a session that has ended is unknown everywhere, also where changes are heard of late', async () => {
  database = await newTestDatabase('postgres');
  // No notice passes it, so each replica looks for changes every second.
  const pooler = await openPostgresPooler('url' in database.db ? database.db.url : '');
  pooler.mode = 'transaction';
  database = { ...database, db: { url: pooler.url } };
  behave = (_context, replica) => ({ replica });
  replicas = await Promise.all([startReplica(0), startReplica(1)]);
  try {
    for (const [first, second] of [[0, 1] as const, [1, 0] as const]) {
      const session = await initialize(at(first), '2025-06-18');
      for (const replica of [second, first]) expect((await send(at(replica), call(), session)).status).toBe(200);
      expect((await fetch(at(second), { method: 'DELETE', headers: session })).status).toBe(204);
      for (const replica of [first, second])
        expect((await send(at(replica), message('ping'), session)).status).toBe(404);
    }
  } finally {
    await Promise.all(replicas.map((replica) => replica.end()));
    await pooler.close();
  }
});

test('calls that share a conversation continue it wherever they arrive, and say when it is lost', async () => {
  database = await newTestDatabase('postgres');
  const options = { db: database.db, env };
  const count: ModelScript = ({ body }) => ({
    text: String(body.messages.filter(({ role }) => role === 'user').length),
  });
  const [one, other] = await Promise.all([openFlightDesk(count, options), openFlightDesk(count, options)]);
  await one.store({ shareContext: true });
  const session = await initialize(one.address());
  const ask = async (desk: FlightDesk, accept = 'application/json, text/event-stream'): Promise<RpcAnswer> => {
    const request = message('tools/call', { name: 'book_flight', arguments: paris }, crypto.randomUUID());
    const response = await send(desk.address(), request, { ...session, accept });
    const isStream = response.headers.get('content-type') === 'text/event-stream';
    return isStream ? nextMessage(readEvents(response)) : response.json();
  };
  const textOf = (answer: RpcAnswer) => listOf(answer, 'content')[0]?.text;
  expect(await Promise.all([ask(one), ask(one)]).then((all) => all.map(textOf))).toEqual(['1', '2']);
  expect(textOf(await ask(other))).toBe('3');
  expect(textOf(await ask(other, 'application/json'))).toBe('4');
  expect(textOf(await ask(one))).toBe('5');
  const batching = await initialize(one.address(), '2025-03-26');
  const batch = async (desk: FlightDesk): Promise<RpcAnswer[]> => {
    const request = message('tools/call', { name: 'book_flight', arguments: paris }, 'booking');
    return (await send(desk.address(), [request, message('ping', {}, 'ping')], batching)).json();
  };
  for (const [desk, text] of [[one, '1'] as const, [other, '2'] as const, [one, '3'] as const]) {
    const answers = await batch(desk);
    expect(answers).toMatchObject([{ id: 'booking' }, { id: 'ping', result: {} }]);
    expect(answers.slice(0, 1).map(textOf)).toEqual([text]);
  }
  await one.end();
  // It takes some seconds until nobody doubts that a process is gone. Until then, nobody replies.
  await expect
    .poll(async () => (await ask(other)).error?.data, { timeout: 60_000 })
    .toMatchObject({ code: 'UNAVAILABLE', retryable: true });
  expect(textOf(await ask(other))).toBe('1');
  await other.end();
});

describe('three replicas behind a proxy that sends each request to the next one', () => {
  let proxy: RoundRobinProxy;

  beforeEach(async () => {
    database = await newTestDatabase('postgres');
    const key = await installationKeys({ secret: env.AGENT_ZOO_SECRET }).key('owner');
    const headers = { authorization: `Bearer ${ownerSecret(key)}` };
    proxy = await startRoundRobinProxy({ targets: [], headers });
    const server = { public_url: proxy.url, trusted_proxies: ['127.0.0.1'] };
    replicas = await Promise.all([startReplica(0, server), startReplica(1, server), startReplica(2, server)]);
    proxy.setTargets(replicas.map((replica) => `http://127.0.0.1:${replica.server.port}`));
  });

  afterEach(async () => {
    await proxy.close();
    await Promise.all(replicas.map((replica) => replica.end()));
  });

  const clients: [string, (url: string, handlers: AskedClient) => Promise<AskingClient>][] = [
    ['SDK v1', askingClientV1],
    ['SDK v2', askingClientV2],
  ];

  test.each(clients)('serve %s with a session as one hub would', async (_name, connect) => {
    const asked: string[] = [];
    const changed = Promise.withResolvers<void>();
    const client = await connect(`${proxy.url}/mcp`, {
      elicit: () => {
        asked.push('elicit');
        return { action: 'accept', content: { sure: true } };
      },
      sample: () => {
        asked.push('sample');
        return { model: 'm', role: 'assistant', content: { type: 'text', text: 'Hello.' } };
      },
      onPromptsChanged: () => changed.resolve(),
    });
    behave = async (context, replica) => {
      context.client.progress(1);
      await context.client.elicit({ message: 'Sure?', requestedSchema: { type: 'object', properties: {} } });
      // Three requests for each call would bring every call to the same replica.
      if (asked.length % 3 === 1) await context.client.sample({ messages: [], maxTokens: 1 });
      return { replica };
    };
    const texts: (string | undefined)[] = [];
    const progress: number[] = [];
    for (let count = 0; count < 12; count += 1) texts.push(await client.call('act', (value) => progress.push(value)));
    expect(asked.filter((each) => each === 'elicit')).toHaveLength(12);
    expect(asked).toContain('sample');
    expect(progress).toHaveLength(12);
    expect(new Set(texts)).toEqual(new Set(['{"replica":0}', '{"replica":1}', '{"replica":2}']));
    await createAgent(hubAt(0), { id: 'clerk', name: 'Clerk' });
    await changed.promise;
    // One of them closes; its sessions go on.
    await replicas.splice(1, 1)[0]?.end();
    behave = (_context, replica) => ({ replica });
    for (let count = 0; count < 6; count += 1) expect(await client.call('act')).toMatch(/[02]/);
    await client.end();
    await client.close();
  });
});
