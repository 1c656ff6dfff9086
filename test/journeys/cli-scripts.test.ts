import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runZoo, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';

let folder: ZooFolder;
beforeEach(async () => {
  folder = await zooFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

const zoo = (...args: string[]) => runZoo(args, { cwd: folder.dir });
const read = (name: string) => readFile(join(folder.dir, name), 'utf8');
async function write(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder.dir, name)), { recursive: true });
  await writeFile(join(folder.dir, name), text);
}

describe('zoo tool', () => {
  test('a new tool is listed and runs without changes', async () => {
    const made = await zoo('tool', 'init', 'word_count', '--description', 'Counts words');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toContain('Created: tools/word_count.lua\nCreated: zoo.toml\nAdded to config:\n');
    expect((await zoo('tool', 'list')).stdout).toMatch(
      /^ {2}word_count {2,}Counts words +\(tools\/word_count\.lua\)$/m,
    );
    const tools = JSON.parse((await zoo('tool', 'list', '--json')).stdout);
    expect(tools).toContainEqual(expect.objectContaining({ name: 'search', origin: 'built-in' }));
    expect(tools).toContainEqual(
      expect.objectContaining({ name: 'word_count', inputSchema: expect.objectContaining({ required: ['text'] }) }),
    );

    const run = await zoo('tool', 'test', 'word_count', '--param', 'text=one two=2');
    expect(run.stdout.replace(/\d+ms/, '1ms')).toBe(`Tool: word_count
Origin: tools/word_count.lua
Input: {"text":"one two=2"}

Result:
  {
    "characters": 9,
    "words": 2
  }

Ran in 1ms
`);
    const json = await zoo('tool', 'test', 'word_count', '--json-input', '{"text":"a b c"}', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ input: { text: 'a b c' }, result: { words: 3 } });
  });

  test.each([
    [['word_cont'], 1, /^zoo: Unknown tool "word_cont"\. Did you mean "word_count"\?\n/],
    [['word_count'], 1, /^zoo: text: is required$/m],
    [['word_count', '--param', 'text'], 2, /Use key=value/],
    [['word_count', '--json-input', '[1]'], 2, /--json-input takes a JSON object/],
    [['word_count', '--json-input', '{'], 1, /not valid JSON/],
    [['broken'], 1, /^zoo: Tool "broken" could not be read: tools\/broken\.lua:1: /],
    [['half'], 1, /^zoo: Tool "half" could not be read: zoo\.toml:\d+: tools\.script\.half\.path: /],
  ])('test %j ends with %i and a sentence', async (args, exitCode, sentence) => {
    await zoo('tool', 'init', 'word_count');
    await write('tools/broken.lua', 'tool = {');
    await write(
      'zoo.toml',
      `${await read('zoo.toml')}\n[tools.script.broken]\npath = "tools/broken.lua"\n[tools.script.half]\n`,
    );
    const { code, stderr } = await zoo('tool', 'test', ...args);
    expect(stderr).toMatch(sentence);
    expect(code).toBe(exitCode);
  });

  test('numbers, booleans and lists on the command line are parsed as the schema requires', async () => {
    await write('zoo.toml', '[tools.script.echo]\npath = "echo.lua"\n');
    await write(
      'echo.lua',
      `tool = { description = "Echo", parameters = {
  { name = "n", type = "number" }, { name = "b", type = "boolean" }, { name = "l", type = "array" }, { name = "s" },
} }
function tool.execute(params) log.info("echoed") return params end`,
    );
    const { stdout, stderr } = await zoo(
      'tool',
      'test',
      'echo',
      '-p',
      'n=5',
      '-p',
      'b=true',
      '-p',
      'l=[1]',
      '-p',
      's=5',
      '--json',
    );
    expect(JSON.parse(stdout).result).toEqual({ n: 5, b: true, l: [1], s: '5' });
    expect(stderr).toContain('echoed');
    expect((await zoo('tool', 'test', 'echo', '-p', 'n=five')).stderr).toMatch(/^zoo: n: /);
  });

  test('arguments of a Lua agent and undeclared parameters of a tool keep their JSON types', async () => {
    await write('zoo.toml', '[agents.script.typed]\npath = "typed.lua"\n[tools.script.loose]\npath = "loose.lua"\n');
    await write(
      'typed.lua',
      `agent = { arguments = { { name = "n" }, { name = "l" }, { name = "s" } } }
function agent.resolve(args) return { system = math.type(args.n) .. " " .. args.l[2] .. " " .. args.s } end`,
    );
    const args = ['--arg', 'n=9007199254740993', '--arg', 'l=["a","b"]', '--arg', 's=plain text'];
    expect((await zoo('agent', 'test', 'typed', ...args)).stdout).toContain('  integer b plain text\n');
    await write('loose.lua', 'tool = {}\nfunction tool.execute(params) return math.type(params.n) end');
    expect((await zoo('tool', 'test', 'loose', '-p', 'n=5')).stdout).toContain('Result:\n  "integer"\n');
  });

  test('a name that is taken or cannot be one is refused', async () => {
    expect(await zoo('tool', 'init', 'search')).toMatchObject({
      code: 1,
      stderr: 'zoo: Tool "search" already exists (from built-in). Choose another name.\n',
    });
    expect((await zoo('tool', 'init', 'a b')).code).toBe(2);
  });
});

