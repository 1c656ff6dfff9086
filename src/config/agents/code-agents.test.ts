import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ScriptFolder, scriptFolder, untilSnapshot } from '../../../test/support/lua/script-folder.ts';
import { AgentRegistry } from '../../agents/agent-registry.ts';
import type { AgentSource } from '../../agents/agent-source.ts';
import { silentLogger } from '../../base/logger.ts';
import { scriptSections } from '../script-sections.ts';
import { codeAgentSource } from './code-agents.ts';

const config = `
[agents.code.db-expert]
path = "agents/db-expert.ts"
database = "orders"
`;
const agent = `
interface Answer { system: string }
export default {
  title: 'Database expert',
  description: 'Answers questions about databases',
  tools: ['search', 'run_query'],
  arguments: [{ name: 'table', required: true }],
  async resolve(args: { table?: string }, context: { config?: { database?: string } }): Promise<Answer> {
    return { system: \`You know \${args.table} of \${context.config?.database}.\` };
  },
};
`;
const signal = new AbortController().signal;

let folder: ScriptFolder;
const sources: AgentSource[] = [];
beforeEach(async () => {
  folder = await scriptFolder({ 'zoo.toml': config, 'agents/db-expert.ts': agent });
});
afterEach(async () => {
  for (const source of sources.splice(0)) await source.close?.();
  await folder[Symbol.asyncDispose]();
});

async function open(options: { watch?: boolean } = {}): Promise<AgentSource> {
  const { code } = scriptSections(await folder.open(options));
  const source = codeAgentSource({ sections: code, logger: silentLogger });
  sources.push(source);
  return source;
}

const resolve = async (args: Record<string, string> = { table: 'rows' }) =>
  new AgentRegistry([await open()]).resolve('db-expert', args, { signal });

test('a plain object is an agent, with the keys of its section in context.config', async () => {
  const { entries, problems } = await (await open()).snapshot();
  expect(problems).toEqual([]);
  expect(entries).toMatchObject([
    {
      definedIn: 'agents/db-expert.ts',
      updatedAt: expect.any(Number),
      agent: { id: 'db-expert', name: 'Database expert', tools: ['search', 'run_query'], source: 'code' },
    },
  ]);
  expect(await resolve()).toEqual({
    system: 'You know rows of orders.',
    tools: ['search', 'run_query'],
    messages: [],
  });
  await expect(resolve({})).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
});

test('the result of defineAgent is an agent too', async () => {
  const library = new URL('../../agents/define-agent.ts', import.meta.url).href;
  await folder.write(
    'agents/db-expert.ts',
    `import { defineAgent } from '${library}';
export default defineAgent({ name: 'db-expert', resolve: () => ({ system: 'Made.', messages: [{ role: 'user', content: 'Hi' }] }) });`,
  );
  expect(await resolve({})).toEqual({ system: 'Made.', tools: [], messages: [{ role: 'user', content: 'Hi' }] });
});

test.each<[string, string, RegExp]>([
  ['is not there', '', /^agents\/db-expert\.ts: the default export must be an agent/],
  ['cannot be parsed', 'export default {\n  tools: [,\n', /^agents\/db-expert\.ts(:\d+)?: /],
  ['throws while it is loaded', '\n\nthrow new Error("no database");', /^agents\/db-expert\.ts(:3)?: no database/],
  ['imports what is not there', 'import "./gone.ts";', /^agents\/db-expert\.ts/],
  ['has a wrong field', 'export default { tools: "search" };', /^agents\/db-expert\.ts: .*tools: .*must be a list/],
  [
    'has another name',
    'export default { name: "other" };',
    /is named "other", but its section is \[agents\.code\.db-expert\]/,
  ],
  ['has no function for resolve', 'export default { resolve: 3 };', /resolve: must be a function/],
])('a file that %s is a problem that names the file', async (_name, text, rule) => {
  await folder.write('agents/db-expert.ts', text);
  const { entries, problems } = await (await open()).snapshot();
  expect(entries).toEqual([]);
  expect(problems).toEqual([
    { agentId: 'db-expert', place: 'agents/db-expert.ts', message: expect.stringMatching(rule) },
  ]);
  expect(problems[0]?.message).not.toMatch(/\n|node:internal/);
});

