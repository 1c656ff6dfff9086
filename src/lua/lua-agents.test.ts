import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { luaParts } from '../../test/support/lua/lua-parts.ts';
import { type ScriptFolder, scriptFolder, untilSnapshot } from '../../test/support/lua/script-folder.ts';
import { AgentRegistry } from '../agents/agent-registry.ts';
import type { AgentSource, ArgumentValues } from '../agents/agent-source.ts';
import { scriptSections } from '../config/script-sections.ts';
import type { KnowledgeReader } from '../knowledge/knowledge.ts';
import { luaAgentSource } from './lua-agents.ts';

const config = '[agents.script.responder]\npath = "agents/responder.lua"\nsearch_limit = 2\n';
const agent = `
agent = {}
agent.name = "Incident responder"
agent.description = "Helps in an incident"
agent.version = "2.0.0"
agent.tags = { "operations" }
agent.tools = { "search", "get" }
agent.arguments = { { name = "service", description = "Which one", required = true } }
function agent.resolve(args, config, context)
  return {
    system = "For " .. args.service .. ", " .. config.search_limit .. " at most.",
    messages = { { role = "assistant", content = "Ready." } },
  }
end
return agent
`;
const parts = luaParts({ env: { REGION: 'eu', SECRET: 'hunter2' } });
const signal = new AbortController().signal;

let folder: ScriptFolder;
const sources: AgentSource[] = [];
beforeEach(async () => {
  folder = await scriptFolder({ 'zoo.toml': config, 'agents/responder.lua': agent });
});
afterEach(async () => {
  for (const source of sources.splice(0)) await source.close?.();
  await folder[Symbol.asyncDispose]();
});
afterAll(() => parts.sandbox.close());

async function open(options: { watch?: boolean } = {}): Promise<AgentSource> {
  const { agents } = scriptSections(await folder.open(options));
  const source = luaAgentSource({ ...parts, sections: agents });
  sources.push(source);
  return source;
}

const withBody = (body: string) =>
  `agent = { tools = { "a" } }\nfunction agent.resolve(args, config, context)\n${body}\nend\n`;

async function resolve(args: ArgumentValues, knowledge?: KnowledgeReader) {
  const registry = new AgentRegistry([await open()]);
  return registry.resolve('responder', args, { signal, ...(knowledge && { knowledge }) });
}

test('arguments keep the types that the caller sent', async () => {
  await folder.write(
    'agents/responder.lua',
    withBody(`return { system = math.type(args.limit) .. type(args.deep) .. args.tags[2] .. tostring(args.none) }`),
  );
  expect(await resolve({ limit: 5, deep: true, tags: ['a', 'b'], none: null })).toMatchObject({
    system: 'integerbooleanbnil',
  });
});

test('a prompt of Context Harness may leave out the role of a message, and use numbers as text', async () => {
  await folder.write(
    'agents/responder.lua',
    withBody('return { system = 42, messages = { { content = "Ready" }, { role = "user", content = 7 } } }'),
  );
  expect(await resolve({ service: 'x' })).toMatchObject({
    system: '42',
    messages: [
      { role: 'assistant', content: 'Ready' },
      { role: 'user', content: '7' },
    ],
  });
});

test('the metadata of the script make the agent, and its function the prompt', async () => {
  const { entries, problems } = await (await open()).snapshot();
  expect(problems).toEqual([]);
  expect(entries[0]).toMatchObject({
    definedIn: 'agents/responder.lua',
    agent: {
      id: 'responder',
      name: 'Incident responder',
      description: 'Helps in an incident',
      version: '2.0.0',
      tags: ['operations'],
      tools: ['search', 'get'],
      arguments: [{ name: 'service', description: 'Which one', required: true }],
      source: 'lua',
    },
  });
  expect(await resolve({ service: 'payments' })).toEqual({
    system: 'For payments, 2 at most.',
    tools: ['search', 'get'],
    messages: [{ role: 'assistant', content: 'Ready.' }],
  });
});

test('a missing required argument is refused before the script runs', async () => {
  await folder.write('agents/responder.lua', agent.replace('return {\n', 'error("ran")\nreturn {\n'));
  await expect(resolve({})).rejects.toMatchObject({
    code: 'INVALID_ARGUMENTS',
    message: expect.stringContaining('service'),
  });
  await expect(resolve({ service: 'x' })).rejects.toMatchObject({ code: 'AGENT_ERROR' });
});

test('empty tables are empty lists, and tools of the prompt win over those of the agent', async () => {
  await folder.write(
    'agents/responder.lua',
    'agent = { tools = {}, arguments = {} }\nfunction agent.resolve() return { system = "", tools = { "b" }, messages = {} } end',
  );
  expect(await resolve({})).toEqual({ system: '', tools: ['b'], messages: [] });
});

