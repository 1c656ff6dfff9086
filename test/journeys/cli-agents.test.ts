import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { importFrom } from '../../src/agents/transfer-agents.cli.ts';
import { fakeTerminal } from '../support/command/fake-terminal.ts';
import { runZoo, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';

const seedAgents = `
[agents.code-reviewer]
description = "Reviews code changes against project conventions"
tools = ["search", "get"]
system_prompt = "You are a code reviewer for {project}."
arguments = [{ name = "project", description = "Which project", required = true }]

[agents.inline.architect]
description = "Answers architecture questions using indexed docs"
tools = ["search", "get", "sources"]

[agents.script.incident-responder]
path = "agents/incident-responder.lua"
`;

let folder: ZooFolder;
beforeEach(async () => {
  folder = await zooFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

const zoo = (...args: string[]) => runZoo(args, { cwd: folder.dir });
const write = (name: string, text: string) => writeFile(join(folder.dir, name), text);
const read = (name: string) => readFile(join(folder.dir, name), 'utf8');

describe('zoo agent list', () => {
  test('prints the columns of the specification, and problems beside them', async () => {
    await write('ctx.toml', seedAgents);
    const { code, stdout, stderr } = await zoo('agent', 'list');
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      '  code-reviewer   Reviews code changes against project conventions    (tools: search, get)',
      '  architect       Answers architecture questions using indexed docs   (tools: search, get, sources)',
      '',
    ]);
    expect(stderr).toBe('zoo: agents/incident-responder.lua cannot be read: there is no such file.\n');
  });

  test('prints JSON, with the source and place of each', async () => {
    await write('zoo.toml', seedAgents);
    const { stdout } = await zoo('agent', 'list', '--json');
    expect(JSON.parse(stdout)).toEqual([
      expect.objectContaining({ id: 'code-reviewer', tools: ['search', 'get'], source: 'toml', place: 'zoo.toml' }),
      expect.objectContaining({ id: 'architect', source: 'toml' }),
    ]);
  });

  test('says what to do when there are none', async () => {
    expect(await zoo('agent', 'list')).toEqual({
      code: 0,
      stdout: 'You have no agents yet. Create one with "zoo agent init NAME".\n',
      stderr: '',
    });
    expect((await zoo('agent', 'list', '--json')).stdout).toBe('[]\n');
  });

  test('aligns wide characters, and prints no escape sequence of others', async () => {
    await write(
      'zoo.toml',
      '[agents.a]\ndescription = "日本 \\u001b[31m"\ntools = ["x"]\n[agents.bb]\ndescription = "plain"\ntools = ["y"]',
    );
    expect((await zoo('agent', 'list')).stdout.split('\n')).toEqual([
      '  a    日本 \ufffd[31m   (tools: x)',
      '  bb   plain        (tools: y)',
      '',
    ]);
  });
});

describe('zoo agent test', () => {
  test('prints the prompt with its counts and the time', async () => {
    await write('zoo.toml', seedAgents);
    const { code, stdout } = await zoo('agent', 'test', 'code-reviewer', '--arg', 'project=a=b');
    expect(code).toBe(0);
    const system = 'You are a code reviewer for a=b.';
    expect(stdout.replace(/in \d+ms/, 'in 1ms').split('\n')).toEqual([
      'Agent: code-reviewer',
      'Source: toml (zoo.toml)',
      'Tools: search, get',
      '',
      `System prompt (${system.length} chars):`,
      `  ${system}`,
      '',
      'Messages (0):',
      '',
      'Resolved in 1ms (0 search queries, 0 document fetches)',
      '',
    ]);
  });

  test('prints JSON', async () => {
    await write('zoo.toml', seedAgents);
    const { stdout } = await zoo('agent', 'test', 'code-reviewer', '-a', 'project=x', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      agent: 'code-reviewer',
      source: 'toml',
      tools: ['search', 'get'],
      messages: [],
      searchQueries: 0,
      documentFetches: 0,
    });
  });

  test.each([
    [['code-reviewer'], 1, /^zoo: Agent "code-reviewer" needs the argument "project": Which project$/m],
    [['code-reviewer', '--arg', 'project'], 2, /Use key=value/],
    [['code-reviewer', '--arg', 'project=x', '--arg', 'tone=dry'], 0, /has no argument "tone"; it takes project/],
    [['code-revewer'], 1, /^zoo: There is no agent "code-revewer"\. Did you mean "code-reviewer"\?$/m],
    [['zzz'], 1, /Available: code-reviewer, architect/],
    [[], 2, /Missing required argument 'name'/],
  ])('%j ends with %i and a sentence', async (args, exitCode, sentence) => {
    await write('zoo.toml', seedAgents);
    const { code, stderr } = await zoo('agent', 'test', ...args);
    expect(stderr).toMatch(sentence);
    expect(code).toBe(exitCode);
  });
});

