import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { HubError } from '../../src/base/hub-error.ts';
import { serversContract } from '../../src/servers/servers.contract.ts';
import { ServerInfo } from '../../src/servers/servers.ts';
import { defineTool } from '../../src/tools/tool.ts';
import type { ToolDetailBody, ToolTrialBody } from '../../src/tools/tools.contract.ts';
import { resultsOf, textOf } from '../support/command/run-with.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';
import { startModelServer, type TestModelServer } from '../support/models/model-server.ts';
import { npmServer } from '../support/servers/npm-servers.ts';

const ServerListBody = serversContract.operations['GET /api/servers'].output;

const secret = 'value-that-nobody-may-see';
const toml = (modelUrl: string) => `[mcp_servers.everything]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(npmServer('everything'))}]
env = { API_TOKEN = "${secret}" }

[agents.narrow]
system_prompt = "You echo."
tools = ["mcp__everything__echo"]

[agents.wide]
system_prompt = "You do more."
tools = ["mcp__everything__*"]

[mcp_servers.shelf]
command = ${JSON.stringify(process.execPath)}
enabled = false

[providers.house]
type = "openai-compatible"
base_url = "${modelUrl}"

[agents.reader]
system_prompt = "You call mcp__shelf__read."
model = "house/scripted"
tools = ["mcp__shelf__*"]
`;

let collector: Server;
const spans: { name: string; traceId: string; parentSpanId?: string; status?: { code?: number; message?: string } }[] =
  [];
let hub: TestHub;
let model: TestModelServer;

beforeAll(async () => {
  collector = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    for (const { scopeSpans } of JSON.parse(text).resourceSpans)
      for (const each of scopeSpans) spans.push(...each.spans);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  model = await startModelServer();
  hub = await serveTestHub({
    anonymous: 'work',
    toml: toml(model.url),
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` },
  });
  const servers = await hub.hub.servers.open();
  await servers.connect('everything');
});
afterAll(async () => {
  await hub.end();
  await model.close();
  collector.closeAllConnections();
  collector.close();
});

async function connect(query = ''): Promise<Client> {
  const client = new Client({ name: 'journey', version: '1' }, { capabilities: {} });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${hub.server.url}/mcp${query}`)));
  return client;
}

describe('tools of an external server are offered by the hub', () => {
  it('on the whole hub with their own schemas, and a call is logged', async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    const echo = tools.find(({ name }) => name === 'mcp__everything__echo');
    expect(echo).toMatchObject({ title: 'Echo Tool', inputSchema: { required: ['message'] } });
    const result = await client.callTool({ name: 'mcp__everything__echo', arguments: { message: 'through the hub' } });
    expect(result).toEqual({ content: [{ type: 'text', text: 'Echo: through the hub' }] });
    const { decisions } = (
      await hub.call<{ decisions: { kind: string }[] }>('GET', '/api/decisions?tool=mcp__everything__echo')
    ).body;
    expect(decisions.map(({ kind }) => kind)).toEqual(['result', 'invocation']);
    await client.close();
  });

  it('within the scope of an agent, whatever a client asks for', async () => {
    const client = await connect('?agent=narrow');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['mcp__everything__echo']);
    const refused = await client.callTool({ name: 'mcp__everything__get-sum', arguments: { a: 1, b: 2 } });
    expect(refused).toMatchObject({ isError: true });
    expect(JSON.stringify(refused.content)).toContain('PERMISSION_DENIED');
    await client.close();
  });

  it('with the input checked by the hub, so that a mistake causes no call', async () => {
    const client = await connect();
    const wrong = await client.callTool({ name: 'mcp__everything__get-sum', arguments: { a: 'one' } });
    expect(JSON.stringify(wrong.content)).toMatch(/INVALID_ARGUMENTS.*b: is required/);
    await client.close();
  });

  it('with images, structured content and errors as the server sent them', async () => {
    const client = await connect();
    const image = await client.callTool({ name: 'mcp__everything__get-tiny-image', arguments: {} });
    expect(image.content).toContainEqual(expect.objectContaining({ type: 'image', mimeType: 'image/png' }));
    const weather = await client.callTool({
      name: 'mcp__everything__get-structured-content',
      arguments: { location: 'Chicago' },
    });
    expect(weather.structuredContent).toMatchObject({ temperature: expect.any(Number) });
    await client.close();
  });

  it('and the list changes for connected clients when a tool is turned off', async () => {
    const client = await connect();
    const changed = new Promise<void>((resolve) => {
      client.fallbackNotificationHandler = async ({ method }) => {
        if (method === 'notifications/tools/list_changed') resolve();
      };
    });
    await hub.call('PATCH', '/api/servers/everything/tools/get-env', { body: { enabled: false } });
    await changed;
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain('mcp__everything__get-env');
    await client.close();
  });
});

