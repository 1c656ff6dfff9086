import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import {
  readEvents as events,
  initialize,
  message,
  send,
  sendStateless,
  usual,
} from '../../../test/support/clients/raw-mcp.ts';
import {
  envelope,
  listOf,
  type McpHubOptions,
  openMcpHub,
  type RpcAnswer,
} from '../../../test/support/hubs/mcp-hub.ts';
import { defineAgent } from '../../agents/define-agent.ts';
import type { Hub } from '../../hub.ts';
import { defineTool, type Tool, type ToolContext } from '../../tools/tool.ts';
import { createMcpHttpHandler, type McpHttpHandler } from './http.ts';

interface Served {
  hub: Hub;
  url: string;
  handler: McpHttpHandler;
  server: Server;
}

const open: Served[] = [];

async function serve(options: McpHubOptions = {}): Promise<Served> {
  const hub = await openMcpHub(options);
  const handler = createMcpHttpHandler(hub);
  const server = createServer((request, response) => void handler.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server on a port always has an address of this kind.
  const { port } = server.address() as AddressInfo;
  const served = { hub, handler, server, url: `http://127.0.0.1:${port}/mcp` };
  open.push(served);
  return served;
}

afterEach(async () => {
  for (const { hub, handler, server } of open.splice(0)) {
    await handler.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await hub.close();
  }
});

function tool(name: string, run: (context: ToolContext) => object | Promise<object>): Tool {
  return defineTool({ name, description: name, input: z.object({}), run: (_input, context) => run(context) });
}

describe('a session', () => {
  test('begins with initialize, is named in every request and ends with DELETE', async () => {
    const { url } = await serve();
    const session = await initialize(url);
    expect((await send(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, session)).status).toBe(202);
    const listed = await send(url, message('tools/list', {}, 'x'), session);
    expect(listed.headers.get('content-type')).toBe('application/json');
    expect(await listed.json()).toMatchObject({ id: 'x', result: { tools: expect.any(Array) } });
    expect((await fetch(url, { method: 'DELETE', headers: session })).status).toBe(204);
    expect((await send(url, message('ping'), session)).status).toBe(404);
  });

  test('speaks for one address only', async () => {
    const { url } = await serve({ agents: [defineAgent({ name: 'clerk' })] });
    const session = await initialize(`${url}?agent=clerk`);
    expect((await send(`${url}?agent=clerk`, message('ping'), session)).status).toBe(200);
    expect((await send(url, message('ping'), session)).status).toBe(404);
  });

  test("sends a tool's progress and questions on the stream of its call", async () => {
    const busy = tool('busy', async ({ client }) => {
      client.progress(1);
      return client.elicit({ message: 'Sure?' });
    });
    const { url } = await serve({ tools: [busy] });
    const session = await initialize(url, '2025-06-18', { elicitation: {} });
    const response = await send(url, message('tools/call', { name: 'busy', _meta: { progressToken: 7 } }, 5), session);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const stream = events(response);
    expect((await stream.next())?.data).toMatchObject({
      method: 'notifications/progress',
      params: { progressToken: 7 },
    });
    const question = (await stream.next())?.data;
    expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Sure?' } });
    const answer = { jsonrpc: '2.0', id: question?.id, result: { action: 'accept' } };
    expect((await send(url, answer, session)).status).toBe(202);
    expect((await stream.next())?.data).toMatchObject({
      id: 5,
      result: { content: [{ text: '{"action":"accept"}' }] },
    });
    expect(await stream.next()).toBeUndefined();
  });

  test.each(['2025-11-25', '2025-06-18'])(
    'in %s a client that cancels a call is notified on its stream that the question is withdrawn',
    async (version) => {
      const { url } = await serve({ tools: [tool('ask', ({ client }) => client.elicit({ message: 'Sure?' }))] });
      const session = await initialize(url, version, { elicitation: {} });
      const stream = events(await send(url, message('tools/call', { name: 'ask' }, 'call'), session));
      let question = (await stream.next())?.data;
      // Where a stream can be resumed it begins with an empty event.
      question ??= (await stream.next())?.data;
      expect(question).toMatchObject({ method: 'elicitation/create' });
      await send(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'call' } }, session);
      expect((await stream.next())?.data).toMatchObject({
        method: 'notifications/cancelled',
        params: { requestId: question?.id },
      });
      expect(await stream.next()).toBeUndefined();
    },
  );

  test('a question that outlives its call is withdrawn on the stream of the session', async () => {
    const withdrawing = new AbortController();
    const leaves = tool('leaves', ({ client }) => {
      client.elicit({ message: 'Sure?' }, { signal: withdrawing.signal }).catch(() => {});
      return {};
    });
    const { url } = await serve({ tools: [leaves] });
    const session = await initialize(url, '2025-06-18', { elicitation: {} });
    const own = events(await fetch(url, { headers: { ...session, accept: 'text/event-stream' } }));
    const stream = events(await send(url, message('tools/call', { name: 'leaves' }), session));
    const question = (await stream.next())?.data;
    expect((await stream.next())?.data).toMatchObject({ id: 1, result: {} });
    withdrawing.abort();
    expect((await own.next())?.data).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: question?.id },
    });
  });

  test.each([
    ['*/*', 'text/event-stream'],
    ['text/event-stream', 'text/event-stream'],
    ['application/json', 'application/json'],
  ])('a client that accepts %s gets progress as %s', async (accept, type) => {
    const busy = tool('busy', ({ client }) => {
      client.progress(1);
      return {};
    });
    const { url } = await serve({ tools: [busy] });
    const session = await initialize(url);
    const call = message('tools/call', { name: 'busy', _meta: { progressToken: 7 } });
    const response = await send(url, call, { ...session, accept });
    expect(response.headers.get('content-type')).toBe(type);
    expect(await response.text()).toContain('"result"');
  });

  test('a client that takes no events is not asked and not told', async () => {
    const busy = tool('busy', async ({ client }) => {
      client.progress(1);
      return client.elicit({ message: 'Sure?' });
    });
    const { url } = await serve({ tools: [busy] });
    const session = await initialize(url, '2025-06-18', { elicitation: {} });
    const call = message('tools/call', { name: 'busy', _meta: { progressToken: 7 } });
    const response = await send(url, call, { ...session, accept: 'application/json' });
    expect(await response.json()).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining('UNAVAILABLE') }] },
    });
  });

  test('a client that reconnects gets the result of its dropped call', async () => {
    const gate = Promise.withResolvers<object>();
    const long = tool('long', ({ client }) => {
      client.releaseConnection?.();
      return gate.promise;
    });
    const { url } = await serve({ tools: [long] });
    const session = await initialize(url);
    const stream = events(await send(url, message('tools/call', { name: 'long' }, 9), session));
    const primed = await stream.next();
    expect(primed?.data).toBeUndefined();
    expect(await stream.next()).toBeUndefined();
    const headers = { ...session, accept: 'text/event-stream', 'last-event-id': primed?.id ?? '' };
    const back = events(await fetch(url, { headers }));
    gate.resolve({ ok: 1 });
    const answered = await back.next();
    expect(answered?.data).toMatchObject({ id: 9, result: { content: [{ text: '{"ok":1}' }] } });
    const again = events(await fetch(url, { headers }));
    expect((await again.next())?.data).toEqual(answered?.data);
    expect(
      (await fetch(url, { headers: { ...headers, 'last-event-id': primed?.id?.replace(/\.s\d+/, '.s99') ?? '' } }))
        .status,
    ).toBe(404);
  });

  test('a call that runs long becomes a stream with signs of life', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
    const gate = Promise.withResolvers<object>();
    const started = Promise.withResolvers<void>();
    const slow = tool('slow', () => {
      started.resolve();
      return gate.promise;
    });
    const { url } = await serve({ tools: [slow] });
    const session = await initialize(url, '2025-06-18');
    const running = send(url, message('tools/call', { name: 'slow' }), session);
    await started.promise;
    vi.advanceTimersByTime(31_000);
    const response = await running;
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    gate.resolve({ ok: 1 });
    const text = await response.text();
    expect(text).toMatch(/^: still here\n\n/);
    expect(text).toContain('"result"');
    vi.useRealTimers();
  });

  test('changes wait for a stream that can deliver them, each once', async () => {
    const { url, hub } = await serve();
    const session = await initialize(url);
    hub.agents.register(defineAgent({ name: 'a' }));
    await send(url, message('ping'), session);
    hub.agents.register(defineAgent({ name: 'b' }));
    await send(url, message('ping'), session);
    const stream = events(await fetch(url, { headers: { ...session, accept: 'text/event-stream' } }));
    await stream.next();
    expect((await stream.next())?.data?.method).toBe('notifications/prompts/list_changed');
    expect((await stream.next())?.data?.method).toBe('notifications/resources/list_changed');
    hub.tools.register(tool('new', () => ({})));
    expect((await stream.next())?.data?.method).toBe('notifications/tools/list_changed');
  });

  test('a cancelled call is aborted', async () => {
    const started = Promise.withResolvers<AbortSignal>();
    const endless = tool('endless', async ({ signal }) => {
      started.resolve(signal);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return {};
    });
    const { url } = await serve({ tools: [endless] });
    const session = await initialize(url);
    const running = send(url, message('tools/call', { name: 'endless' }, 'slow'), session);
    const signal = await started.promise;
    await send(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } }, session);
    expect(signal.aborted).toBe(true);
    await running;
  });

  test('a call in a batch can be cancelled too', async () => {
    const begun = Promise.withResolvers<void>();
    const wait = tool('wait', ({ signal }) => {
      begun.resolve();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    });
    const { url } = await serve({ tools: [wait] });
    const session = await initialize(url, '2025-03-26');
    const answering = send(url, [message('tools/call', { name: 'wait' }, 'w'), message('ping', {}, 'p')], session);
    await begun.promise;
    await send(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'w' } }, session);
    expect(await (await answering).json()).toMatchObject([{ id: 'w' }, { id: 'p', result: {} }]);
  });

  test('batches are answered together in 2025-03-26', async () => {
    const { url } = await serve();
    const session = await initialize(url, '2025-03-26');
    const response = await send(url, [message('ping', {}, 'a'), message('nope', {}, 'b')], session);
    expect(await response.json()).toMatchObject([
      { id: 'a', result: {} },
      { id: 'b', error: { code: -32601 } },
    ]);
    const other = await initialize(url);
    expect((await send(url, [message('ping')], other)).status).toBe(400);
  });

  test('the thousand and first pushes the oldest idle one out of memory, until its client returns', async () => {
    const { url } = await serve();
    const first = await initialize(url);
    const second = await initialize(url);
    for (let count = 0; count < 998; count += 1) await initialize(url);
    await send(url, message('ping'), first);
    await initialize(url);
    expect((await send(url, message('ping'), first)).status).toBe(200);
    expect((await send(url, message('ping'), second)).status).toBe(200);
  });
});

