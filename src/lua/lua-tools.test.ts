import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { testClock } from '../../test/support/databases/test-store.ts';
import { luaParts } from '../../test/support/lua/lua-parts.ts';
import { type ScriptFolder, scriptFolder } from '../../test/support/lua/script-folder.ts';
import { silentLogger } from '../base/logger.ts';
import { ownerCaller } from '../callers/callers.ts';
import { scriptSections } from '../config/script-sections.ts';
import { describeResult } from '../mcp-server/methods/describe-tool.ts';
import { ToolContent, toToolResult } from '../tools/content.ts';
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
])('%s is refused before the script runs', async (_name, input, rule) => {
  await open();
  expect(await call(input)).toMatchObject({
    ok: false,
    error: { code: 'INVALID_ARGUMENTS', message: expect.stringMatching(rule) },
  });
});

test('a parameter that the script does not declare reaches it, as in Context Harness', async () => {
  await folder.write(
    'tools/ticket.lua',
    tool.replace('title = params.title', 'title = params.labels[2], big = params.n'),
  );
  await open();
  expect(await call({ title: 'x', labels: ['a', 'b'], n: 7 })).toMatchObject({ data: { title: 'b', big: 7 } });
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

test.each<[string, string, unknown]>([
  ['a text', 'return "done"', 'done'],
  ['a number', 'return 42', 42],
  ['a list', 'return { 1, 2 }', [1, 2]],
  ['nothing', '', null],
  ['a table', 'return { a = { b = true } }', { a: { b: true } }],
  ['a field called result', 'return { result = "x" }', { result: 'x' }],
  ['gaps and NaN', 'return { list = { 1, nil, 3 }, n = 0/0 }', { list: [1, null, 3], n: null }],
])('over HTTP the result of a script is wrapped exactly once: %s', async (_name, body, result) => {
  await folder.write('tools/ticket.lua', withBody(body));
  await open();
  const outcome = await call({});
  if (!outcome.ok) throw outcome.error;
  expect(toToolResult(outcome.data)).toEqual({ result });
});

test('over MCP the result of a script is an object and a text', async () => {
  await folder.write('tools/ticket.lua', withBody('return { "a", "b" }'));
  await open();
  const outcome = await call({});
  if (!outcome.ok || !(outcome.data instanceof ToolContent)) throw new Error('It is content.');
  expect(describeResult(outcome.tool, outcome.data, 'session')).toEqual({
    content: [{ type: 'text', text: '["a","b"]' }],
    structuredContent: { result: ['a', 'b'] },
  });
});

test('an integer beyond 2^53 leaves a script with its exact value', async () => {
  await folder.write('tools/ticket.lua', withBody('return { id = 9007199254740993, list = { -9223372036854775807 } }'));
  await open();
  const outcome = await call({});
  if (!outcome.ok) throw outcome.error;
  expect(JSON.stringify(outcome.data)).toBe('{"id":9007199254740993,"list":[-9223372036854775807]}');
  expect(logged.at(-1)?.context).toContain('9007199254740993');
});

test('a variable that the config does not allow is nil, and the log names the line to add', async () => {
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (_: object, message: string) => void warnings.push(message) };
  const host = { ...parts.host, logger, lookUp: (name: string) => (name === 'JIRA_TOKEN' ? 'secret' : undefined) };
  await folder.write(
    'tools/ticket.lua',
    withBody('return { env.get("JIRA_TOKEN") or "none", env.get("UNSET") or "none" }'),
  );
  const { tools } = scriptSections(await folder.open());
  await registry.add(luaTools({ ...parts, host, sections: tools }));
  expect(await call({})).toMatchObject({ data: { structuredContent: ['none', 'none'] } });
  expect(warnings).toEqual([
    'env.get("JIRA_TOKEN") is nil, because the config does not allow it. Add allow_env = ["JIRA_TOKEN"] to [tools.script.create_ticket].',
  ]);
});

describe('a network error in a script', () => {
  let server: Server;
  let seen: string[];
  let base: string;
  beforeEach(async () => {
    seen = [];
    server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      // Cuts the connection until the third request.
      if (request.url === '/flaky' && seen.length < 3) request.socket.destroy();
      else if (request.url === '/down') request.socket.destroy();
      else if (request.url === '/moved') response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end();
      else if (request.url === '/private') response.writeHead(307, { location: 'http://10.0.0.1/' }).end();
      else response.end('"fine"');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await folder.write('zoo.toml', `${config}allow_hosts = ["127.0.0.1"]\n`);
  });
  afterEach(() => void server.close());

  test('is retried when the script has only read', async () => {
    await folder.write('tools/ticket.lua', withBody(`return http.get("${base}/flaky").json`));
    await open();
    const outcome = await call({});
    expect(outcome).toMatchObject({ ok: true, data: { structuredContent: 'fine' } });
    expect(seen).toEqual(['GET /flaky', 'GET /flaky', 'GET /flaky']);
  });

  test('is TRANSIENT_ERROR after three more attempts', async () => {
    await folder.write('tools/ticket.lua', withBody(`return http.get("${base}/down").json`));
    await open();
    expect(await call({})).toMatchObject({
      error: { code: 'TRANSIENT_ERROR', message: expect.stringMatching(/^tools\/ticket\.lua:3: .* cannot be reached/) },
    });
    expect(seen).toHaveLength(4);
  });

  test('is not retried after something may have been sent', async () => {
    await folder.write('tools/ticket.lua', withBody(`http.post("${base}/fine", "x") return http.get("${base}/down")`));
    await open();
    expect(await call({})).toMatchObject({ error: { code: 'TOOL_ERROR' } });
    expect(seen).toEqual(['POST /fine', 'GET /down']);
  });

  test('is retried for a POST that reached no server', async () => {
    server.close();
    await folder.write('tools/ticket.lua', withBody(`return http.post("${base}/fine", "x")`));
    await open();
    expect(await call({})).toMatchObject({ error: { code: 'TRANSIENT_ERROR' } });
  });

  test.each([
    ['a server that cannot be reached', 'return http.post("BASE/moved", "x")', ['POST /moved']],
    [
      'an address that is refused',
      'pcall(http.post, "BASE/private", "x") return http.get("BASE/down")',
      ['POST /private', 'GET /down'],
    ],
  ])('is not retried for a POST that was redirected to %s', async (_name, body, requests) => {
    await folder.write('tools/ticket.lua', withBody(body.replaceAll('BASE', base)));
    await open();
    expect(await call({})).toMatchObject({ error: { code: 'TOOL_ERROR' } });
    expect(seen).toEqual(requests);
  });

  test('is an ordinary error when the script caught it and failed for another reason', async () => {
    await folder.write('tools/ticket.lua', withBody(`pcall(http.get, "${base}/down") error("no luck")`));
    await open();
    expect(await call({})).toMatchObject({ error: { code: 'TOOL_ERROR' } });
    expect(seen).toHaveLength(1);
  });
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
  [
    'has a description that is no text',
    'tool = { description = {} }\nfunction tool.execute() end',
    /tool\.description: /,
  ],
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
