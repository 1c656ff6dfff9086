import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineTool } from '../../src/tools/tool.ts';
import { connectV1, connectV2, inspector, type McpTarget, type McpTestClient } from '../support/clients/mcp-clients.ts';
import { runZooProcess, zooScript } from '../support/command/run-zoo.ts';
import { serveTestHub } from '../support/hubs/serve-test-hub.ts';
import type { ModelStep, RecordedModelRequest } from '../support/models/model-server.ts';
import {
  bookFlight,
  type FlightDesk,
  flightAgent,
  openFlightDesk,
  paris,
  parisPrompt,
  questionOf,
  toolsOffered,
} from '../support/tools/book-flight.ts';

/** Looks up the flight if it can, then answers with its question. */
function bookIt(request: RecordedModelRequest): ModelStep {
  const isFirst = request.body.messages.at(-1)?.role === 'user';
  const lookUp = toolsOffered(request).find((name) => name === 'agent_zoo_list_agents');
  if (isFirst && lookUp) return { text: 'Let me look.', toolCalls: [{ name: lookUp, arguments: {} }] };
  return { text: ['Booked. ', `You asked: ${questionOf(request)}`] };
}

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  requiresApproval: true,
  input: { jsonSchema: { type: 'object' } },
  run: () => ({ paid: true }),
});

let desk: FlightDesk;
beforeAll(async () => {
  desk = await openFlightDesk(bookIt, { tools: [pay] });
  await desk.store({ tools: ['agent_zoo_list_agents', 'pay'], toolPermission: 'tool' });
});
afterAll(() => desk.end());

const stdioTarget = (): McpTarget => ({
  command: process.execPath,
  args: [zooScript, 'agent', 'serve', flightAgent.id],
  env: { PATH: process.env.PATH ?? '', HOME: desk.folder, ...desk.env },
});
const httpTarget = (): McpTarget => ({ url: desk.address() });

const clients: [who: string, connect: () => Promise<McpTestClient>][] = [
  ['the SDK v1 client over HTTP', () => connectV1(httpTarget())],
  ['the SDK v1 client on stdio', () => connectV1(stdioTarget())],
  ['the SDK v2 client over HTTP with sessions', () => connectV2(httpTarget(), 'legacy')],
  ['the SDK v2 client over HTTP at 2026-07-28', () => connectV2(httpTarget(), { pin: '2026-07-28' })],
  ['the SDK v2 client on stdio', () => connectV2(stdioTarget(), 'legacy')],
  ['the Inspector over HTTP', async () => inspector(httpTarget(), desk.folder)],
  ['the Inspector on stdio', async () => inspector(stdioTarget(), desk.folder)],
];