test("a script's prompt can search the knowledge base, in both search forms", async () => {
  const asked: unknown[] = [];
  const knowledge: KnowledgeReader = {
    async search(request) {
      asked.push(request);
      return [];
    },
    async get() {
      throw new Error('not asked for');
    },
    sources: async () => [],
  };
  await folder.write(
    'agents/responder.lua',
    withBody(`context.search({ query = "a", limit = 3, filters = { source = "runbooks" } })
context.search("b", { limit = 4 })
return { system = tostring(#context.sources()) }`),
  );
  expect(await resolve({}, knowledge)).toMatchObject({ system: '0' });
  expect(asked).toEqual([
    { query: 'a', limit: 3, filters: { source: 'runbooks' } },
    { query: 'b', limit: 4 },
  ]);
});

test('env.get reads only what the section allows', async () => {
  await folder.write('zoo.toml', `${config}allow_env = ["REGION"]\n`);
  await folder.write(
    'agents/responder.lua',
    withBody('return { system = (env.get("REGION") or "-") .. (env.get("SECRET") or "-") }'),
  );
  expect(await resolve({})).toMatchObject({ system: 'eu-' });
});

test.each<[string, string, RegExp]>([
  ['cannot be parsed', 'agent = {\nname = = 3', /^agents\/responder\.lua:2: /],
  ['fails while it is read', '\n\nerror("no")', /^agents\/responder\.lua:3: no/],
  ['has no function', 'agent = { tools = {} }', /^agents\/responder\.lua: agent\.resolve must be a function/],
  ['has a wrong field', 'agent = { tools = "search" }\nfunction agent.resolve() end', /agent\.tools: .*must be a list/],
  [
    'has a wrong argument',
    'agent = { arguments = { { name = "a b" } } }\nfunction agent.resolve() end',
    /agent\.arguments\[0\]\.name: must be/,
  ],
])('a script that %s is a problem with its place', async (_name, text, rule) => {
  await folder.write('agents/responder.lua', text);
  const { entries, problems } = await (await open()).snapshot();
  expect(entries).toEqual([]);
  expect(problems).toEqual([
    { agentId: 'responder', place: 'agents/responder.lua', message: expect.stringMatching(rule) },
  ]);
});

test.each<[string, string, string, RegExp]>([
  ['fails', 'error("no runbook")', 'AGENT_ERROR', /agents\/responder\.lua:3: no runbook/],
  ['returns nothing', '', 'AGENT_ERROR', /^Agent "responder" \(agents\/responder\.lua\) returned .*got nothing/],
  ['returns no system', 'return { messages = {} }', 'AGENT_ERROR', /system: is required/],
  [
    'returns a wrong role',
    'return { system = "", messages = { { role = "robot", content = "" } } }',
    'AGENT_ERROR',
    /messages\[0\]\.role/,
  ],
  ['returns a table of tools', 'return { system = "", tools = { a = 1 } }', 'AGENT_ERROR', /tools: .*must be a list/],
  ['never ends', 'while true do end', 'TIMEOUT', /agents\/responder\.lua/],
])('a script that %s gives a sentence', async (_name, body, code, rule) => {
  await folder.write('zoo.toml', `${config}timeout = 0.5\n`);
  await folder.write('agents/responder.lua', withBody(body));
  await expect(resolve({})).rejects.toMatchObject({ code, message: expect.stringMatching(rule) });
});

describe('while watching', () => {
  test('a changed script is used; a broken one keeps its last good version', async () => {
    const source = await open({ watch: true });
    await untilSnapshot(source, ({ entries }) => entries.length === 1);
    await folder.write('agents/responder.lua', agent.replace('Helps in an incident', 'Second'));
    await untilSnapshot(source, ({ entries }) => entries[0]?.agent.description === 'Second');
    await folder.write('agents/responder.lua', 'agent = {');
    const broken = await untilSnapshot(source, ({ problems }) => problems.length === 1);
    expect(broken.entries[0]?.agent.description).toBe('Second');
    await folder.remove('agents/responder.lua');
    const gone = await untilSnapshot(source, ({ problems }) => /no such file/.test(problems[0]?.message ?? ''));
    expect(gone.entries[0]).toBe(broken.entries[0]);
    await folder.write('agents/responder.lua', agent);
    const back = await untilSnapshot(source, ({ problems }) => problems.length === 0);
    expect(back.entries[0]?.agent.description).toBe('Helps in an incident');
  });

  test('a changed key of the section reaches the next prompt', async () => {
    const registry = new AgentRegistry([await open({ watch: true })]);
    const system = async () => (await registry.resolve('responder', { service: 'x' }, { signal })).system;
    expect(await system()).toBe('For x, 2 at most.');
    await folder.write('zoo.toml', config.replace('search_limit = 2', 'search_limit = 7'));
    await expect.poll(system).toBe('For x, 7 at most.');
    await registry.close();
  });
});