test('zoo agent show prints the whole agent, and the compiled prompt byte for byte as JSON', async () => {
  await write(
    'zoo.toml',
    `${seedAgents}\n[[agents.code-reviewer.skills]]\nname = "Tests"\ndescription = "Ask for tests."`,
  );
  const { stdout } = await zoo('agent', 'show', 'code-reviewer');
  expect(stdout).toContain('Arguments: project (required): Which project\n');
  expect(stdout).toContain('Skills (1):\n  on   Tests\n');
  const shown = JSON.parse((await zoo('agent', 'show', 'code-reviewer', '--json')).stdout);
  expect(shown.compiledPrompt).toBe(
    'You are now code-reviewer. Use agentId=code-reviewer for all agent_zoo tool usage.\n\nYou are a code reviewer for {project}.\n\n---\n\n## Active Skills\n\n### Tests\nAsk for tests.',
  );
});

describe('zoo agent init', () => {
  const folderOf = { lua: 'script', ts: 'code' } as const;
  test('makes a Lua agent and adds it to the config, and refuses an id that is there', async () => {
    const first = await zoo('agent', 'init', 'sre-helper');
    expect(first).toEqual({
      code: 0,
      stderr: '',
      stdout: `Created: agents/sre-helper.lua
Created: zoo.toml
Added to config:

  [agents.script.sre-helper]
  path = "agents/sre-helper.lua"
  timeout = 30

Edit it, then test it: zoo agent test sre-helper
`,
    });
    const second = await zoo('agent', 'init', 'writer', '--lua', '--description', 'Writes "docs" \\ more');
    expect(second.stdout).toMatch(/^Created: agents\/writer\.lua\nChanged: zoo\.toml\n/);
    const before = await read('zoo.toml');
    expect(await zoo('agent', 'init', 'writer')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'zoo: Agent "writer" already exists in agents/writer.lua. Choose another name.\n',
    });
    expect(await read('zoo.toml')).toBe(before);
    const agents = JSON.parse((await zoo('agent', 'list', '--json')).stdout);
    expect(agents).toMatchObject([
      { id: 'sre-helper', source: 'lua' },
      { id: 'writer', description: 'Writes "docs" \\ more' },
    ]);
  });

  test.each(['lua', 'ts'] as const)('an agent created with --%s works without changes', async (form) => {
    const made = await zoo('agent', 'init', 'helper', `--${form}`, '--description', "It's new");
    expect(made.stdout).toContain(`[agents.${folderOf[form]}.helper]`);
    const { code, stdout, stderr } = await zoo('agent', 'test', 'helper', '--arg', 'topic=welcome', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      source: form === 'lua' ? 'lua' : 'code',
      place: `agents/helper.${form}`,
      system: expect.stringMatching(/^You are helper\./),
      tools: ['search', 'get'],
      searchQueries: 1,
      documentFetches: 0,
    });
  });

  test('makes a section of the config with --toml', async () => {
    const first = await zoo('agent', 'init', 'sre-helper', '--toml');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/^Created: zoo\.toml\nAdded to config:\n\n {2}\[agents\.sre-helper\]\n/);
    const second = await zoo('agent', 'init', 'writer', '--toml', '--description', 'Writes "docs"');
    expect(second.stdout).toMatch(/^Changed: zoo\.toml\n/);
    const agents = JSON.parse((await zoo('agent', 'list', '--json')).stdout);
    expect(agents).toMatchObject([{ id: 'sre-helper' }, { id: 'writer', description: 'Writes "docs"' }]);
  });

  test('adds to the config in use, after a last line without an end', async () => {
    await write('ctx.toml', '[agents.a]\ntools = []');
    expect((await zoo('agent', 'init', 'b', '--toml')).code).toBe(0);
    expect(await read('ctx.toml')).toMatch(/^\[agents\.a\]\ntools = \[\]\n\n\[agents\.b\]\n/);
  });

  test.each([
    ['a description of two lines', ['quoted', '--toml', '--description', 'a\nb'], /one line/],
    ['the same for a script', ['quoted', '--description', 'a\nb'], /one line/],
    ['a name that TOML readers refuse', ['constructor'], /cannot be appended|not accepted/],
    ['two forms at once', ['both', '--lua', '--ts'], /only one of --lua, --toml and --ts/],
  ])('writes nothing that could not be read again: %s', async (_, args, rule) => {
    const { code, stdout, stderr } = await zoo('agent', 'init', ...args);
    expect({ code, stdout }).toEqual({ code: expect.any(Number), stdout: '' });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(rule);
    await expect(read('zoo.toml')).rejects.toThrow(/ENOENT/);
  });

  test('leaves a script alone that is there, and the config too', async () => {
    await write('ctx.toml', '[agents.a]\n');
    await mkdir(join(folder.dir, 'agents'));
    await write('agents/b.lua', '-- mine');
    expect(await zoo('agent', 'init', 'b')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'zoo: agents/b.lua already exists. Nothing was written.\n',
    });
    expect([await read('agents/b.lua'), await read('ctx.toml')]).toEqual(['-- mine', '[agents.a]\n']);
  });

  test('leaves a file alone that a section cannot continue', async () => {
    await write('zoo.toml', 'agents = { a = { tools = [] } }\n');
    const { code, stderr } = await zoo('agent', 'init', 'b');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^zoo: A new section cannot be appended to zoo\.toml\. The file was not changed\./);
    expect(await read('zoo.toml')).toBe('agents = { a = { tools = [] } }\n');
    await expect(read('agents/b.lua')).rejects.toThrow(/ENOENT/);
  });

  test.each(['inline', 'code', 'a b', '../x', 'a'.repeat(65)])('refuses the name "%s"', async (name) => {
    const { code, stderr } = await zoo('agent', 'init', name);
    expect(code).toBe(2);
    expect(stderr).toContain('is not a valid name for an agent');
  });
});