describe('a request without a session', () => {
  test('is served from its own content alone', async () => {
    const { url } = await serve();
    const response = await sendStateless(url, 'tools/call', { name: 'agent_zoo_list_agents', arguments: {} });
    expect(response.headers.get('mcp-session-id')).toBeNull();
    expect(await response.json()).toMatchObject({
      result: { resultType: 'complete', structuredContent: { agents: [] } },
    });
  });

  test('is cancelled by going away', async () => {
    const started = Promise.withResolvers<AbortSignal>();
    const endless = tool('endless', async ({ signal }) => {
      started.resolve(signal);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return {};
    });
    const { url } = await serve({ tools: [endless] });
    const controller = new AbortController();
    const running = sendStateless(url, 'tools/call', { name: 'endless' }, controller.signal);
    const signal = await started.promise;
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    controller.abort();
    await expect(running).rejects.toThrow();
    await aborted;
  });

  test('receives changes on its own stream until the server closes', async () => {
    const { url, hub, handler } = await serve();
    const params = { notifications: { toolsListChanged: true } };
    const stream = events(await sendStateless(url, 'subscriptions/listen', params));
    expect((await stream.next())?.data).toMatchObject({ method: 'notifications/subscriptions/acknowledged', params });
    hub.agents.register(defineAgent({ name: 'a' }));
    hub.tools.register(tool('new', () => ({})));
    expect((await stream.next())?.data).toMatchObject({
      method: 'notifications/tools/list_changed',
      params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } },
    });
    await handler.close();
    expect((await stream.next())?.data).toMatchObject({ id: 1, result: { resultType: 'complete' } });
    expect(await stream.next()).toBeUndefined();
  });
});