describe('the book_flight agent, stored over HTTP', () => {
  it.each(clients)('is called by %s: prompt, session, tools and result', async (_who, connect) => {
    const client = await connect();
    expect(await client.toolNames()).toEqual(['book_flight']);
    const asked = desk.model.requests.length;
    const result = await client.call('book_flight', paris);
    expect(result.isError ?? false).toBe(false);
    expect(result.content).toEqual([{ type: 'text', text: `Booked. You asked: ${parisPrompt}` }]);
    const requests = desk.model.requests.slice(asked);
    expect(requests).toHaveLength(2);
    for (const request of requests) {
      expect(questionOf(request)).toBe(parisPrompt);
      expect(toolsOffered(request)).toEqual(['agent_zoo_list_agents']);
      // Only the system text and this question, nothing from earlier calls.
      expect(request.body.messages.filter(({ role }) => role === 'user')).toHaveLength(1);
    }
    await client.close();
  });

  it('is called through a second hub that has it as an external server', async () => {
    const toml = `[mcp_servers.desk]\nurl = "${desk.address()}"\n`;
    const outer = await serveTestHub({ anonymous: 'work', toml });
    await (await outer.hub.servers.open()).connect('desk');
    const client = await connectV1({ url: `${outer.server.url}/mcp` });
    expect(await client.toolNames()).toContain('mcp__desk__book_flight');
    const result = await client.call('mcp__desk__book_flight', paris);
    expect(result.content).toEqual([{ type: 'text', text: `Booked. You asked: ${parisPrompt}` }]);
    await client.close();
    await outer.end();
  });

  it('shows the name, description and parameters of the definition, and nothing else', async () => {
    const client = await connectSdk(desk.address());
    const { tools } = await client.listTools();
    const { name, description, parameters } = bookFlight;
    expect(tools).toEqual([{ name, description, inputSchema: parameters }]);
    await client.close();
  });

  it("has the agent's server info, not a hard-coded one", async () => {
    for (const client of [await connectSdk(desk.address()), await connectSdkOnStdio()]) {
      expect(client.getServerVersion()).toEqual({ name: 'Flight desk', version: '2.3.1' });
      expect(client.getInstructions()).toBe('Books flights, and nothing else.');
      expect(Object.keys(client.getServerCapabilities() ?? {}).sort()).toEqual(['logging', 'tools']);
      await expect(client.listPrompts()).rejects.toThrow(/prompts/);
      await client.close();
    }
  });

  it('logs its calls and those of its tools, with the agent as persona', async () => {
    const before = await rows();
    const client = await connectSdk(desk.address());
    await client.callTool({ name: 'book_flight', arguments: paris });
    await client.close();
    const fresh = (await rows()).slice(before.length);
    expect(fresh.map(({ tool, kind, surface, persona }) => [tool, kind, surface, persona])).toEqual([
      ['book_flight', 'invocation', 'mcp', 'flights'],
      ['agent_zoo_list_agents', 'invocation', 'engine', 'flights'],
      ['agent_zoo_list_agents', 'result', 'engine', 'flights'],
      ['book_flight', 'result', 'mcp', 'flights'],
    ]);
  });

  it.each([
    ['always', []],
    ['never', ['agent_zoo_list_agents', 'pay']],
    ['tool', ['agent_zoo_list_agents']],
  ])('with toolPermission "%s" the model is offered %j', async (toolPermission, names) => {
    await desk.store({ id: `asks-${toolPermission}`, tools: ['agent_zoo_list_agents', 'pay'], toolPermission });
    const asked = desk.model.requests.length;
    const client = await connectSdk(desk.address(`asks-${toolPermission}`));
    const result = await client.callTool({ name: 'book_flight', arguments: paris });
    expect(result.isError ?? false).toBe(false);
    const [request] = desk.model.requests.slice(asked);
    expect(request && toolsOffered(request).sort()).toEqual(names);
    await client.close();
  });

  it('frees every session', async () => {
    expect(await desk.hub.sessions.count()).toBe(0);
    expect((await desk.hub.store.runs.list({ limit: 5 })).runs).toEqual([]);
  });
});

describe('an agent that cannot be served', () => {
  it.each([
    ['nobody', 404, /'nobody'.*not found/i],
    ['chatty', 409, /"chatty" is in interactive mode.*set its mode to "tools"/],
  ])('/agents/%s/mcp answers %i and says why', async (agentId, status, message) => {
    await desk.store({ id: 'chatty', mode: 'interactive', exposes: [] });
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const answer = await desk.call<{ error: { message: string } }>('POST', `/agents/${agentId}/mcp`, { body });
    expect(answer.status).toBe(status);
    expect(answer.body.error.message).toMatch(message);
  });

  it.each([
    [['nobody'], /There is no agent "nobody"/],
    [['chatty'], /is in interactive mode/],
    [['flights', '--bind', '127.0.0.1:0'], /--bind works only with --http/],
  ])('zoo agent serve %j ends with an error message', async (args, message) => {
    const { code, stdout, stderr } = await runZooProcess(['agent', 'serve', ...args], {
      cwd: desk.folder,
      env: desk.env,
    });
    expect(code).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
  });

  it('the address of an agent accepts no other agent and no member', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    expect((await desk.call('POST', '/agents/flights/mcp?agent=chatty', { body })).status).toBe(400);
  });
});

async function connectSdk(url: string): Promise<Client> {
  const client = new Client({ name: 'journey', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

async function connectSdkOnStdio(): Promise<Client> {
  const client = new Client({ name: 'journey', version: '1' });
  const target = stdioTarget();
  if ('url' in target) throw new Error('a command was expected');
  await client.connect(new StdioClientTransport({ ...target, stderr: 'inherit' }));
  return client;
}

async function rows() {
  const { entries } = await desk.hub.decisions.page({ limit: 500 });
  return entries.toReversed();
}