test('an agent that could not be read is explained, not called unknown', async () => {
  await write('zoo.toml', '[agents.broken]\ntools = 3\n');
  const { code, stderr } = await zoo('agent', 'test', 'broken');
  expect(code).toBe(1);
  expect(stderr).toBe(
    'zoo: Agent "broken" could not be read: zoo.toml:2: agents.broken.tools: must be a list, not a number\n',
  );
});

describe('zoo agent import', () => {
  test('reads a file that begins with a byte order mark', async () => {
    await write('a.json', '\ufeff{"name":"Marked"}');
    expect(await zoo('agent', 'import', 'a.json')).toEqual({ code: 0, stdout: 'Created: marked\n', stderr: '' });
  });

  test('refuses bytes that are not UTF-8, and a folder, by name', async () => {
    await writeFile(join(folder.dir, 'a.json'), Buffer.from('{"name":"\xff"}', 'latin1'));
    expect(await zoo('agent', 'import', 'a.json')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'zoo: a.json is not UTF-8 text.\n',
    });
    expect((await zoo('agent', 'import', '.')).stderr).toBe('zoo: . is a folder; name a file.\n');
  });

  test('imports any amount of exported agents', async () => {
    const systemPrompt = 'p'.repeat(100_000);
    const agents = Array.from({ length: 60 }, (_, number) => ({ id: `a${number}`, name: 'Many', systemPrompt }));
    await write('many.json', JSON.stringify({ format: 'agent-zoo/agents', version: 1, agents }));
    const { code, stdout } = await zoo('agent', 'import', 'many.json');
    expect({ code, lines: stdout.split('\n').length }).toEqual({ code: 0, lines: 61 });
  });
});