describe('closing', () => {
  test('waits for a running call and gives its answer to the client', async () => {
    const gate = Promise.withResolvers<object>();
    const slow = tool('slow', ({ client }) => {
      client.progress(1);
      return gate.promise;
    });
    const { url, handler } = await serve({ tools: [slow] });
    const session = await initialize(url, '2025-06-18');
    const call = message('tools/call', { name: 'slow', _meta: { progressToken: 1 } });
    const stream = events(await send(url, call, session));
    await stream.next();
    const closing = handler.close();
    gate.resolve({ ok: 1 });
    expect((await stream.next())?.data).toMatchObject({ result: { content: [{ text: '{"ok":1}' }] } });
    await closing;
    expect(await stream.next()).toBeUndefined();
  });

  test('aborts a call that does not end by itself', async () => {
    const started = Promise.withResolvers<AbortSignal>();
    const endless = tool('endless', async ({ signal }) => {
      started.resolve(signal);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return {};
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { url, handler } = await serve({ tools: [endless] });
    const session = await initialize(url);
    const running = send(url, message('tools/call', { name: 'endless' }), session);
    const signal = await started.promise;
    const closing = handler.close();
    await vi.advanceTimersByTimeAsync(3_000);
    vi.useRealTimers();
    await closing;
    expect(signal.aborted).toBe(true);
    await running;
  });
});

describe('refusals', () => {
  const stateless = { 'mcp-protocol-version': '2026-07-28' };
  const listTools = message('tools/list', envelope());
  test.each<[string, unknown, Record<string, string>, number, number]>([
    ['no JSON', '{', {}, 400, -32700],
    ['no message', '42', {}, 400, -32600],
    ['a body beyond the limit', `"${'x'.repeat(4_300_000)}"`, {}, 413, -32600],
    ['a deep body', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, {}, 413, -32600],
    ['another content type', '{}', { 'content-type': 'text/plain' }, 415, -32000],
    [
      'nothing it would accept',
      message('initialize', { protocolVersion: '2025-11-25' }),
      { accept: 'image/png' },
      406,
      -32000,
    ],
    ['no session', message('ping'), {}, 400, -32000],
    ['an unknown session', message('ping'), { 'mcp-session-id': 'x' }, 404, -32001],
    ['a version nobody knows', message('ping'), { 'mcp-session-id': 'x', 'mcp-protocol-version': '1' }, 400, -32022],
    ['a missing _meta', message('tools/list'), stateless, 400, -32602],
    ['a missing method header', listTools, stateless, 400, -32020],
    ['a wrong method header', listTools, { ...stateless, 'mcp-method': 'prompts/list' }, 400, -32020],
    ['a missing version header', listTools, { 'mcp-method': 'tools/list' }, 400, -32020],
    ['a method of the other era', message('ping', envelope()), { ...stateless, 'mcp-method': 'ping' }, 404, -32601],
    ['a batch', [listTools], stateless, 400, -32600],
  ])('%s', async (_what, body, headers, status, code) => {
    const { url } = await serve();
    const response = await send(url, body, headers);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code, message: expect.any(String) } });
    expect((await sendStateless(url, 'server/discover')).status).toBe(200);
  });

  test('an unknown agent', async () => {
    const { url } = await serve();
    const response = await sendStateless(`${url}?agent=nobody`, 'tools/list');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { data: { code: 'AGENT_NOT_FOUND' } } });
  });

  test('an address that names two agents', async () => {
    const { url } = await serve({ agents: [defineAgent({ name: 'a' }), defineAgent({ name: 'b' })] });
    const response = await send(`${url}?agent=a&agent=b`, message('tools/list', {}, 'seven'));
    expect(response.status).toBe(400);
    const error = { message: expect.stringContaining('one agent') };
    expect(await response.json()).toMatchObject({ id: 'seven', error });
    expect((await sendStateless(`${url}?agent=`, 'tools/list')).status).toBe(404);
  });

  test.each(['?Agent=a', '?agent[]=a', '?agnet=a', '?agent=a&Member=m', '?agent%20=a'])(
    'an address with a misspelt key never opens the whole hub: %s',
    async (query) => {
      const { url } = await serve({ agents: [defineAgent({ name: 'a' })] });
      const response = await sendStateless(url + query, 'tools/list');
      expect(response.status).toBe(400);
      const error = { message: expect.stringMatching(/unknown key ".+"\. Known keys: agent, member\.$/) };
      expect(await response.json()).toMatchObject({ error });
    },
  );

  test('a client that left while its address was looked up', async () => {
    const { hub, handler } = await serve({ agents: [defineAgent({ name: 'a' })] });
    const [arrived, left, looked] = [1, 2, 3].map(() => Promise.withResolvers<void>());
    const server = createServer((request, response) => {
      response.once('close', () => left?.resolve());
      void handler.handle(request, response).then(() => looked?.resolve());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // A server on a port always has an address of this kind.
    const { port } = server.address() as AddressInfo;
    vi.spyOn(hub.agents, 'refresh').mockImplementationOnce(async () => {
      arrived?.resolve();
      await left?.promise;
    });
    const leaving = new AbortController();
    const init = { method: 'POST', headers: usual, body: '{}', signal: leaving.signal };
    const answer = fetch(`http://127.0.0.1:${port}?agent=a`, init);
    await arrived?.promise;
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await looked?.promise;
    server.close();
  });

  test.each(['GET', 'DELETE', 'PUT', 'OPTIONS'])('%s without a session', async (method) => {
    const { url } = await serve();
    const response = await fetch(url, { method });
    expect([400, 405]).toContain(response.status);
    expect(await response.json()).toMatchObject({ error: { message: expect.any(String) } });
  });
});

