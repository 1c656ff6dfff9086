import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { envelope, LineClient, listOf, type McpHubOptions, openMcpHub } from '../../../test/support/hubs/mcp-hub.ts';
import { compilePrompt } from '../../agents/compile-prompt.ts';
import { defineAgent } from '../../agents/define-agent.ts';
import { createAgent, deleteAgent, updateAgent } from '../../agents/edit-agents.ts';
import { HubError } from '../../base/hub-error.ts';
import type { JsonObject } from '../../base/json.ts';
import { owner } from '../../callers/callers.ts';
import type { Hub } from '../../hub.ts';
import { ToolContent } from '../../tools/content.ts';
import { defineTool, type Tool, type ToolContext } from '../../tools/tool.ts';
import { McpServer } from '../mcp-server.ts';
import { type Greeting, greetingOf } from '../protocol/greeting.ts';
import { serveMcpStdio } from './stdio.ts';

const open: Hub[] = [];

async function start(options: McpHubOptions & { agent?: string; signal?: AbortSignal } = {}) {
  const { agent, signal, ...rest } = options;
  const hub = await openMcpHub(rest);
  open.push(hub);
  const client = new LineClient(hub, { ...(agent && { agent }), ...(signal && { signal }) });
  return { hub, client };
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((hub) => hub.close()));
});

function tool(name: string, run: (context: ToolContext) => object | Promise<object>): Tool {
  return defineTool({ name, description: name, input: z.object({}), run: (_input, context) => run(context) });
}

const wizard = defineAgent({
  name: 'wizard',
  title: 'Wizard',
  description: 'Knows spells.',
  systemPrompt: 'Cast {spell}.',
  arguments: [
    { name: 'spell', description: 'Which one', required: true },
    { name: 'agentId', description: 'On whom' },
  ],
  tools: ['agent_zoo_inject'],
});

describe('a client that was greeted before the server was loaded', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 'a',
    method: 'initialize',
    params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const handled = [initialize, initialized].map((message) => JSON.stringify(message));

  async function greetingOn(hub: Hub): Promise<Greeting> {
    const { promise, resolve } = Promise.withResolvers<Greeting>();
    const client = new LineClient(hub, { beforeGreeting: () => resolve });
    const greeting = await promise;
    await client.end();
    return greeting;
  }

  test('the greeting equals the replies of the server, in every revision with sessions', async () => {
    const { hub, client } = await start({ agents: [wizard] });
    const greeting = await greetingOn(hub);
    expect(Object.keys(greeting.initialize)).toEqual(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']);
    for (const [version, reply] of Object.entries(greeting.initialize))
      expect(JSON.parse(reply)).toEqual((await client.initialize(version)).result);
    expect(JSON.parse(greeting.tools)).toEqual((await client.request('tools/list')).result);
  });

  test('beforeGreeting is called before the greeting is computed', async () => {
    const { hub } = await start();
    const { promise, resolve } = Promise.withResolvers<Greeting>();
    const client = new LineClient(hub, {
      beforeGreeting: () => {
        hub.tools.register(tool('late', () => ({})));
        return resolve;
      },
    });
    expect((await promise).tools).toContain('"late"');
    await client.end();
  });

  test('continues its session, gets no reply twice, and gets the replies it waits for', async () => {
    const { hub } = await start({ agents: [wizard] });
    const greeting = await greetingOn(hub);
    const { promise, resolve } = Promise.withResolvers<void>();
    const client = new LineClient(hub, {
      greeted: {
        handled,
        waiting: ['{"jsonrpc":"2.0","id":"b","method":"prompts/list"}'],
        rest: '{"jsonrpc":',
        greeting,
      },
      beforeGreeting: () => () => resolve(),
    });
    expect(listOf(await client.until(({ id }) => id === 'b'), 'prompts')).toMatchObject([{ name: 'wizard' }]);
    const pong = client.until(({ id }) => id === 'c');
    client.write('"2.0","id":"c","method":"ping"}');
    await pong;
    // Only the revision that it asked for has batches.
    const batch = client.until(({ id }) => id === 'd');
    client.write([{ jsonrpc: '2.0', id: 'd', method: 'ping' }]);
    expect(await batch).toMatchObject({ result: {} });
    await promise;
    expect(client.received.map(({ id, method }) => id ?? method)).toEqual(['b', 'c', 'd']);
    await client.end();
  });

  test('gets a reply to its last line after the end of its input, even without a newline', async () => {
    const hub = await openMcpHub();
    open.push(hub);
    const greeting = await greetingOn(hub);
    const input = new PassThrough();
    const output = new PassThrough();
    input.end();
    input.resume();
    await vi.waitFor(() => expect(input.readableEnded).toBe(true));
    const rest = JSON.stringify({ jsonrpc: '2.0', id: 'last', method: 'ping' });
    await serveMcpStdio(hub, { input, output, greeted: { handled, waiting: [], rest, greeting } });
    expect(JSON.parse(String(output.read()))).toEqual({ jsonrpc: '2.0', id: 'last', result: {} });
  });

  test.each([
    ['has all its replies', []],
    ['waits for a reply', ['{"jsonrpc":"2.0","id":"first","method":"ping"}']],
  ])('that %s is read further, even if its input was paused', async (_, waiting) => {
    const hub = await openMcpHub();
    open.push(hub);
    const greeting = await greetingOn(hub);
    const [input, output] = [new PassThrough(), new PassThrough({ encoding: 'utf8' })];
    input.pause();
    const serving = serveMcpStdio(hub, { input, output, greeted: { handled: [], waiting, rest: '', greeting } });
    let said = '';
    output.on('data', (text: string) => {
      said += text;
    });
    input.write('{"jsonrpc":"2.0","id":"next","method":"ping"}\n');
    await vi.waitFor(() => expect(said).toContain('"id":"next"'), { timeout: 10_000 });
    input.end();
    await serving;
  });

  test('gets no greeting if the replies would be errors', async () => {
    const { hub } = await start();
    await createAgent(hub, { name: 'Passing' });
    const server = new McpServer(hub);
    const view = await server.view({ from: owner, agentId: 'passing' });
    await greetingOf(server, view);
    await deleteAgent(hub, 'passing', null);
    await expect(greetingOf(server, view)).rejects.toThrow('AGENT_NOT_FOUND');
    server.close();
  });

  test('is notified if the list in its greeting was outdated', async () => {
    const { hub } = await start({ agents: [wizard] });
    const greeting = await greetingOn(hub);
    hub.tools.register(tool('later', () => ({})));
    const client = new LineClient(hub, { greeted: { handled, waiting: [], rest: '', greeting } });
    await client.until(({ method }) => method === 'notifications/tools/list_changed');
    await client.end();
  });
});