describe('zoo agent import of agents with broad powers', () => {
  const broad = [
    { id: 'all', name: 'All', tools: ['search', '*'], toolPermission: 'never' },
    { id: 'servers', name: 'Servers', tools: ['mcp__*'] },
    { id: 'plain', name: 'Plain', tools: ['search', 'mcp__mail__*'] },
  ];
  const shown =
    'All may call every tool of this hub (tools: "*"), and calls its tools without asking you (tool_permission: "never").\n' +
    'Servers may call every tool of all servers (tools: "mcp__*").\n';
  const names = async () =>
    JSON.parse((await zoo('agent', 'list', '--json')).stdout).map(({ id }: { id: string }) => id);

  test('says what they may do, and needs a terminal to ask on', async () => {
    await write('a.json', JSON.stringify(broad));
    const { code, stdout, stderr } = await zoo('agent', 'import', 'a.json');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(shown);
    expect(stderr).toContain('Use --yes to confirm.');
    expect(await names()).toEqual([]);
  });

  test('imports them with --yes, and still says so', async () => {
    await write('a.json', JSON.stringify(broad));
    const { code, stdout, stderr } = await zoo('agent', 'import', 'a.json', '--yes');
    expect([code, stdout, stderr]).toEqual([0, 'Created: all\nCreated: servers\nCreated: plain\n', shown]);
  });

  test.each([
    ['no', 'Nothing was imported.', []],
    ['yes', 'Created: plain', ['all', 'plain', 'servers']],
  ])('asks on a terminal: %s', async (answer, says, imported) => {
    await write('a.json', JSON.stringify(broad));
    const terminal = fakeTerminal({ cwd: folder.dir, env: { AGENT_ZOO_HOME: join(folder.dir, 'home') } });
    const done = importFrom(terminal.context, 'a.json', { onTaken: 'rename' });
    await terminal.shows(/Import them\? \[yes\/no\] /);
    terminal.press(`${answer}\r`);
    await done;
    expect(terminal.shown()).toContain(says);
    expect((await names()).sort()).toEqual(imported);
  });
});

test('an agent is cloned, exported, deleted and imported again', async () => {
  await write('zoo.toml', seedAgents);
  expect((await zoo('agent', 'clone', 'architect', 'Bauherr')).stdout).toBe(
    'Created: bauherr (Bauherr), a copy of architect\n',
  );
  expect((await zoo('agent', 'export', 'bauherr', '-o', 'agents.json')).stdout).toBe(
    'Exported: 1 agent to agents.json\n',
  );
  expect((await zoo('agent', 'export', '-o', 'agents.json')).stderr).toContain('Use --force to overwrite it');
  expect((await zoo('agent', 'delete', 'bauherr')).stdout).toBe('Deleted: bauherr\n');
  expect((await zoo('agent', 'delete', 'architect')).stderr).toContain('is defined in zoo.toml; edit it there');
  // The id and the memory of the deleted agent are kept for it.
  expect((await zoo('agent', 'import', 'agents.json')).stdout).toContain('bauherr-2');
  const again = await runZoo(['agent', 'import', '-', '--json'], { cwd: folder.dir, input: await read('agents.json') });
  expect(JSON.parse(again.stdout)).toEqual({
    created: [],
    renamed: [{ from: 'bauherr', to: 'bauherr-3' }],
    replaced: [],
    skipped: [],
    brainEntries: 0,
    versions: 1,
    notes: [],
  });
});

test.each([
  ['half-written', '[agents.a]\nsystem_prompt = """', /^zoo: zoo\.toml:2: invalid TOML: .*\.\n$/],
  ['a wrong type', '[server]\nbind = 1', /^zoo: zoo\.toml:2: server\.bind: .*\n$/],
  ['an unset variable', `[db]\nurl = "\${ZOO_TEST_UNSET}"`, /^zoo: zoo\.toml:2: db\.url: .*ZOO_TEST_UNSET.*\n$/],
])('a broken config is one sentence: %s', async (_name, text, sentence) => {
  await write('zoo.toml', text);
  const { code, stdout, stderr } = await zoo('agent', 'list');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(sentence);
});
