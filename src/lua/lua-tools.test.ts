import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { testClock } from '../../test/support/databases/test-store.ts';
import { luaParts } from '../../test/support/lua/lua-parts.ts';
import { type ScriptFolder, scriptFolder } from '../../test/support/lua/script-folder.ts';
import { silentLogger } from '../base/logger.ts';
import { ownerCaller } from '../callers/callers.ts';
import { scriptSections } from '../config/script-sections.ts';
import type { DecisionEntry, DecisionLog } from '../tools/decision-log.ts';
import { executeTool } from '../tools/execute-tool.ts';
import { defineTool } from '../tools/tool.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import { luaTools } from './lua-tools.ts';

const config = '[tools.script.create_ticket]\npath = "tools/ticket.lua"\nproject = "ZOO"\n';
const tool = `
tool = {}
tool.name = "create_ticket"
tool.description = "Creates a ticket"
tool.parameters = {
  { name = "title", type = "string", description = "One line", required = true },
  { name = "priority", type = "string", enum = { "low", "high" }, default = "low" },
}
function tool.execute(params, context)
  return { key = context.config.project .. "-1", title = params.title, priority = params.priority }
end
return tool
`;
const parts = luaParts();

let folder: ScriptFolder;
let registry: ToolRegistry;
beforeEach(async () => {
  folder = await scriptFolder({ 'zoo.toml': config, 'tools/ticket.lua': tool });
  registry = new ToolRegistry();
});
afterEach(async () => {
  await registry.close();
  await folder[Symbol.asyncDispose]();
});
afterAll(() => parts.sandbox.close());

async function open(options: { watch?: boolean } = {}): Promise<void> {
  const { tools } = scriptSections(await folder.open(options));
  await registry.add(luaTools({ ...parts, sections: tools }));
}

const logged: DecisionEntry[] = [];
const decisions = { append: async (entry: DecisionEntry) => void logged.push(entry) } as unknown as DecisionLog; // Only `append` is called.
const call = (input: unknown, name = 'create_ticket') =>
  executeTool(
    { tools: registry, decisions, clock: testClock(), logger: silentLogger, redact: (text) => text },
    { caller: ownerCaller('cli'), tool: name, input },
  );
const withBody = (body: string) =>
  `tool = { description = "x" }\nfunction tool.execute(params, context)\n${body}\nend\n`;

test('a script is a tool like any other, with its parameters as a schema', async () => {
  await open();
  expect(registry.problems()).toEqual([]);
  expect(registry.find('create_ticket')).toMatchObject({
    description: 'Creates a ticket',
    origin: 'tools/ticket.lua',
    annotations: { readOnlyHint: false, destructiveHint: true },
    inputSchema: {
      type: 'object',
      required: ['title'],
      properties: {
        title: { type: 'string', description: 'One line' },
        priority: { type: 'string', enum: ['low', 'high'], default: 'low' },
      },
    },
  });
  expect(await call({ title: 'Fire' })).toMatchObject({
    ok: true,
    data: { key: 'ZOO-1', title: 'Fire', priority: 'low' },
  });
});

test.each([
  ['a missing parameter', {}, /title/],
  ['a wrong type', { title: 3 }, /^title: .*string/],
  ['a value that is no choice', { title: 'x', priority: 'now' }, /priority/],
  ['a parameter nobody declared', { title: 'x', tittle: 'y' }, /tittle/],
])('%s is refused before the script runs', async (_name, input, rule) => {
  await open();
  expect(await call(input)).toMatchObject({
    ok: false,
    error: { code: 'INVALID_ARGUMENTS', message: expect.stringMatching(rule) },
  });
});

test('a JSON Schema is passed on unchanged, with its defaults', async () => {
  await folder.write(
    'tools/ticket.lua',
    `tool = { description = "x", annotations = { readOnlyHint = true, destructiveHint = false } }
tool.parameters = { type = "object", properties = { n = { type = "integer", minimum = 1, default = 5 } }, required = {} }
function tool.execute(params) return { n = params.n } end`,
  );
  await open();
  expect(registry.find('create_ticket')).toMatchObject({
    inputSchema: { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: [] },
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: true },
  });
  expect(await call({})).toMatchObject({ data: { n: 5 } });
  expect(await call({ n: 0 })).toMatchObject({ error: { code: 'INVALID_ARGUMENTS' } });
});