describe('an agent’s address', () => {
  test('shows its tools to both eras', async () => {
    const clerk = defineAgent({ name: 'clerk', tools: ['agent_zoo_inject'] });
    const { url } = await serve({ agents: [clerk] });
    const scoped = `${url}?agent=clerk`;
    const answer: RpcAnswer = await (await sendStateless(scoped, 'tools/list')).json();
    expect(listOf(answer, 'tools').map((each) => each.name)).toEqual(['agent_zoo_inject']);
    const session = await initialize(scoped);
    const call = message('tools/call', { name: 'agent_zoo_get_agent', arguments: { agentId: 'clerk' } });
    const refused = await (await send(scoped, call, session)).json();
    expect(refused).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining('PERMISSION_DENIED') }] },
    });
  });
});

test('an argument that a tool wants in a header as well is compared with it', async () => {
  const headed = defineTool({
    name: 'headed',
    description: 'Headed',
    input: { jsonSchema: { type: 'object', properties: { count: { type: 'integer', 'x-mcp-header': 'Count' } } } },
    run: (input) => Object(input),
  });
  const { url } = await serve({ tools: [headed] });
  const call = message('tools/call', { ...envelope(), name: 'headed', arguments: { count: 42 } });
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'headed' };
  for (const [value, status] of [
    ['42', 200],
    ['42.0', 200],
    ['=?base64?NDI=?=', 200],
    ['43', 400],
    ['=?base64?!?=', 400],
    ['0x2a', 400],
  ] as const) {
    expect((await send(url, call, { ...headers, 'mcp-param-count': value })).status).toBe(status);
  }
  expect((await send(url, call, headers)).status).toBe(400);
});
