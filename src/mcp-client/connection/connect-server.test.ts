import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectTo, startBadServer, transports } from '../../../test/support/servers/start-bad-server.ts';
import type { JsonObject } from '../../base/json.ts';
import { silentLogger } from '../../base/logger.ts';
import { silentToolClient, type ToolClient } from '../../tools/tool-client.ts';
import { connectServer } from './connect-server.ts';

function client(parts: Partial<ToolClient>): ToolClient {
  return { ...silentToolClient, ...parts };
}

describe('a server over stdio', () => {
  it('gets the variables and the folder of its definition, and only a few of our variables', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'zoo-cwd-')));
    process.env.ZOO_TEST_SECRET = 'not for servers';
    try {
      await using server = await startBadServer(
        'stdio',
        {},
        { env: { GIVEN: 'value', HOME: '/elsewhere' }, cwd: folder },
      );
      await using bad = await connectTo(server.definition);
      const { structuredContent } = await bad.connection.callTool('origin', {});
      const { env, cwd } = structuredContent as { env: Record<string, string>; cwd: string };

      expect(cwd).toBe(folder);
      expect(env).toMatchObject({ GIVEN: 'value', HOME: '/elsewhere', PATH: process.env.PATH });
      expect(env).not.toHaveProperty('ZOO_TEST_SECRET');
    } finally {
      delete process.env.ZOO_TEST_SECRET;
      await rm(folder, { recursive: true });
    }
  });
});

describe.each(['sse', 'streamable-http'] as const)('a server over %s', (transport) => {
  it.each([
    [{ type: 'bearer', token: 'bearer-token' }, { authorization: 'Bearer bearer-token' }],
    [{ type: 'api-key', key: 'the-key' }, { 'x-api-key': 'the-key' }],
    [{ type: 'api-key', key: 'the-key', header: 'X-Other' }, { 'x-other': 'the-key' }],
    [
      { type: 'headers', headers: { 'X-One': '1', 'X-Two': '2' } },
      { 'x-one': '1', 'x-two': '2' },
    ],
  ] as const)('gets its headers and %j with each call', async (auth, headers) => {
    await using server = await startBadServer(
      transport,
      {},
      { auth, headers: { 'X-Team': 'zoo', 'Content-Type': 'nothing' } },
    );
    await using bad = await connectTo(server.definition);

    const { structuredContent } = await bad.connection.callTool('origin', {});

    // Configured headers cannot replace those of the protocol.
    const needed = { 'content-type': 'application/json' };
    expect(structuredContent).toMatchObject({ headers: { 'x-team': 'zoo', ...headers, ...needed } });
  });
});