describe('a tool of a server that is disabled', () => {
  const tool = 'mcp__shelf__read';
  const words = 'The server "shelf" is disabled. Enable it: set enabled = true in zoo.toml [mcp_servers.shelf].';

  it('is refused with the same message on every surface, and logged each time', async () => {
    const client = await connect('?agent=reader');
    const overMcp = await client.callTool({ name: tool, arguments: {} });
    await client.close();
    expect(overMcp).toMatchObject({ isError: true });
    expect(JSON.parse((overMcp.content as { text: string }[])[0]?.text ?? '')).toEqual({
      error: true,
      code: 'UNAVAILABLE',
      message: words,
      retryable: false,
    });

    const member = { id: 'reading-worker', type: 'WORKER', agent: 'reader' };
    const { token } = (await hub.call<{ token: string }>('POST', '/api/team/members', { body: member })).body;
    const asMember = await hub.call('POST', '/mcp/execute', {
      body: { agentId: member.id, toolName: tool, input: {} },
      headers: { authorization: `Bearer ${token}` },
    });
    expect([asMember.status, asMember.body.error]).toMatchObject([
      503,
      { code: 'TRANSIENT_ERROR', message: words, details: { retryable: false } },
    ]);

    const overHttp = await hub.call('POST', `/tools/${tool}`, { body: {} });
    expect([overHttp.status, overHttp.body.error]).toMatchObject([
      503,
      { code: 'unavailable', message: words, retryable: false },
    ]);

    model.add({ toolCalls: [{ id: 'call-1', name: tool, arguments: {} }] }, { text: 'It cannot be read.' });
    const run = await hub.hub.runAgent({ agentId: 'reader', input: 'Read.' });
    const { messages } = await run.result;
    expect(resultsOf(messages).map(textOf)).toEqual([`UNAVAILABLE: ${words}`]);

    const { decisions } = (
      await hub.call<{ decisions: { kind: string; surface: string; context: unknown }[] }>(
        'GET',
        `/api/decisions?tool=${tool}`,
      )
    ).body;
    expect(decisions.map(({ kind, surface }) => [kind, surface])).toEqual([
      ['error', 'engine'],
      ['error', 'http'],
      ['error', 'http'],
      ['error', 'mcp'],
    ]);
  });

  it('is unknown to callers without permission', async () => {
    const client = await connect('?agent=narrow');
    const answer = async (name: string) =>
      JSON.stringify((await client.callTool({ name, arguments: {} })).content).replaceAll(name, 'it');
    const known = await answer(tool);
    expect(known).toBe(await answer('mcp__nothing__at_all'));
    expect(known).not.toContain('disabled');
    await client.close();
  });
});

