import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';
import { addressToVisit, richIcons } from '../support/servers/rich-server.ts';

const identity = { name: 'journey', version: '1' };
const visited = join(tmpdir(), `zoo-visited-${process.pid}`);
const script = fileURLToPath(new URL('../support/servers/rich-server.ts', import.meta.url));

/** The first hub connects to the server with sessions; the second connects to the first without. */
const hubs: Record<'first' | 'second', TestHub | undefined> = { first: undefined, second: undefined };
const names = {
  first: { rich: 'mcp__rich__rich', visit: 'mcp__rich__visit' },
  second: { rich: 'mcp__first__mcp__rich__rich', visit: 'mcp__first__mcp__rich__visit' },
};
type HubName = keyof typeof hubs;

beforeAll(async () => {
  hubs.first = await serveTestHub({
    anonymous: 'work',
    toml: `[mcp_servers.rich]
command = ${JSON.stringify(process.execPath)}
args = ${JSON.stringify([script, visited])}
`,
  });
  await (await hubs.first.hub.servers.open()).connect('rich');
  hubs.second = await serveTestHub({
    anonymous: 'work',
    toml: `[mcp_servers.first]\nurl = "${hubs.first.server.url}/mcp"\n`,
  });
  const second = await (await hubs.second.hub.servers.open()).connect('first');
  expect(second.state).toMatchObject({ kind: 'connected', protocolVersion: '2026-07-28' });
});
afterAll(async () => {
  await hubs.second?.end();
  await hubs.first?.end();
  await rm(visited, { force: true });
});
beforeEach(() => rm(visited, { force: true }));

interface Connected {
  tool(name: string): Promise<object | undefined>;
  call(name: string): Promise<object>;
  close(): Promise<void>;
}

interface ConnectOptions {
  /** The user who is shown a URL; without one, the client cannot show URLs. */
  visit?: (question: object) => Promise<void>;
}

const clients = {
  async session(hub: HubName, { visit }: ConnectOptions = {}): Promise<Connected> {
    const client = new ClientV1(identity, { capabilities: visit ? { elicitation: { url: {} } } : {} });
    if (visit)
      client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
        await visit(params);
        return { action: 'accept' };
      });
    await client.connect(new HttpV1(new URL(`${hubs[hub]?.server.url}/mcp`)));
    return {
      tool: async (name) => (await client.listTools()).tools.find((tool) => tool.name === name),
      call: (name) => client.callTool({ name, arguments: {} }),
      close: () => client.close(),
    };
  },
  async stateless(hub: HubName, { visit }: ConnectOptions = {}): Promise<Connected> {
    const client = new ClientV2(identity, {
      capabilities: visit ? { elicitation: { url: {} } } : {},
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    });
    if (visit)
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        await visit(params);
        return { action: 'accept' as const };
      });
    await client.connect(new HttpV2(new URL(`${hubs[hub]?.server.url}/mcp`)));
    return {
      tool: async (name) => (await client.listTools()).tools.find((tool) => tool.name === name),
      call: (name) => client.callTool({ name, arguments: {} }),
      close: () => client.close(),
    };
  },
};
type Era = keyof typeof clients;

const ways: [HubName, Era][] = [
  ['first', 'session'],
  ['first', 'stateless'],
  ['second', 'session'],
  ['second', 'stateless'],
];

describe.each(ways)('through the %s hub, to a client of the %s era', (hub, era) => {
  it('a tool keeps its title and the icons that can be shown', async () => {
    const client = await clients[era](hub);
    expect(await client.tool(names[hub].rich)).toMatchObject({ title: 'A rich tool' });
    expect(await client.tool(names[hub].rich)).toHaveProperty('icons', richIcons);
    await client.close();
  });

  it('a result keeps the _meta of its server, and the hub is the responder', async () => {
    const client = await clients[era](hub);
    const { _meta, content } = (await client.call(names[hub].rich)) as { _meta?: object; content: object };
    expect(content).toEqual([{ type: 'text', text: 'rich' }]);
    expect(_meta).toHaveProperty(['example.com/cost'], { tokens: 3 });
    expect(JSON.stringify(_meta)).not.toContain('other');
    if (era === 'stateless') expect(_meta).toHaveProperty(['io.modelcontextprotocol/serverInfo', 'name'], 'agent-zoo');
    await client.close();
  });
});

describe('a tool that requires the user to visit a URL first', () => {
  const go = () => writeFile(visited, '');

  it("passes the server's error with the complete URL to a client with sessions", async () => {
    const client = await clients.session('first', { visit: go });
    const failed: unknown = await client.call(names.first.visit).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: -32042 });
    expect(failed).toHaveProperty('data', {
      elicitations: [{ mode: 'url', elicitationId: 'visit-1', url: addressToVisit, message: 'Connect your account.' }],
    });
    await go();
    expect(await client.call(names.first.visit)).toMatchObject({ content: [{ text: 'welcome' }] });
    await client.close();
    const { text } = (await hubs.first?.call('GET', `/api/decisions?tool=${names.first.visit}`)) ?? { text: '' };
    expect(text).toContain('An account is needed.');
    expect(text).not.toContain('abcdef0123456789');
  });

  it.each([
    ['first', 'stateless'],
    ['second', 'session'],
    ['second', 'stateless'],
  ] as const)('asks through the %s hub a client of the %s era, and runs after the visit', async (hub, era) => {
    const questions: object[] = [];
    const client = await clients[era](hub, {
      visit: async (question) => {
        questions.push(question);
        await go();
      },
    });
    expect(await client.call(names[hub].visit)).toMatchObject({ content: [{ text: 'welcome' }] });
    expect(questions).toMatchObject([{ mode: 'url', url: addressToVisit, message: 'Connect your account.' }]);
    await client.close();
  });

  it("ends with the server's message if the user agreed but did not visit the URL", async () => {
    let asked = 0;
    const client = await clients.stateless('first', {
      visit: async () => {
        asked += 1;
      },
    });
    const result = await client.call(names.first.visit);
    expect(result).toHaveProperty('isError', true);
    expect(JSON.stringify(result)).toContain('An account is needed.');
    expect(asked).toBe(1);
    await client.close();
  });

  it('fails for a client that cannot show a URL', async () => {
    const session = await clients.session('first');
    const result = await session.call(names.first.visit);
    expect(result).toHaveProperty('isError', true);
    expect(JSON.stringify(result)).toContain('An account is needed.');
    await session.close();
    const stateless = await clients.stateless('first');
    await expect(stateless.call(names.first.visit)).rejects.toHaveProperty('code', -32021);
    await stateless.close();
  });
});
