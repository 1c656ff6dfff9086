import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ServerInfo } from '../../src/servers/servers.ts';
import { ToolContent } from '../../src/tools/content.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { connectV1, connectV2, inspector, type McpTarget, type McpTestClient } from '../support/clients/mcp-clients.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';
import { oddTools } from '../support/servers/odd-tools-server.ts';

const script = fileURLToPath(new URL('../support/servers/odd-tools-server.ts', import.meta.url));
const oddNames = oddTools.map(({ definition }) => `mcp__odd__${definition.name}`);
const usualNames = ['first', 'counts', 'structured-without-schema', 'last'].map((name) => `mcp__odd__${name}`);
let hub: TestHub;
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'zoo-odd-tools-'));
  hub = await serveTestHub({
    anonymous: 'work',
    toml: `[mcp_servers.odd]
command = ${JSON.stringify(process.execPath)}
args = ${JSON.stringify([script])}
`,
  });
  await (await hub.hub.servers.open()).connect('odd');
  hub.hub.tools.register(
    ...[
      defineTool({
        name: 'own_list',
        description: 'Returns a list',
        input: { jsonSchema: { type: 'object', properties: { a: true } } },
        run: () => new ToolContent([], { structuredContent: ['own', 1] }),
      }),
      // Plain JavaScript can register this.
      {
        ...defineTool({ name: 'own_number', description: '', input: z.strictObject({}), run: () => ({}) }),
        description: 5 as never,
      },
    ],
  );
});
afterAll(async () => {
  await hub.end();
  await rm(home, { recursive: true });
});

type Connect = (at: McpTarget) => Promise<McpTestClient>;
const sessions: [string, Connect][] = [
  ['SDK v1', connectV1],
  ['SDK v2 with a session', (at) => connectV2(at, 'legacy')],
  ['the Inspector', async (at) => inspector(at, home)],
];
const clients: [string, Connect][] = [
  ...sessions,
  ['SDK v2 without a session', (at) => connectV2(at, { pin: '2026-07-28' })],
];

const target = (): McpTarget => ({ url: `${hub.server.url}/mcp` });
const structuredOf = (name: string) => oddTools.find(({ definition }) => definition.name === name)?.structured;

describe.each(clients)('%s', (_, connect) => {
  it('lists every tool, including odd ones', async () => {
    const client = await connect(target());
    const names = await client.toolNames();
    expect(names).toEqual(expect.arrayContaining([...usualNames, ...oddNames, 'own_list', 'own_number', 'search']));
    expect(oddNames).toHaveLength(23);
    await client.close();
  });
});

describe.each(sessions.slice(0, 2))('%s, whose revision allows only objects,', (_, connect) => {
  it.each([
    ['output-is-array', { result: ['a', 'b'] }],
    ['output-is-string', { result: 'text' }],
    ['output-is-number', { result: 0 }],
    ['output-is-null', { result: null }],
    ['output-has-root-one-of', { result: false }],
    ['output-has-type-list', { result: { count: 3 } }],
    ['output-refers-to-itself', { result: [[], null] }],
    ['output-has-boolean-property', { a: 1 }],
    ['output-has-bad-pattern', { a: '' }],
    ['output-refers-to-nowhere', { a: 1 }],
    ['counts', { count: 3 }],
    ['structured-without-schema', { result: ['a', 1] }],
  ])('gets the structured content of %s', async (name, expected) => {
    const client = await connect(target());
    // The client validates results against the schema it received.
    await client.toolNames();
    const result = await client.call(`mcp__odd__${name}`, {});
    expect(result.structuredContent).toEqual(expected);
    expect(result.isError ?? false).toBe(false);
    await client.close();
  });

  it('can read as text what its revision cannot express otherwise', async () => {
    const client = await connect(target());
    const { content } = await client.call('mcp__odd__output-is-array', {});
    expect(content).toEqual([{ type: 'text', text: '["a","b"]' }]);
    expect((await client.call('own_list', { a: 1 })).structuredContent).toEqual({ result: ['own', 1] });
    await client.close();
  });
});

describe('SDK v2 without a session, whose revision allows any value,', () => {
  it.each([
    'output-is-array',
    'output-is-number',
    'output-is-null',
    'output-has-root-one-of',
    'output-has-type-list',
    'output-refers-to-itself',
  ])('gets the structured content of %s unchanged', async (name) => {
    const client = await connectV2(target(), { pin: '2026-07-28' });
    await client.toolNames();
    const result = await client.call(`mcp__odd__${name}`, {});
    expect(result.structuredContent).toEqual(structuredOf(name));
    await client.close();
  });
});

describe('a tool that no client could call, or that is described at too great length,', () => {
  const tooLong = 'Its description has 18,000 bytes; at most 16,384 are accepted.';
  const faults = {
    'input-is-text': 'input schema',
    'input-is-a-list': 'input schema',
    'description-is-too-long': tooLong,
  };

  it('is left out of the list, and reported in the status and on its server page', async () => {
    const client = await connectV1(target());
    const listed = await client.toolNames();
    await client.close();
    const { body } = await hub.call<ServerInfo>('GET', '/api/servers/odd');
    const problems = hub.hub.problems().map(({ message }) => message);
    for (const [name, fault] of Object.entries(faults)) {
      expect(listed).not.toContain(`mcp__odd__${name}`);
      const shown = body.tools.find(({ remoteName }) => remoteName === name);
      expect(shown).toMatchObject({ status: 'unusable', note: expect.stringContaining(fault) });
      const problem = expect.stringContaining(`The tool "${name}" of server "odd" is left out. `);
      expect(problems).toContainEqual(problem);
    }
  });

  it.each(Object.entries(faults))('explains why when it is called anyway: %s', async (name, fault) => {
    const client = await connectV1(target());
    const result = await client.call(`mcp__odd__${name}`, {});
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toContain(fault);
    await client.close();
  });
});

it('schemas reach the pipeline, and so models and the validator, as the server wrote them', () => {
  for (const { definition } of oddTools) {
    const tool = hub.hub.tools.find(`mcp__odd__${definition.name}`);
    const { inputSchema, outputSchema } = definition;
    if (typeof outputSchema === 'object' && !Array.isArray(outputSchema))
      expect(tool?.outputSchema).toEqual(outputSchema);
    if (typeof inputSchema === 'object') expect(tool?.inputSchema).toMatchObject({ ...inputSchema, type: 'object' });
  }
});