describe('over HTTP', () => {
  it('servers are shown with state and tools, and no secret', async () => {
    const { body, text } = await hub.call<z.output<typeof ServerListBody>>('GET', '/api/servers');
    expect(body.servers).toMatchObject([
      { name: 'everything', origin: 'config', state: { kind: 'connected' } },
      { name: 'shelf', state: { kind: 'disabled' } },
    ]);
    expect(text).not.toContain(secret);
    expect((await hub.call<ServerInfo>('GET', '/api/servers/everything')).body.definition).toMatchObject({
      env: { API_TOKEN: '••••••••' },
    });
  });

  it('the list has tool names, a single server has full tools, and both match the API contract', async () => {
    const list = await hub.call<z.output<typeof ServerListBody>>('GET', '/api/servers');
    const one = await hub.call<ServerInfo>('GET', '/api/servers/everything');
    expect(list.text).not.toContain('inputSchema');
    expect(list.body.servers[0]?.tools).toContainEqual({
      remoteName: 'echo',
      localName: 'mcp__everything__echo',
      status: 'active',
    });
    expect(list.body.servers[0]?.tools).toHaveLength(one.body.tools.length);
    expect(one.body.tools[0]?.accepted?.inputSchema).toMatchObject({ type: 'object' });
    // Parsing would drop unknown keys.
    expect(ServerListBody.parse(list.body)).toEqual(list.body);
    expect(ServerInfo.parse(one.body)).toEqual(one.body);
  });

  it('a secret that a tool repeats is in its result, and in no log', async () => {
    const value = 'kept-in-the-vault-only';
    const definition = {
      transport: 'stdio',
      command: process.execPath,
      args: [npmServer('everything')],
      env: { OTHER_TOKEN: value },
    };
    await hub.call('POST', '/api/servers', { body: { name: 'stored', definition } });
    await hub.call('POST', '/api/servers/stored/connect');
    const { text } = await hub.call('POST', '/api/tools/mcp__stored__get-env/call', { body: {} });
    expect(text).toContain(value);
    const log = await hub.call('GET', '/api/decisions?tool=mcp__stored__get-env');
    expect(log.text).toContain('OTHER_TOKEN');
    expect(log.text).not.toContain(value);
    expect((await hub.call('DELETE', '/api/servers/stored')).status).toBe(200);
  });

  it('every tool is listed with who may call it', async () => {
    const { tools } = (await hub.call<{ tools: ToolDetailBody[] }>('GET', '/api/tools')).body;
    const echo = tools.find(({ name }) => name === 'mcp__everything__echo');
    expect(echo).toMatchObject({
      server: { name: 'everything', remoteName: 'echo' },
      agents: [{ id: 'narrow' }, { id: 'wide' }],
      memberTypes: ['SUPERVISOR'],
    });
    expect(tools.find(({ name }) => name === 'mcp__mail__send')).toMatchObject({ isForMembers: true, server: null });
  });

  it('a tool is tried through the pipeline, and a failure is a reply', async () => {
    const path = '/api/tools/mcp__everything__get-sum/call';
    const tried = (await hub.call<ToolTrialBody>('POST', path, { body: { input: { a: 1, b: 2 } } })).body;
    expect(tried).toMatchObject({ ok: true, isError: false, content: [{ text: 'The sum of 1 and 2 is 3.' }] });
    const wrong = (await hub.call<ToolTrialBody>('POST', path, { body: { input: {} } })).body;
    expect(wrong).toMatchObject({
      ok: false,
      error: { code: 'INVALID_ARGUMENTS', issues: [{ path: 'a' }, { path: 'b' }] },
    });
    const scoped = (await hub.call<ToolTrialBody>('POST', path, { body: { input: { a: 1, b: 2 }, agentId: 'narrow' } }))
      .body;
    expect(scoped).toMatchObject({ ok: false, error: { code: 'PERMISSION_DENIED' } });
  });

  it.each([
    ['GET', '/api/servers/nothing', undefined, 404],
    ['PUT', '/api/servers/everything', { definition: { transport: 'stdio', command: 'x' } }, 403],
    ['DELETE', '/api/servers/everything', undefined, 403],
    ['POST', '/api/servers', { name: 'mail', definition: { transport: 'stdio', command: 'x' } }, 400],
    ['POST', '/api/servers', { name: 'x', definition: { transport: 'telepathy' } }, 400],
    ['POST', '/api/servers', { name: 'everything', definition: { transport: 'stdio', command: 'x' } }, 409],
    ['PATCH', '/api/servers/everything/tools/nothing', { enabled: false }, 404],
    ['PATCH', '/api/servers/everything/tools/echo', { alias: 'has spaces' }, 400],
    ['PATCH', '/api/servers/everything/tools/echo', { alias: 'agent_zoo_inject' }, 409],
    ['POST', '/api/servers/everything/accept', { tools: [{ tool: 'nothing' }] }, 404],
    ['POST', '/api/servers/test', { name: 'x', definition: { transport: 'stdio', command: './none' } }, 503],
    ['GET', '/api/runs/nothing', undefined, 404],
    ['GET', '/api/providers/nothing/models', undefined, 400],
    ['PUT', '/api/providers/nothing/key', { key: 'long-enough-key' }, 404],
    ['PUT', '/api/providers/openai/key', { key: 'short' }, 400],
    ['PUT', '/api/providers/openai/key', { key: 'long-enough-key', baseUrl: 'https://other.example/v1' }, 409],
  ])('%s %s with %j is refused with an explanation', async (method, path, body, status) => {
    const before = (await hub.call('GET', '/api/servers')).text;
    const answer = await hub.call(method, path, body === undefined ? {} : { body });
    expect([answer.status, typeof answer.body.error?.message]).toEqual([status, 'string']);
    expect(answer.text).not.toContain('    at ');
    const after = (await hub.call('GET', '/api/servers')).text;
    expect(JSON.parse(after).servers.length).toBe(JSON.parse(before).servers.length);
  });

  it('the sign-in page shows errors as text', async () => {
    const wrong = await hub.call(
      'GET',
      `/oauth/callback?error=x&error_description=${encodeURIComponent('<script>1</script>')}`,
    );
    expect([wrong.status, wrong.headers.get('content-type')]).toEqual([400, expect.stringContaining('text/html')]);
    expect(wrong.text).not.toContain('<script>');
    expect((await hub.call('GET', '/oauth/callback?state=made-up&code=x')).status).toBe(400);
  });

  it('counters are available to Prometheus', async () => {
    const { text, headers } = await hub.call('GET', '/metrics');
    expect(headers.get('content-type')).toContain('text/plain');
    expect(text).toMatch(/^zoo_tool_calls_total\{tool="mcp__everything__echo",surface="mcp",outcome="result"\} [1-9]/m);
    expect(text).toMatch(/^zoo_servers\{state="connected"\} 1$/m);
    expect(text).toMatch(/^zoo_tool_call_duration_seconds_count\{surface="mcp"\} \d+$/m);
  });
});

