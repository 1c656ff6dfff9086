import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/tools/tool.ts';
import { connectV1, connectV2 } from '../support/clients/mcp-clients.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

/** What programs written for the HTTP server of Context Harness send, and what they read from the replies. */

const reviewer = `
You are a senior code reviewer.
  Keep {braces}, $dollars and   spaces.
`;
const toml = `
[connectors.filesystem.test]
root = "docs"

[connectors.script.tickets]
path = "tickets.lua"

[agents.inline.code-reviewer]
description = "Reviews code"
tools = ["search", "get"]
system_prompt = """${reviewer}"""

[agents.inline.quiet]
system_prompt = "Say little."

[agents.inline.keeper]
tools = ["search", "agent_zoo_*"]
system_prompt = "Remember everything."
`;

const echo = defineTool({
  name: 'echo',
  description: 'Echoes a message.',
  input: z.strictObject({ message: z.string() }),
  run: ({ message }) => ({ echo: message }),
});

let zoo: TestHub;
beforeAll(async () => {
  zoo = await serveTestHub({ toml, tools: [echo], anonymous: 'work' });
  await mkdir(join(zoo.folder, 'docs'));
  for (let number = 1; number <= 110; number += 1)
    await writeFile(join(zoo.folder, 'docs', `page-${number}.md`), `# Page ${number}\n\nA page about deployment.\n`);
  await writeFile(
    join(zoo.folder, 'tickets.lua'),
    'connector = {}\nfunction connector.scan(config)\n  return { { source_id = "T-1", body = "A ticket about deployment" } }\nend\n',
  );
  await zoo.hub.knowledge.sync({ target: 'all' });
});
afterAll(() => zoo.end());

interface Found {
  result: { results: { source: string; source_id: string }[] };
}
const search = (body: unknown) => zoo.call<Found>('POST', '/tools/search', { body, isAnonymous: true });

describe('a search over HTTP', () => {
  test('accepts the whole request of the schema, with a null for every filter that is not used', async () => {
    const filters = { source: null, tags: null, since: null, until: null };
    const { status, body } = await search({ query: 'deployment', mode: 'keyword', limit: 5, filters });
    expect(status).toBe(200);
    expect(body.result.results).toHaveLength(5);
    expect(body.result.results[0]).toMatchObject({
      id: expect.any(String),
      score: expect.any(Number),
      title: expect.any(String),
      source: expect.any(String),
      source_id: expect.any(String),
      updated_at: expect.any(String),
      snippet: expect.any(String),
    });
    expect((await search({ query: 'deployment', filters: null, limit: null, mode: null })).status).toBe(200);
  });

  test('accepts source beside query', async () => {
    const { status, body } = await search({ query: 'deployment', source: 'script:tickets' });
    expect(status).toBe(200);
    expect(body.result.results.map((each) => each.source)).toEqual(['script:tickets']);
    const filtered = await search({ query: 'deployment', filters: { source: 'filesystem:test' } });
    expect(new Set(filtered.body.result.results.map((each) => each.source))).toEqual(new Set(['filesystem:test']));
  });

  test.each([
    [0, 1],
    [-3, 1],
    [1_000, 100],
  ])('with the limit %i returns %i documents', async (limit, expected) => {
    const { status, body } = await search({ query: 'deployment', limit });
    expect(status).toBe(200);
    expect(body.result.results).toHaveLength(expected);
  });

  test.each(['', '   '])('of %j is a bad request that names the field', async (query) => {
    const { status, body } = await zoo.call('POST', '/tools/search', { body: { query } });
    expect([status, body.error]).toEqual([
      400,
      { code: 'bad_request', message: 'query: must not be empty', details: expect.anything() },
    ]);
  });

  test('by meaning without embeddings has the code embeddings_disabled', async () => {
    const { status, body } = await zoo.call('POST', '/tools/search', { body: { query: 'x', mode: 'semantic' } });
    expect([status, body.error.code]).toEqual([400, 'embeddings_disabled']);
  });
});

describe('an agent framework discovers the tools', () => {
  interface Listed {
    tools: { name: string; description: string; builtin: boolean; parameters: { type: string; required?: string[] } }[];
  }

  test('GET /tools/list has parameters and builtin for each tool', async () => {
    const { body } = await zoo.call<Listed>('GET', '/tools/list', { isAnonymous: true });
    const tools = new Map(body.tools.map((tool) => [tool.name, tool]));
    for (const tool of tools.values()) expect(tool.parameters.type).toBe('object');
    for (const name of ['search', 'get', 'sources']) expect(tools.get(name)?.builtin).toBe(true);
    expect(tools.get('search')?.parameters).toMatchObject({
      required: ['query'],
      properties: { source: {}, limit: {} },
    });
    expect(tools.get('echo')).toMatchObject({ builtin: false, parameters: { required: ['message'] } });
  });

  test('POST /tools/get has the fields of a document, also when and by whom it was written', async () => {
    const { body } = await search({ query: 'ticket', source: 'script:tickets' });
    const { id } = body.result.results[0] as unknown as { id: string };
    const got = await zoo.call<{ result: Record<string, unknown> }>('POST', '/tools/get', { body: { id } });
    const { updated_at } = got.body.result;
    expect(got.body.result).toMatchObject({
      id,
      source: 'script:tickets',
      source_id: 'T-1',
      author: null,
      created_at: updated_at,
      content_type: expect.any(String),
      body: 'A ticket about deployment',
      metadata: expect.any(Object),
    });
  });

  test('POST /tools/sources has name, configured, healthy and notes', async () => {
    const { body } = await zoo.call<{ result: { sources: object[] } }>('POST', '/tools/sources', { body: {} });
    expect(body.result.sources).toMatchObject([
      { name: 'filesystem:test', configured: true, healthy: true, notes: expect.stringContaining('docs') },
      { name: 'script:tickets', configured: true, healthy: true },
    ]);
  });
});

describe("a TOML persona's prompt", () => {
  interface Prompt {
    result: { system: string };
  }
  const system = async (name: string) =>
    (await zoo.call<Prompt>('POST', `/agents/${name}/prompt`, { body: {}, isAnonymous: true })).body.result.system;

  test.each([
    // TOML drops the line break after the opening quotes.
    ['code-reviewer', reviewer.slice(1)],
    ['quiet', 'Say little.'],
    ['keeper', 'You are now keeper. Use agentId=keeper for all agent_zoo tool usage.\n\nRemember everything.'],
  ])('of %s is the same over HTTP and MCP', async (name, expected) => {
    expect(await system(name)).toBe(expected);
    const target = { url: `${zoo.server.url}/mcp` };
    for (const connect of [connectV1, (at: typeof target) => connectV2(at, 'auto')]) {
      const client = await connect(target);
      try {
        expect(await client.promptTexts(name)).toEqual([expected]);
      } finally {
        await client.close();
      }
    }
  });

  test('that is injected still begins with the identity line', async () => {
    const { body } = await zoo.call<{ result: { prompt: string } }>('POST', '/tools/agent_zoo_inject', {
      body: { agentId: 'quiet' },
    });
    expect(body.result.prompt).toBe(
      'You are now quiet. Use agentId=quiet for all agent_zoo tool usage.\n\nSay little.',
    );
  });
});