test.each<[string, string, string, RegExp]>([
  [
    'throws',
    'throw new TypeError("no rows")',
    'AGENT_ERROR',
    /^Agent "db-expert" failed: agents\/db-expert\.ts(:\d+)?: no rows$/,
  ],
  [
    'returns nothing',
    'return undefined',
    'AGENT_ERROR',
    /^Agent "db-expert" \(agents\/db-expert\.ts\) returned .*got nothing/,
  ],
  ['returns a wrong field', 'return { system: 3 }', 'AGENT_ERROR', /system: .*must be text/],
  [
    'returns a wrong role',
    'return { messages: [{ role: "robot", content: "x" }] }',
    'AGENT_ERROR',
    /messages\[0\]\.role/,
  ],
])('code that %s causes an error without a stack', async (_name, body, code, rule) => {
  await folder.write('agents/db-expert.ts', `export default {\n  resolve() {\n    ${body};\n  },\n};`);
  await expect(resolve({})).rejects.toMatchObject({ code, message: expect.stringMatching(rule) });
});

test('code that does not end is abandoned at its timeout and aborted by its signal', async () => {
  await folder.write('zoo.toml', `${config}timeout = 0.05\n`);
  await folder.write('agents/db-expert.ts', 'export default { resolve: () => new Promise(() => {}) };');
  await expect(resolve({})).rejects.toMatchObject({
    code: 'TIMEOUT',
    message: expect.stringContaining(
      'took longer than 0.05 s. To allow more time, raise "timeout" in [agents.code.db-expert]',
    ),
  });
});

describe('while watching', () => {
  const described = (text: string) => agent.replace('Answers questions about databases', text);

  test('a changed file is used, a broken one keeps the last good version, a repaired one is used', async () => {
    const source = await open({ watch: true });
    const first = await untilSnapshot(source, ({ entries }) => entries.length === 1);
    await folder.write('agents/db-expert.ts', described('Second'));
    await untilSnapshot(source, ({ entries }) => entries[0]?.agent.description === 'Second');
    await folder.write('agents/db-expert.ts', 'export default 3;');
    const broken = await untilSnapshot(source, ({ problems }) => problems.length === 1);
    expect(broken.entries[0]?.agent.description).toBe('Second');
    expect(broken.problems[0]?.message).toMatch(/must be an agent.*\. The last valid version stays in use\.$/);
    await folder.write('agents/db-expert.ts', agent);
    const repaired = await untilSnapshot(source, ({ problems }) => problems.length === 0);
    expect(repaired.entries[0]?.agent).toEqual(first.entries[0]?.agent);
  });

  test('a file in a folder that is created later is found, and a changed section is noticed', async () => {
    await folder.write('zoo.toml', '[agents.code.late]\npath = "later/late.mjs"\n');
    const source = await open({ watch: true });
    const missing = await untilSnapshot(source, ({ problems }) => problems.length === 1);
    expect(missing.problems[0]?.message).toBe('later/late.mjs cannot be read: there is no such file.');
    await folder.write('later/late.mjs', 'export default { description: "Late" };');
    await untilSnapshot(source, ({ entries }) => entries[0]?.agent.description === 'Late');
    await folder.write('zoo.toml', config);
    await untilSnapshot(source, ({ entries }) => entries[0]?.agent.id === 'db-expert');
  });

  test('a snapshot comes from memory and is the same object', async () => {
    const source = await open({ watch: true });
    await untilSnapshot(source, ({ entries }) => entries.length === 1);
    await expect.poll(() => source.snapshot() instanceof Promise).toBe(false);
    expect(source.snapshot()).toBe(source.snapshot());
  });
});