describe.each(transports)('a connection over %s', (transport) => {
  it('passes on the JSON of the server with its keys in order', async () => {
    await using server = await startBadServer(transport);
    await using bad = await connectTo(server.definition);

    expect(JSON.stringify(await bad.connection.callTool('order', {}))).toBe(
      '{"isError":false,"zebra":1,"content":[{"text":"a","type":"text"}],"_meta":{"b":1,"a":2}}',
    );
    expect(JSON.stringify((await bad.connection.listTools())[0])).toBe(
      '{"name":"echo","description":"Changed 0 times.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}',
    );
  });

  it('sends the name and the input unchanged', async () => {
    await using server = await startBadServer(transport);
    await using bad = await connectTo(server.definition);

    const { content } = await bad.connection.callTool('echo', {
      text: 'ümläut \u2028 \n"quoted"',
      deep: [{ a: null }],
    });
    const { structuredContent, content: empty } = await bad.connection.callTool('seen', {});

    expect(JSON.parse(String(content[0]?.text))).toEqual({ text: 'ümläut \u2028 \n"quoted"', deep: [{ a: null }] });
    expect(structuredContent).toHaveProperty('calls', ['echo', 'seen']);
    expect(empty).toEqual([]);
  });

  it('times out without an answer, but not while there is progress', async () => {
    await using server = await startBadServer(transport, {}, { timeoutMs: 2_000 });
    await using bad = await connectTo(server.definition);
    const heard: unknown[] = [];
    const progress = (done: number, options = {}) => heard.push([done, options]);

    // Forty-five steps of 60 ms are longer than the limit.
    const result = await bad.connection.callTool('progress', { times: 45 }, { client: client({ progress }) });

    expect(result.content).toEqual([{ type: 'text', text: 'done' }]);
    expect(heard).toHaveLength(45);
    expect(heard[44]).toEqual([45, { total: 45, message: 'step 45' }]);
    await expect(bad.connection.callTool('hang', {})).rejects.toMatchObject({
      code: 'TIMEOUT',
      details: { server: 'bad', tool: 'hang', mayHaveRun: true },
    });
  });

  it('tells the server that a call was cancelled, and the caller at once', async () => {
    await using server = await startBadServer(transport);
    await using bad = await connectTo(server.definition);
    const controller = new AbortController();
    const call = bad.connection.callTool('hang', {}, { signal: controller.signal });
    await bad.connection.callTool('echo', {});

    controller.abort();

    await expect(call).rejects.toMatchObject({ code: 'CANCELLED', details: { mayHaveRun: true } });
    await expect
      .poll(async () => (await bad.connection.callTool('seen', {})).structuredContent)
      .toHaveProperty('cancelled', [expect.anything()]);
    await expect(bad.connection.callTool('echo', {}, { signal: controller.signal })).rejects.toMatchObject({
      code: 'CANCELLED',
      details: { mayHaveRun: false },
    });
  });

  it('limits concurrent calls as its definition says, and runs the others in order', async () => {
    await using server = await startBadServer(transport, {}, { maxConcurrentCalls: 2 });
    await using bad = await connectTo(server.definition);
    const stop = new AbortController();
    const hanging = [1, 2].map(() =>
      bad.connection.callTool('hang', {}, { signal: stop.signal }).catch(() => 'stopped'),
    );
    const waiting = new AbortController();
    const cancelled = bad.connection.callTool('refuse', {}, { signal: waiting.signal });
    const order: number[] = [];
    const later = [1, 2, 3].map((number) => bad.connection.callTool('echo', { number }).then(() => order.push(number)));

    waiting.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED', details: { mayHaveRun: false } });
    // Listing is not a call, so it does not wait.
    await bad.connection.listTools();
    expect(order).toEqual([]);

    stop.abort();
    await Promise.all([...hanging, ...later]);
    const { structuredContent } = await bad.connection.callTool('seen', {});
    expect(structuredContent).toHaveProperty('calls', ['hang', 'hang', 'echo', 'echo', 'echo', 'seen']);
  });

  it('reports that a call that waited too long did not run', async () => {
    await using server = await startBadServer(transport, {}, { maxConcurrentCalls: 1, timeoutMs: 2_000 });
    await using bad = await connectTo(server.definition);
    const stop = new AbortController();
    let onAsked = () => {};
    const asked = new Promise<void>((resolve) => {
      onAsked = resolve;
    });
    const hold = client({
      sample() {
        onAsked();
        return new Promise(() => {});
      },
    });
    const asking = bad.connection
      .callTool('ask', { method: 'sampling/createMessage' }, { client: hold, signal: stop.signal })
      .catch(() => 'stopped');

    await asked;

    // The running call waits for its client, so its timeout is paused.
    await expect(bad.connection.callTool('echo', {})).rejects.toMatchObject({
      code: 'TIMEOUT',
      details: { mayHaveRun: false },
    });
    stop.abort();
    expect(await asking).toBe('stopped');
  });

  it.each([
    ['sampling/createMessage', { maxTokens: 5 }, { model: 'm' }],
    ['elicitation/create', { message: 'Name?' }, { action: 'decline' }],
    ['roots/list', undefined, { roots: [] }],
  ])('answers %s through the client of the call', async (method, params, result) => {
    await using server = await startBadServer(transport);
    await using bad = await connectTo(server.definition);
    const asked: unknown[] = [];
    const reply = async (given: JsonObject) => {
      asked.push(given);
      return result as JsonObject;
    };
    const answering = client({ sample: reply, elicit: reply, roots: async () => result as JsonObject });

    const { structuredContent } = await bad.connection.callTool('ask', { method, params }, { client: answering });

    expect(structuredContent).toEqual({ result });
    expect(asked).toEqual(params === undefined ? [] : [params]);
  });

  it('refuses a question when nobody can answer it, or when it has no such method', async () => {
    await using server = await startBadServer(transport);
    await using bad = await connectTo(server.definition);
    const ask = async (method: string, by?: ToolClient) =>
      (await bad.connection.callTool('ask', { method }, { client: by })).structuredContent;

    expect(await ask('roots/list')).toMatchObject({ error: { message: expect.stringMatching(/Nobody can answer/) } });
    expect(await ask('roots/list', silentToolClient)).toMatchObject({
      error: { message: expect.stringMatching(/Nobody/) },
    });
    expect(await ask('tools/call')).toMatchObject({ error: { code: -32601 } });
    expect(await ask('ping')).toEqual({ result: {} });
    const failing = client({ roots: () => Promise.reject(new Error('not today')) });
    expect(await ask('roots/list', failing)).toMatchObject({ error: { message: 'not today' } });
  });

  it('is closed once, and fails all later requests', async () => {
    await using server = await startBadServer(transport);
    const bad = await connectTo(server.definition);
    const hanging = bad.connection.callTool('hang', {});

    await Promise.all([
      bad.connection.close(),
      bad.connection.close(),
      expect(hanging).rejects.toMatchObject({ code: 'UNAVAILABLE' }),
    ]);

    expect(bad.closings).toEqual(['The connection was closed by the hub.']);
    await expect(bad.connection.listTools()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      details: { mayHaveRun: false },
    });
  });

  it('is not opened if its signal aborts before or meanwhile', async () => {
    await using server = await startBadServer(transport, { start: 'hang' });
    const options = { name: 'bad', definition: server.definition, logger: silentLogger, onLog() {} };
    const controller = new AbortController();
    const connecting = connectServer({ ...options, signal: controller.signal });
    setImmediate(() => controller.abort());

    await expect(connecting).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(connectServer({ ...options, signal: controller.signal })).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('has no tools if the server lacks tools/list', async () => {
    await using server = await startBadServer(transport, { tools: -1 });
    await using bad = await connectTo(server.definition);
    await expect(bad.connection.listTools()).resolves.toEqual([]);
  });

  it('continues when a listener fails', async () => {
    await using server = await startBadServer(transport, {}, { timeoutMs: 5_000 });
    const connection = await connectServer({
      name: 'bad',
      definition: server.definition,
      signal: new AbortController().signal,
      logger: silentLogger,
      onLog() {
        throw new Error('The log is full.');
      },
    });
    const failing = client({
      progress() {
        throw new Error('The client went away.');
      },
    });
    await connection.callTool('garbage', {});
    await expect(connection.callTool('progress', { times: 2 }, { client: failing })).resolves.toHaveProperty('content');
    await connection.close();
  });

  it('passes on other requests and their errors', async () => {
    await using server = await startBadServer(transport);
    await using bad = await connectTo(server.definition);
    await expect(bad.connection.request('resources/list', {})).rejects.toMatchObject({
      code: 'TOOL_ERROR',
      message: 'Server "bad" (resources/list) returned an error: No method resources/list',
      details: { rpcCode: -32601 },
    });
    await expect(bad.connection.request('tools/list', {})).resolves.toHaveProperty('tools');
  });
});

it.each<[string, boolean]>([
  ['refused when calls of several clients could be meant', false],
  ['answered when all calls are of one client', true],
])('a question over stdio is %s', async (_, isOne) => {
  await using server = await startBadServer('stdio');
  await using bad = await connectTo(server.definition);
  const one = client({ roots: async () => ({ roots: [] }) });
  const other = isOne ? one : client({ roots: async () => ({ roots: [] }) });
  const stop = new AbortController();
  const hanging = bad.connection.callTool('hang', {}, { client: other, signal: stop.signal }).catch(() => {});

  const { structuredContent } = await bad.connection.callTool('ask', { method: 'roots/list' }, { client: one });

  expect(structuredContent).toMatchObject(
    isOne ? { result: { roots: [] } } : { error: { message: expect.stringMatching(/not clear which/) } },
  );
  expect(bad.connection.knowsRoots).toBe(isOne);
  stop.abort();
  await hanging;
});

it('reports the reply of an address that is not an MCP server', async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"no such agent"}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    await using known = await startBadServer('streamable-http');
    const definition = { ...known.definition, url: `http://127.0.0.1:${port}/mcp` };
    await expect(connectTo(definition)).rejects.toThrow(/no such agent/);
  } finally {
    server.close();
  }
});
