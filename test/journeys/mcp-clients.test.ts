import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Agent } from '../../src/agents/agent.ts';
import { compilePrompt } from '../../src/agents/compile-prompt.ts';
import { createAgent, updateAgent } from '../../src/agents/edit-agents.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { type HttpServer, serveHttp } from '../../src/http/server/serve.ts';
import { createHub, type Hub } from '../../src/hub.ts';
import {
  type ConnectedClient,
  connectV1,
  connectV2,
  inspector,
  type McpTarget,
  type McpTestClient,
} from '../support/clients/mcp-clients.ts';
import { zooScript } from '../support/command/run-zoo.ts';

let home: string;
let server: HttpServer;
/** Serves HTTP. */
let hub: Hub;
/** Stands for another process on the same database. */
let editor: Hub;
let agent: Agent;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'zoo-mcp-clients-'));
  const config = await loadConfig({ cwd: home, env: { AGENT_ZOO_HOME: home }, home });
  config.config.server.anonymous = 'work';
  hub = await createHub({ config });
  editor = await createHub({ config, watch: false });
  server = await serveHttp(hub, { host: '127.0.0.1', port: 0 });
  const stored = await createAgent(editor, {
    id: 'reviewer',
    name: 'Réviseur “élégant”',
    systemPrompt: 'Review what matters.\n\n  Keep "quotes", \\ and tabs\t as they are. 🦊',
    skills: [
      { id: 'a', name: 'Naming', description: 'Whole words.' },
      { id: 'b', name: 'Off', description: 'Not this one.', enabled: false },
    ],
    tools: ['agent_zoo_inject', 'agent_zoo_list_*'],
  });
  agent = stored.agent;
  await createAgent(editor, { id: 'other', name: 'Other' });
  await createAgent(editor, {
    id: 'greeter',
    name: 'Greeter',
    systemPrompt: 'Greet {who}.',
    arguments: [{ name: 'who', description: 'Whom to greet', required: true }],
  });
});

afterAll(async () => {
  await server.close();
  await hub.close();
  await editor.close();
  await rm(home, { recursive: true });
});

function target(transport: 'stdio' | 'http', agentId?: string): McpTarget {
  if (transport === 'http') return { url: `${server.url}/mcp${agentId ? `?agent=${agentId}` : ''}` };
  const args = [zooScript, 'mcp', ...(agentId ? ['--agent', agentId] : [])];
  return { command: process.execPath, args, env: { AGENT_ZOO_HOME: home, PATH: process.env.PATH ?? '' } };
}

type Transport = 'stdio' | 'http';

const sdkClients: [string, Transport, (at: McpTarget) => Promise<ConnectedClient>][] = [
  ['SDK v1', 'stdio', connectV1],
  ['SDK v1', 'http', connectV1],
  ['SDK v2 with a session', 'stdio', (at) => connectV2(at, 'legacy')],
  ['SDK v2 with a session', 'http', (at) => connectV2(at, 'legacy')],
  ['SDK v2 without a session', 'stdio', (at) => connectV2(at, { pin: '2026-07-28' })],
  ['SDK v2 without a session', 'http', (at) => connectV2(at, 'auto')],
];

describe.each(sdkClients)('%s over %s', (name, transport, connect) => {
  let client: ConnectedClient;
  /** At the address of one agent. */
  let scoped: ConnectedClient;
  beforeAll(async () => {
    client = await connect(target(transport));
    scoped = await connect(target(transport, 'reviewer'));
  });
  afterAll(async () => {
    await client.close();
    await scoped.close();
  });

  test('lists the agents and injects one of them, byte for byte', () => becomeReviewer(client));

  test('reads prompts and resources', () => readPromptsAndResources(client));

  test('gets a structured error for an unknown agent', () => askForNobody(client));

  test("sees only one agent and the tools in its scope at that agent's address", async () => {
    expect(await scoped.toolNames()).toEqual(['agent_zoo_inject', 'agent_zoo_list_agents']);
    expect(await scoped.promptNames()).toEqual(['reviewer']);
    expect(await scoped.resourceUris()).toEqual(['agent-zoo://agents/reviewer', 'agent-zoo://agents/reviewer/brain']);
  });

  test("cannot call past an agent's scope, and the refusal is logged", async () => {
    const refused = await scoped.call('agent_zoo_get_agent', { agentId: 'reviewer' });
    expect(refused.isError).toBe(true);
    expect(JSON.parse(refused.content[0]?.text ?? '')).toMatchObject({ error: true, code: 'PERMISSION_DENIED' });
    const [row] = (await editor.decisions.page({ limit: 1 })).entries;
    expect(row).toMatchObject({
      kind: 'error',
      surface: 'mcp',
      agentId: null,
      persona: 'reviewer',
      tool: 'agent_zoo_get_agent',
    });
  });

  test('is notified of an edit by another process', async () => {
    await client.promptNames();
    await updateAgent(editor, 'other', { input: { name: `Other for ${name} ${transport}` }, expectedRevision: null });
    await client.promptsChanged();
    const injected = await client.call('agent_zoo_inject', { agentId: 'other' });
    expect(injected.structuredContent).toMatchObject({ agentName: `Other for ${name} ${transport}` });
  });
});

test('the Inspector over stdio lists the agents and injects one of them', () =>
  becomeReviewer(inspector(target('stdio'), home)));

test('the Inspector over HTTP reads prompts and resources, and gets an error for an unknown agent', async () => {
  const client = inspector(target('http'), home);
  await readPromptsAndResources(client);
  await askForNobody(client);
});

test('SDK v2 negotiates the newest revision over HTTP', async () => {
  const client = await connectV2(target('http'), 'auto');
  expect(client.protocol).toBe('2026-07-28');
  expect(client.version).toBe(hub.version);
  await client.close();
});

async function becomeReviewer(client: McpTestClient): Promise<void> {
  expect(await client.toolNames()).toContain('agent_zoo_inject');
  const listed = await client.call('agent_zoo_list_agents', {});
  expect(listed.structuredContent).toMatchObject({
    agents: expect.arrayContaining([{ id: agent.id, name: agent.name }]),
  });
  const injected = await client.call('agent_zoo_inject', { agentId: agent.id });
  const { text: prompt } = compilePrompt(agent);
  expect(injected.structuredContent).toEqual({ agentId: agent.id, agentName: agent.name, prompt });
  expect(JSON.parse(injected.content[0]?.text ?? '')).toEqual(injected.structuredContent);
  expect(await client.promptTexts(agent.id)).toEqual([prompt]);
}

async function readPromptsAndResources(client: McpTestClient): Promise<void> {
  expect(await client.promptNames()).toEqual(expect.arrayContaining(['reviewer', 'other', 'greeter']));
  expect((await client.promptTexts('greeter', { who: '$1' }))[0]).toContain('Greet $1.');
  expect(await client.resourceUris()).toContain('agent-zoo://agents/reviewer');
  expect(JSON.parse(await client.resourceText('agent-zoo://agents/reviewer'))).toMatchObject({ name: agent.name });
}

async function askForNobody(client: McpTestClient): Promise<void> {
  const { isError, content } = await client.call('agent_zoo_inject', { agentId: 'nobody' });
  expect(isError).toBe(true);
  expect(JSON.parse(content[0]?.text ?? '')).toMatchObject({ error: true, code: 'AGENT_NOT_FOUND' });
}