describe('the handshake', () => {
  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['1999-01-01', '2025-11-25'],
  ])('a client that asks for %s gets %s', async (asked, given) => {
    const { client, hub } = await start();
    const { result } = await client.initialize(asked);
    expect(result).toMatchObject({
      protocolVersion: given,
      serverInfo: { name: 'agent-zoo', title: 'Agent Zoo', version: hub.version },
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } },
      instructions: expect.stringContaining('agent_zoo_list_agents'),
    });
    await client.end();
  });

  test('a client of 2026-07-28 discovers the server and needs no handshake', async () => {
    const { client } = await start();
    const { result } = await client.request('server/discover', envelope());
    expect(result).toMatchObject({ resultType: 'complete', supportedVersions: ['2026-07-28'], ttlMs: 0 });
    expect(result?._meta).toMatchObject({ 'io.modelcontextprotocol/serverInfo': { name: 'agent-zoo' } });
    const listed = await client.request('tools/list', envelope());
    expect(listed.result).toMatchObject({ resultType: 'complete', cacheScope: 'private' });
    await client.end();
  });

  test('both eras may share a connection', async () => {
    const { client } = await start();
    await client.request('server/discover', envelope());
    await client.initialize();
    expect((await client.request('ping')).result).toEqual({});
    expect((await client.request('ping', envelope())).error?.code).toBe(-32601);
    await client.end();
  });

  test('another revision in _meta is refused with the supported ones', async () => {
    const { client } = await start();
    const meta = { _meta: { ...envelope()._meta, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' } };
    const { error } = await client.request('tools/list', meta);
    expect(error).toMatchObject({ code: -32022, data: { supported: ['2026-07-28'], requested: '2030-01-01' } });
    await client.end();
  });
});