test('an agent in a file of code may import this package by its name, installed beside it or not', async () => {
  await write(
    'agents/expert.ts',
    `import { defineAgent, HubError } from 'agent-zoo';
export default defineAgent({
  name: 'expert',
  resolve: ({ topic }) => {
    if (topic === undefined) throw new HubError('INVALID_ARGUMENTS', 'Name a topic.');
    return { system: 'You know ' + topic };
  },
  arguments: [{ name: 'topic' }],
});
`,
  );
  await write('zoo.toml', '[agents.code.expert]\npath = "agents/expert.ts"\n');
  expect(await zoo('agent', 'test', 'expert', '--arg', 'topic=birds')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('You know birds'),
  });
  expect(await zoo('agent', 'test', 'expert')).toMatchObject({ code: 1, stderr: 'zoo: Name a topic.\n' });
});

describe('zoo connector', () => {
  test('a new source can be tested without changes, and only a sync writes', async () => {
    const made = await zoo('connector', 'init', 'tickets');
    expect(made.stdout).toContain('Created: connectors/tickets.lua\n');
    const tested = await zoo('connector', 'test', 'tickets');
    expect({ ...tested, stdout: tested.stdout.replace(/\d+ms/, '1ms') }).toEqual({
      code: 0,
      stderr: '',
      stdout: `Source: script:tickets (connectors/tickets.lua)

  welcome  Welcome  2026-01-31

1 item in 1ms. Nothing was indexed.
`,
    });
    expect(JSON.parse((await zoo('stats', '--json')).stdout)).toMatchObject({ documents: 0 });
    expect((await zoo('sync', 'script:tickets')).code).toBe(0);
    expect(JSON.parse((await zoo('stats', '--json')).stdout)).toMatchObject({ documents: 1 });
    expect((await zoo('connector', 'init', 'tickets')).stderr).toContain('Source "script:tickets" already exists.');
  });

  test('a folder is tested like a script, and invalid items are named', async () => {
    await write(
      'zoo.toml',
      '[connectors.filesystem.docs]\nroot = "docs"\n[connectors.script.docs]\npath = "docs.lua"\n[connectors.git.lost]\n',
    );
    for (const name of ['a.md', 'b.md', 'c.md']) await write(`docs/${name}`, '# Title');
    await write(
      'docs.lua',
      'connector = {}\nfunction connector.scan() return { { source_id = "x" }, { source_id = "y", body = "" } } end',
    );
    const { stdout } = await zoo('connector', 'test', 'filesystem:docs', '--limit', '2', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ source: 'filesystem:docs', total: 3, items: [{}, {}], failures: [] });
    expect((await zoo('connector', 'test', 'script:docs')).stdout).toMatch(
      /x: body: is missing.*\n {2}y: body: is empty\n\n0 items, 2 failed in/,
    );
    expect((await zoo('connector', 'test', 'docs')).stderr).toMatch(/Use filesystem:docs or script:docs/);
    expect((await zoo('connector', 'test', 'lost')).stderr).toMatch(
      /could not be read: zoo\.toml:5: connectors\.git\.lost\.url/,
    );
    expect((await zoo('connector', 'test', 'dcs')).stderr).toMatch(/Did you mean "docs"\?/);
  });
});