describe('traces', () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const patient = 'patient John Doe';

  beforeAll(async () => {
    hub.hub.tools.register(
      defineTool({
        name: 'admit',
        description: 'Admits a patient',
        input: z.strictObject({ name: z.string() }),
        run: ({ name }) => {
          throw new HubError('TOOL_ERROR', `There is no bed for ${name}`);
        },
      }),
    );
    const client = await connect();
    const _meta = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    await client.callTool({ name: 'mcp__everything__echo', arguments: { message: 'traced' }, _meta });
    await client.callTool({ name: 'admit', arguments: { name: patient } });
    await client.callTool({ name: 'admit', arguments: { [patient]: patient } });
    await client.callTool({ name: patient, arguments: {} }).catch(() => {});
    await client.close();
    await hub.hub.tracer.close();
  });

  it("a call belongs to its client's trace", () => {
    const span = spans.find((each) => each.traceId === traceId);
    expect(span).toMatchObject({ name: 'execute_tool mcp__everything__echo', parentSpanId: 'b7ad6b7169203331' });
    expect(JSON.stringify(spans)).not.toContain('traced');
  });

  it('a failed call leaves no content: not from its error, its input or an invented tool name', () => {
    const statuses = (name: string) => spans.filter((each) => each.name === name).map(({ status }) => status);
    expect(statuses('execute_tool admit')).toEqual([
      { code: 2, message: 'TOOL_ERROR' },
      { code: 2, message: 'INVALID_ARGUMENTS' },
    ]);
    expect(statuses('execute_tool')).toContainEqual({ code: 2, message: 'UNKNOWN_TOOL' });
    expect(JSON.stringify(spans)).not.toContain('John Doe');
  });
});