describe('malformed messages', () => {
  const deep = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`;
  test.each<[string, string, number, string]>([
    ['text that is not JSON', '{"jsonrpc"', -32700, 'not valid JSON'],
    ['a value that is not a message', '42', -32600, 'object'],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, 'jsonrpc'],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, '"id"'],
    ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":1}', -32600, '"method"'],
    ['parameters in a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600, '"params"'],
    ['a response without a result or error', '{"jsonrpc":"2.0","id":1}', -32600, 'neither'],
    [
      'a key called __proto__',
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{}}}',
      -32700,
      '__proto__',
    ],
    ['a hundred thousand levels', deep, -32600, 'nested deeper'],
    ['a batch in a revision without batches', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, 'Batches'],
    ['a line of five million characters', `{"x":"${'x'.repeat(5_000_000)}"}`, -32600, 'too long'],
  ])('%s gets an error, and the next request gets a reply', async (_what, line, code, words) => {
    const { client } = await start();
    await client.initialize();
    const answer = client.until((message) => message.error !== undefined);
    client.write(line);
    expect((await answer).error).toMatchObject({ code, message: expect.stringContaining(words) });
    expect((await client.request('ping')).result).toEqual({});
    await client.end();
  });

  test.each<[string, string, object, string]>([
    ['an unknown method', 'tools/dance', {}, 'Unknown method'],
    ['a call without a name', 'tools/call', {}, '"name"'],
    ['a cursor of somebody else', 'tools/list', { cursor: 'x' }, 'cursor'],
    ['an unknown prompt', 'prompts/get', { name: 'nobody' }, 'nobody'],
    ['a prompt argument that is not text', 'prompts/get', { name: 'wizard', arguments: { spell: 7 } }, 'spell'],
    ['a missing prompt argument', 'prompts/get', { name: 'wizard' }, 'spell'],
    ['an unknown log level', 'logging/setLevel', { level: 'loud' }, 'debug'],
    ['a resource without an address', 'resources/read', {}, '"uri"'],
    ['a completion without a reference', 'completion/complete', { argument: { name: 'a', value: '' } }, 'ref'],
  ])('%s is named in the error', async (_what, method, params, words) => {
    const { client } = await start({ agents: [wizard] });
    await client.initialize();
    const { error } = await client.request(method, params);
    expect(error?.message).toContain(words);
    expect([-32601, -32602]).toContain(error?.code);
    await client.end();
  });

  test('batches work in the only revision that has them', async () => {
    const { client } = await start();
    await client.initialize('2025-03-26');
    const both = Promise.all(['a', 'b'].map((id) => client.until((message) => message.id === id)));
    client.write(['a', 'b'].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' })));
    expect((await both).map((message) => message.result)).toEqual([{}, {}]);
    await client.end();
  });

  test('the replies to a batch leave out a cancelled request', async () => {
    const wait = tool('wait', ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', reject)));
    const { client } = await start({ tools: [wait] });
    await client.initialize('2025-03-26');
    const pong = client.until((message) => message.id === 'b');
    client.write([
      { jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name: 'wait' } },
      { jsonrpc: '2.0', id: 'b', method: 'ping' },
    ]);
    client.notify('notifications/cancelled', { requestId: 'a' });
    expect((await pong).result).toEqual({});
    await client.end();
    expect(client.received.filter((message) => message.id === 'a')).toEqual([]);
  });

  test('a subscription is refused in a batch', async () => {
    const { client } = await start();
    await client.initialize('2025-03-26');
    const both = Promise.all(['a', 'b'].map((id) => client.until((message) => message.id === id)));
    const params = { ...envelope(), notifications: { toolsListChanged: true } };
    client.write([
      { jsonrpc: '2.0', id: 'a', method: 'subscriptions/listen', params },
      { jsonrpc: '2.0', id: 'b', method: 'ping' },
    ]);
    const [refused, pong] = await both;
    expect(refused?.error?.message).toContain('batch');
    expect(pong?.result).toEqual({});
    await client.end();
  });
});

describe('tools', () => {
  test('an injected agent is returned as its compiled prompt, as text and as data', async () => {
    const { client, hub } = await start({ agents: [wizard] });
    await client.initialize();
    const { result } = await client.request('tools/call', {
      name: 'agent_zoo_inject',
      arguments: { agentId: 'wizard' },
    });
    const data = { agentId: 'wizard', agentName: 'Wizard', prompt: compilePrompt(wizard.agent).text };
    expect(result).toEqual({ content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data });
    const { entries: rows } = await hub.decisions.page();
    expect(rows.map((row) => [row.kind, row.surface, row.tool])).toEqual([
      ['result', 'mcp', 'agent_zoo_inject'],
      ['invocation', 'mcp', 'agent_zoo_inject'],
    ]);
    await client.end();
  });

  test.each<[string, object, string]>([
    ['agent_zoo_inject', { agentId: 'nobody' }, 'AGENT_NOT_FOUND'],
    ['agent_zoo_inject', { agentId: 'wizard', format: 'poem' }, 'INVALID_FORMAT'],
    ['agent_zoo_inject', {}, 'INVALID_ARGUMENTS'],
    ['agent_zoo_inject', [1], 'INVALID_ARGUMENTS'],
    ['agent_zoo_dance', {}, 'UNKNOWN_TOOL'],
    ['broken', {}, 'INTERNAL_ERROR'],
  ])('%s %j is a result that says %s', async (name, input, code) => {
    const broken = tool('broken', () => {
      throw new Error('secret detail');
    });
    const { client } = await start({ agents: [wizard], tools: [broken] });
    await client.initialize();
    const answer = await client.request('tools/call', { name, arguments: input });
    const [block] = listOf(answer, 'content');
    expect(answer.result?.isError).toBe(true);
    const retryable = code === 'INTERNAL_ERROR' ? false : undefined;
    expect(JSON.parse(block?.text ?? '')).toEqual({ error: true, code, message: expect.any(String), retryable });
    expect(block?.text).not.toContain('secret');
    await client.end();
  });

  test('the content of a tool is passed on unchanged', async () => {
    const picture = new ToolContent([{ type: 'image', data: 'AA==', mimeType: 'image/png' }], {
      structuredContent: { size: 1 },
      isError: true,
    });
    const { client } = await start({ tools: [tool('draw', () => picture)] });
    const { result } = await client.request('tools/call', { name: 'draw' });
    expect(result).toEqual({
      content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }],
      structuredContent: { size: 1 },
      isError: true,
    });
    await client.end();
  });

  test('progress is sent to a client that sent a token, and log messages from the selected level up', async () => {
    const busy = tool('busy', ({ client }) => {
      client.progress(1, { total: 2, message: 'half' });
      client.log('debug', 'small');
      client.log('error', { what: 'large' }, 'busy');
      return {};
    });
    const { client } = await start({ tools: [busy] });
    await client.initialize();
    await client.request('logging/setLevel', { level: 'warning' });
    await client.request('tools/call', { name: 'busy', _meta: { progressToken: 'p' } });
    const notified = client.received.filter((message) => message.method !== undefined);
    expect(notified).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 2, message: 'half' } },
      { method: 'notifications/message', params: { level: 'error', logger: 'busy', data: { what: 'large' } } },
    ]);
    await client.end();
  });

  test('a cancelled call is aborted and gets no reply', async () => {
    const started = Promise.withResolvers<ToolContext>();
    const endless = tool('endless', async (context) => {
      started.resolve(context);
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }));
      return {};
    });
    const { client } = await start({ tools: [endless] });
    await client.initialize();
    client.write({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: { name: 'endless' } });
    const { signal } = await started.promise;
    client.notify('notifications/cancelled', { requestId: 'slow' });
    await client.request('ping');
    expect(signal.aborted).toBe(true);
    await client.end();
    expect(client.received.some((message) => message.id === 'slow')).toBe(false);
  });

  test('a call that runs when the input ends gets a reply before the server ends', async () => {
    const gate = Promise.withResolvers<object>();
    const started = Promise.withResolvers<void>();
    const slow = tool('slow', () => {
      started.resolve();
      return gate.promise;
    });
    const { client } = await start({ tools: [slow] });
    const answer = client.request('tools/call', { name: 'slow' });
    await started.promise;
    client.input.end();
    gate.resolve({ ok: true });
    expect((await answer).result).toMatchObject({ content: [{ text: '{"ok":true}' }] });
    await client.done;
  });

  test('a signal ends the connection even if the input stays open', async () => {
    const controller = new AbortController();
    const { client } = await start({ signal: controller.signal });
    await client.initialize();
    controller.abort();
    await client.done;
  });
});

describe('questions to the client', () => {
  const ask = defineTool({
    name: 'ask',
    description: 'Asks',
    input: z.object({ what: z.enum(['sample', 'elicit', 'roots']) }),
    run: async ({ what }, { client }) => (what === 'roots' ? client.roots() : client[what]({ message: 'Well?' })),
  });

  test.each([
    ['sample', 'sampling/createMessage', { sampling: {} }],
    ['elicit', 'elicitation/create', { elicitation: {} }],
    ['roots', 'roots/list', { roots: {} }],
  ])('%s travels as a request and its answer reaches the tool', async (what, method, capabilities) => {
    const { client } = await start({ tools: [ask] });
    await client.initialize('2025-11-25', capabilities);
    const asked = client.until((message) => message.method === method);
    const answer = client.request('tools/call', { name: 'ask', arguments: { what } });
    client.write({ jsonrpc: '2.0', id: (await asked).id, result: { said: 'yes' } });
    expect((await answer).result).toMatchObject({ content: [{ text: '{"said":"yes"}' }] });
    await client.end();
  });

  test('a client without capabilities is asked nothing', async () => {
    const { client } = await start({ tools: [ask] });
    await client.initialize();
    const { result } = await client.request('tools/call', { name: 'ask', arguments: { what: 'sample' } });
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('UNAVAILABLE') }] });
    await client.end();
  });

  test('an error reply from the client fails the tool call', async () => {
    const { client } = await start({ tools: [ask] });
    await client.initialize('2025-11-25', { roots: {} });
    const asked = client.until((message) => message.method === 'roots/list');
    const answer = client.request('tools/call', { name: 'ask', arguments: { what: 'roots' } });
    client.write({ jsonrpc: '2.0', id: (await asked).id, error: { code: -1, message: 'No.' } });
    expect((await answer).result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('No.') }] });
    await client.end();
  });

  test.each(['2025-11-25', '2025-06-18'])(
    'a client of %s that cancels a call is notified that its question is withdrawn',
    async (version) => {
      const { client } = await start({ tools: [ask] });
      await client.initialize(version, { elicitation: {} });
      const asked = client.until((message) => message.method === 'elicitation/create');
      client.write({
        ...{ jsonrpc: '2.0', id: 'call', method: 'tools/call' },
        params: { name: 'ask', arguments: { what: 'elicit' } },
      });
      const { id: requestId } = await asked;
      const told = client.until((message) => message.method === 'notifications/cancelled');
      client.notify('notifications/cancelled', { requestId: 'call' });
      expect(await told).toMatchObject({
        params: { requestId, reason: 'The call that sent elicitation/create has ended.' },
      });
      await client.end();
    },
  );

  test('a tool that no longer needs an answer withdraws its question and continues', async () => {
    const withdrawing = new AbortController();
    const impatient = tool('impatient', ({ client }) =>
      client.roots({ signal: withdrawing.signal }).catch((error: Error) => ({ said: error.message })),
    );
    const { client } = await start({ tools: [impatient] });
    await client.initialize('2025-11-25', { roots: {} });
    const asked = client.until((message) => message.method === 'roots/list');
    const answer = client.request('tools/call', { name: 'impatient' });
    const { id: requestId } = await asked;
    const told = client.until((message) => message.method === 'notifications/cancelled');
    withdrawing.abort();
    expect(await told).toMatchObject({ params: { requestId } });
    expect((await answer).result).toMatchObject({ content: [{ text: expect.stringContaining('has ended') }] });
    await client.end();
  });

  test('a question that was answered or never sent is not withdrawn', async () => {
    const late = new AbortController();
    const twice = tool('twice', async ({ client }) => {
      const first = await client.roots({ signal: late.signal });
      late.abort();
      await client.roots({ signal: late.signal }).catch(() => {});
      return first;
    });
    const { client } = await start({ tools: [twice] });
    await client.initialize('2025-11-25', { roots: {} });
    const asked = client.until((message) => message.method === 'roots/list');
    const answer = client.request('tools/call', { name: 'twice' });
    client.write({ jsonrpc: '2.0', id: (await asked).id, result: { roots: [] } });
    await answer;
    expect(client.received.filter(({ method }) => method !== undefined)).toHaveLength(1);
    await client.end();
  });

  test('in 2026-07-28 the questions are returned as the result, and the client repeats the call with the answers', async () => {
    const runs: string[] = [];
    const greet = tool('greet', async ({ client }) => {
      runs.push('begun');
      const [first, second] = await Promise.all([client.elicit({ message: 'Name?' }, { key: 'name' }), client.roots()]);
      const last = await client.elicit({ message: 'Sure?' }, { key: 'sure' });
      runs.push('finished');
      return { first, second, last } as JsonObject;
    });
    const { client } = await start({ tools: [greet] });
    const call = { name: 'greet', ...envelope({ elicitation: {}, roots: {} }) };
    const round1 = (await client.request('tools/call', call)).result;
    expect(round1).toMatchObject({
      resultType: 'input_required',
      inputRequests: { name: { method: 'elicitation/create' }, 'question-2': { method: 'roots/list', params: {} } },
    });
    const { requestState } = round1 ?? {};
    const inputResponses = { name: { action: 'accept' }, 'question-2': { roots: [] } };
    const round2 = (await client.request('tools/call', { ...call, requestState, inputResponses })).result;
    expect(Object.keys(round2?.inputRequests as object)).toEqual(['sure']);
    const last = { ...call, requestState: round2?.requestState, inputResponses: { sure: { action: 'decline' } } };
    const round3 = (await client.request('tools/call', last)).result;
    expect(round3).toMatchObject({
      resultType: 'complete',
      content: [{ text: '{"first":{"action":"accept"},"second":{"roots":[]},"last":{"action":"decline"}}' }],
    });
    expect(runs).toEqual(['begun', 'begun', 'begun', 'finished']);
    const stolen = await client.request('tools/call', { ...last, arguments: { other: true } });
    expect(stolen.error).toMatchObject({ code: -32602, message: expect.stringContaining('belongs to another call') });
    await client.end();
  });

  test('in 2026-07-28 a missing capability has its own error code', async () => {
    const { client } = await start({ tools: [ask] });
    const call = { name: 'ask', arguments: { what: 'elicit' }, ...envelope() };
    const { error } = await client.request('tools/call', call);
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } });
    await client.end();
  });
});

describe('prompts', () => {
  test('every agent is a prompt, and its system text is sent with the role user', async () => {
    const talker = defineAgent({
      name: 'talker',
      resolve: () => ({
        system: 'Talk.',
        messages: [
          { role: 'system', content: 'More.' },
          { role: 'assistant', content: 'Yes.' },
        ],
      }),
    });
    const { client } = await start({ agents: [wizard, talker] });
    const listed = await client.request('prompts/list');
    expect(listed.result?.prompts).toEqual([
      {
        name: 'wizard',
        title: 'Wizard',
        description: 'Knows spells.',
        arguments: [
          { name: 'spell', description: 'Which one', required: true },
          { name: 'agentId', description: 'On whom', required: false },
        ],
      },
      { name: 'talker', description: 'Take on the role of talker.' },
    ]);
    const got = await client.request('prompts/get', { name: 'wizard', arguments: { spell: '$1' } });
    expect(got.result?.messages).toEqual([
      { role: 'user', content: { type: 'text', text: expect.stringContaining('Cast $1.') } },
    ]);
    const talked = await client.request('prompts/get', { name: 'talker' });
    const messages = listOf<{ role: string; content: { text: string } }>(talked, 'messages');
    expect(messages.map(({ role, content }) => [role, content.text])).toEqual([
      ['user', 'Talk.'],
      ['user', 'More.'],
      ['assistant', 'Yes.'],
    ]);
    await client.end();
  });

  test('an argument that names an agent is completed with agent ids', async () => {
    const { client } = await start({ agents: [wizard, defineAgent({ name: 'witch' })] });
    const complete = async (name: string, value: string) => {
      const ref = { type: 'ref/prompt', name: 'wizard' };
      return (await client.request('completion/complete', { ref, argument: { name, value } })).result?.completion;
    };
    expect(await complete('agentId', 'wi')).toEqual({ values: ['wizard', 'witch'], total: 2, hasMore: false });
    expect(await complete('spell', 'f')).toEqual({ values: [], total: 0, hasMore: false });
    await client.end();
  });
});

describe('resources', () => {
  test('are listed, read, described by templates and completed', async () => {
    const { client } = await start({ agents: [wizard] });
    const listed = await client.request('resources/list');
    expect(listed.result?.resources).toMatchObject([
      { uri: 'agent-zoo://agents' },
      { uri: 'agent-zoo://agents/wizard' },
      { uri: 'agent-zoo://documents' },
    ]);
    const templates = (await client.request('resources/templates/list')).result?.resourceTemplates;
    expect(templates).toHaveLength(5);
    const read = await client.request('resources/read', { uri: 'agent-zoo://agents/wizard' });
    const [contents] = listOf(read, 'contents');
    expect(JSON.parse(contents?.text ?? '')).toEqual(wizard.agent);
    const completed = await client.request('completion/complete', {
      ref: { type: 'ref/resource', uri: 'agent-zoo://agents/{id}/brain' },
      argument: { name: 'id', value: 'w' },
    });
    expect(completed.result?.completion).toMatchObject({ values: ['wizard'] });
    await client.end();
  });

  test.each([
    [{}, -32002],
    [envelope(), -32602],
  ])('an unknown one has the code of its revision %#', async (meta, code) => {
    const { client } = await start();
    const uri = 'agent-zoo://agents/nobody';
    const { error } = await client.request('resources/read', { uri, ...meta });
    expect(error).toMatchObject({ code, data: { uri } });
    await client.end();
  });

  test('a subscriber to a document is notified that it may have changed, even in the view of an agent that may read it', async () => {
    const reader = defineAgent({ name: 'reader', tools: ['get'] });
    const writer = defineAgent({ name: 'writer', tools: ['sources'] });
    const { client, hub } = await start({ agents: [reader, writer], agent: 'reader' });
    const other = new LineClient(hub, { agent: 'writer' });
    for (const each of [client, other]) await each.initialize();
    const uri = 'agent-zoo://documents/doc_1';
    await client.request('resources/subscribe', { uri });
    const updated = client.until((message) => message.method === 'notifications/resources/updated');
    const listed = client.until((message) => message.method === 'notifications/resources/list_changed');
    hub.knowledge.events.emit({ type: 'changed' });
    expect((await updated).params).toEqual({ uri });
    await listed;
    await other.request('ping');
    expect(other.received.map(({ method }) => method)).not.toContain('notifications/resources/list_changed');
    for (const each of [client, other]) await each.end();
  });

  test('a subscriber is notified of a changed brain until it unsubscribes', async () => {
    const { client, hub } = await start({ agents: [wizard] });
    await client.initialize();
    const uri = 'agent-zoo://agents/wizard/brain';
    await client.request('resources/subscribe', { uri });
    const updated = client.until((message) => message.method === 'notifications/resources/updated');
    await hub.brain.create('wizard', { type: 'note', content: 'Remember.' });
    expect((await updated).params).toEqual({ uri });
    await client.request('resources/unsubscribe', { uri });
    const count = client.received.length;
    await hub.brain.create('wizard', { type: 'note', content: 'Again.' });
    await client.request('ping');
    expect(client.received.length).toBe(count + 1);
    await client.end();
  });
});

describe('changes', () => {
  test('many edits in one turn cause one notification for each list', async () => {
    const { client, hub } = await start();
    await client.initialize();
    const heard = client.until((message) => message.method === 'notifications/resources/list_changed');
    for (const name of ['a', 'b', 'c']) hub.agents.register(defineAgent({ name }));
    for (const name of ['new', 'newer']) hub.tools.register(tool(name, () => ({})));
    await heard;
    await client.request('ping');
    const methods = client.received.map((message) => message.method).filter(Boolean);
    expect(methods).toEqual([
      'notifications/tools/list_changed',
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
    ]);
    await client.end();
  });

  test('a client is not notified before its handshake is complete', async () => {
    const { client, hub } = await start();
    hub.agents.register(defineAgent({ name: 'early' }));
    await client.request('ping');
    await client.request('ping');
    expect(client.received.filter((message) => message.method)).toEqual([]);
    await client.end();
  });

  test('a subscription of 2026-07-28 is notified of what it asked for, until it is cancelled', async () => {
    const controller = new AbortController();
    const { client, hub } = await start({ signal: controller.signal });
    const filter = { promptsListChanged: true, resourceSubscriptions: ['agent-zoo://agents'] };
    const acknowledged = client.until((message) => message.method === 'notifications/subscriptions/acknowledged');
    const listen = (id: string) =>
      client.write({
        jsonrpc: '2.0',
        id,
        method: 'subscriptions/listen',
        params: { notifications: filter, ...envelope() },
      });
    listen('one');
    const _meta = { 'io.modelcontextprotocol/subscriptionId': 'one' };
    expect((await acknowledged).params).toEqual({ notifications: filter, _meta });
    const heard = client.until((message) => message.method === 'notifications/resources/updated');
    hub.agents.register(defineAgent({ name: 'a' }));
    expect((await heard).params).toEqual({ uri: 'agent-zoo://agents', _meta });
    expect(client.received.map((message) => message.method)).toContain('notifications/prompts/list_changed');
    expect(client.received.map((message) => message.method)).not.toContain('notifications/resources/list_changed');
    client.notify('notifications/cancelled', { requestId: 'one' });
    listen('two');
    await client.request('ping');
    const closed = client.until((message) => message.id === 'two');
    controller.abort();
    expect((await closed).result).toMatchObject({ resultType: 'complete' });
    await client.done;
    expect(client.received.some((message) => message.id === 'one')).toBe(false);
  });
});

describe('one agent', () => {
  test('that was deleted gets no handshake in the name of the hub', async () => {
    const hub = await openMcpHub({});
    open.push(hub);
    await createAgent(hub, { name: 'Temp' });
    const client = new LineClient(hub, { agent: 'temp' });
    expect((await client.initialize()).result).toBeDefined();
    await deleteAgent(hub, 'temp', null);
    await hub.agents.refresh();
    expect((await client.initialize()).error).toMatchObject({ message: expect.stringContaining("'temp'") });
  });

  test('limits the view to its tools, its prompt and its resources', async () => {
    const { client } = await start({ agents: [wizard, defineAgent({ name: 'other' })], agent: 'wizard' });
    const { result } = await client.initialize();
    expect(result).toMatchObject({
      serverInfo: { name: 'agent-zoo', title: 'Agent Zoo: Wizard' },
      instructions: expect.stringContaining(compilePrompt(wizard.agent).text),
    });
    const names = async (method: string, field: string, key: string) =>
      listOf(await client.request(method), field).map((each) => each[key]);
    expect(await names('tools/list', 'tools', 'name')).toEqual(['agent_zoo_inject']);
    expect(await names('prompts/list', 'prompts', 'name')).toEqual(['wizard']);
    const own = 'agent-zoo://agents/wizard';
    expect(await names('resources/list', 'resources', 'uri')).toEqual([own, `${own}/brain`]);
    expect(await names('resources/templates/list', 'resourceTemplates', 'uriTemplate')).toEqual([
      `${own}/brain/{entryId}`,
      `${own}/context/{ref}`,
    ]);
    await client.end();
  });

  test.each<[string, object]>([
    ['prompts/get', { name: 'other' }],
    ['resources/read', { uri: 'agent-zoo://agents/other' }],
    ['resources/read', { uri: 'agent-zoo://agents' }],
    ['resources/subscribe', { uri: 'agent-zoo://agents/other' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'other' }, argument: { name: 'a', value: '' } }],
    [
      'completion/complete',
      { ref: { type: 'ref/resource', uri: 'agent-zoo://agents/{id}' }, argument: { name: 'id', value: '' } },
    ],
  ])('%s %j shows nothing of another agent', async (method, params) => {
    const { client } = await start({ agents: [wizard, defineAgent({ name: 'other' })], agent: 'wizard' });
    expect((await client.request(method, params)).error).toBeDefined();
    await client.end();
  });

  test('an edit of the scope applies to the next call and is announced', async () => {
    const { hub } = await start();
    await createAgent(hub, { id: 'clerk', name: 'Clerk', tools: ['agent_zoo_inject'] });
    const client = new LineClient(hub, { agent: 'clerk' });
    await client.initialize();
    const call = { name: 'agent_zoo_list_agents', arguments: {} };
    expect((await client.request('tools/call', call)).result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('PERMISSION_DENIED') }],
    });
    const announced = client.until((message) => message.method === 'notifications/tools/list_changed');
    await updateAgent(hub, 'clerk', { input: { name: 'Clerk', tools: ['agent_zoo_list_*'] }, expectedRevision: null });
    expect((await client.request('tools/call', call)).result).not.toHaveProperty('isError');
    await announced;
    const listed = listOf(await client.request('tools/list'), 'tools');
    expect(listed.map((each) => each.name)).toEqual(['agent_zoo_list_agents']);
    await deleteAgent(hub, 'clerk', null);
    expect((await client.request('tools/list')).error?.message).toContain('clerk');
    await client.end();
  });

  test('an unknown agent ends the server before anything is read', async () => {
    const { client } = await start({ agent: 'nobody' });
    await expect(client.done).rejects.toThrow(HubError);
    await expect(client.done).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
  });
});

test('long lists are paged, and every entry appears once', async () => {
  const agents = Array.from({ length: 12_000 }, (_, index) => defineAgent({ name: `agent-${index}` }));
  const { client } = await start({ agents });
  const names: string[] = [];
  let cursor: unknown;
  let pages = 0;
  do {
    const answer = await client.request('prompts/list', cursor ? { cursor } : {});
    names.push(...listOf(answer, 'prompts').map((prompt) => prompt.name ?? ''));
    cursor = answer.result?.nextCursor;
    pages += 1;
  } while (cursor);
  expect(pages).toBe(3);
  expect(new Set(names).size).toBe(12_000);
  expect(names).toHaveLength(12_000);
  await client.end();
});

test('the server stops reading from a client that does not read, and every reply arrives once it does', async () => {
  const { hub } = await start();
  const input = new PassThrough();
  const output = new PassThrough();
  const done = serveMcpStdio(hub, { input, output });
  const total = 20_000;
  const line = (id: number) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`;
  const feeding = pipeline(
    (function* () {
      for (let id = 0; id < total; id += 1) yield line(id);
    })(),
    input,
  );
  await vi.waitFor(() => expect(input.isPaused()).toBe(true));
  expect(output.readableLength + output.writableLength).toBeLessThan(1_000_000);
  let answers = 0;
  output.on('data', (chunk: Buffer) => {
    answers += chunk.toString().split('\n').length - 1;
  });
  await feeding;
  await done;
  await vi.waitFor(() => expect(answers).toBe(total));
});