test.each([
  ['a text', 'return "done"', { result: 'done' }],
  ['a list', 'return { 1, 2 }', { result: [1, 2] }],
  ['nothing', '', { result: null }],
  ['a table', 'return { a = { b = true } }', { a: { b: true } }],
])('%s is a result', async (_name, body, data) => {
  await folder.write('tools/ticket.lua', withBody(body));
  await open();
  expect(await call({})).toMatchObject({ ok: true, data });
});

test.each<[string, string, string, RegExp]>([
  ['fails', 'error("refused")', 'TOOL_ERROR', /tools\/ticket\.lua:3: refused/],
  ['never ends', 'while true do end', 'TIMEOUT', /tools\/ticket\.lua/],
])('a script that %s is an error of the call', async (_name, body, code, rule) => {
  await folder.write('zoo.toml', `${config}timeout = 0.5\n`);
  await folder.write('tools/ticket.lua', withBody(body));
  await open();
  expect(await call({})).toMatchObject({ ok: false, error: { code, message: expect.stringMatching(rule) } });
});

test.each<[string, string, RegExp]>([
  ['has no function', 'tool = { description = "x" }', /tool\.execute must be a function/],
  [
    'has a parameter of no type',
    'tool = { description = "x", parameters = { { name = "a", type = "text" } } }\nfunction tool.execute() end',
    /tool\.parameters\[0\]\.type: /,
  ],
  [
    'has a parameter twice',
    'tool = { description = "x", parameters = { { name = "a" }, { name = "a" } } }\nfunction tool.execute() end',
    /"a" is defined twice/,
  ],
  [
    'has parameters of no form',
    'tool = { description = "x", parameters = { title = "string" } }\nfunction tool.execute() end',
    /tool\.parameters must be a list/,
  ],
  [
    'has a hint that is none',
    'tool = { description = "x", annotations = { readOnly = true } }\nfunction tool.execute() end',
    /tool\.annotations: /,
  ],
  ['cannot be parsed', 'tool = {', /^tools\/ticket\.lua:1: /],
])('a script that %s is a problem and no tool', async (_name, text, rule) => {
  await folder.write('tools/ticket.lua', text);
  await open();
  expect(registry.size).toBe(0);
  expect(registry.problems()).toEqual([{ place: 'tools/ticket.lua', message: expect.stringMatching(rule) }]);
});

test('a name that is taken is a problem that names both places', async () => {
  registry.register(
    defineTool({ name: 'create_ticket', description: 'x', input: { jsonSchema: { type: 'object' } }, run: () => ({}) }),
  );
  await open();
  expect(registry.problems()).toEqual([
    {
      place: 'tools/ticket.lua',
      message: expect.stringMatching(/"create_ticket": one from code, one from tools\/ticket\.lua/),
    },
  ]);
});

describe('while watching', () => {
  test('a changed script replaces its tool with no moment without it; a removed section removes it', async () => {
    await open({ watch: true });
    const seen: (string | undefined)[] = [];
    registry.changes.on(() => seen.push(registry.find('create_ticket')?.description));
    await folder.write('tools/ticket.lua', tool.replace('Creates a ticket', 'Second'));
    await expect.poll(() => registry.find('create_ticket')?.description).toBe('Second');
    await folder.write('tools/ticket.lua', 'tool = {');
    await expect.poll(() => registry.problems().length).toBe(1);
    expect(registry.find('create_ticket')?.description).toBe('Second');
    await folder.write('zoo.toml', config.replace('ZOO', 'APE'));
    await folder.write('tools/ticket.lua', tool);
    await expect.poll(async () => await call({ title: 'x' })).toMatchObject({ data: { key: 'APE-1' } });
    expect(registry.problems()).toEqual([]);
    expect(seen).not.toContain(undefined);
    await folder.write('zoo.toml', '');
    await expect.poll(() => registry.size).toBe(0);
  });
});