describe('a client that misbehaves', () => {
  test.each<[string, object]>([
    ['an answer to nothing', { id: 'zoo-1', result: {} }],
    ['an error about a message without an id', { id: null, error: { code: -32700, message: 'What?' } }],
  ])('%s gets no reply, so that two peers cannot go on forever', async (_what, response) => {
    const { client } = await start();
    await client.initialize();
    client.write({ jsonrpc: '2.0', ...response });
    await client.request('ping');
    expect(client.received.filter((message) => message.error)).toEqual([]);
    await client.end();
  });

  test('a tool that keeps asking after an unanswered question still ends', async () => {
    const stubborn = tool('stubborn', async ({ client }) => {
      await client.roots().catch(() => {});
      return client.roots();
    });
    const { client } = await start({ tools: [stubborn] });
    const { result } = await client.request('tools/call', { name: 'stubborn', ...envelope({ roots: {} }) });
    expect(result).toMatchObject({ resultType: 'input_required' });
    await client.end();
  });

  test('a tool that asks after the client disconnected is refused at once', async () => {
    const { promise: gone, resolve: goAway } = Promise.withResolvers<void>();
    const late = tool('late', async ({ client }) => {
      await gone;
      return client.roots();
    });
    const { client, hub } = await start({ tools: [late] });
    await client.initialize('2025-11-25', { roots: {} });
    client.write({ jsonrpc: '2.0', id: 'late', method: 'tools/call', params: { name: 'late' } });
    await vi.waitFor(async () => expect((await hub.decisions.page()).entries).toHaveLength(1));
    client.input.end();
    await new Promise((resolve) => client.input.once('close', resolve));
    goAway();
    await client.done;
    expect(JSON.stringify(client.received.at(-1)?.result)).toContain('disconnected');
  });

  test('the input stays paused after the end, even if a call ends then', async () => {
    const ending = new AbortController();
    const wait = tool('wait', ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', reject)));
    const { client, hub } = await start({ tools: [wait], signal: ending.signal });
    await client.initialize();
    client.write({ jsonrpc: '2.0', id: 'w', method: 'tools/call', params: { name: 'wait' } });
    await vi.waitFor(async () => expect((await hub.decisions.page()).entries).toHaveLength(1));
    ending.abort();
    await client.done;
    expect(client.input.isPaused()).toBe(true);
  });

  test('a server that is stopped does not wait for a client that does not read', async () => {
    const hub = await openMcpHub();
    open.push(hub);
    const [input, output, ending] = [new PassThrough(), new PassThrough(), new AbortController()];
    const done = serveMcpStdio(hub, { input, output, signal: ending.signal });
    for (let id = 0; id < 100; id += 1)
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' })}\n`);
    await vi.waitFor(() => expect(output.writableNeedDrain).toBe(true));
    ending.abort();
    await done;
    expect(output.writableNeedDrain).toBe(true);
  });

  test('changes are announced once when a client that did not read reads again', async () => {
    const hub = await openMcpHub();
    open.push(hub);
    const [input, output] = [new PassThrough(), new PassThrough()];
    const done = serveMcpStdio(hub, { input, output });
    const lines = [
      { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } },
      { method: 'notifications/initialized' },
      ...Array.from({ length: 200 }, (_, id) => ({ id: `list-${id}`, method: 'tools/list' })),
    ];
    input.write(lines.map((line) => `${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`).join(''));
    await vi.waitFor(() => expect(output.writableNeedDrain).toBe(true));
    for (let index = 0; index < 200; index += 1) {
      hub.tools.register(tool(`new-${index}`, () => ({})));
      await new Promise((resolve) => setImmediate(resolve));
    }
    let text = '';
    output.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    input.end();
    await done;
    expect(text).toContain('"id":"list-199"');
    const said = text.split('notifications/tools/list_changed').length - 1;
    expect(said).toBeGreaterThan(0);
    expect(said).toBeLessThan(10);
  });
});
