import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { version } from '../../src/version.ts';
import { runCommand, runZoo, runZooProcess, type ZooFolder, zooFolder, zooScript } from '../support/command/run-zoo.ts';

let folder: ZooFolder;
beforeEach(async () => {
  folder = await zooFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

const zoo = (...args: string[]) => runZoo(args, { cwd: folder.dir });

test('--version prints the version of the package', async () => {
  expect(await zoo('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test.each([[['--help']], [[]], [['help']]])('%j prints every command and examples', async (args) => {
  const { code, stdout, stderr } = await zoo(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const word of ['serve', 'mcp', 'agent', 'init', 'status', 'backup', 'restore', 'completion', 'Examples:'])
    expect(stdout).toContain(word);
});

test.each([
  [['srve'], 'zoo: Unknown command \'srve\'. Did you mean "zoo serve"?\n'],
  [['agent', 'tset'], 'zoo: Unknown command \'tset\'. Did you mean "zoo agent test"?\n'],
  [['dance'], 'zoo: Unknown command \'dance\'. Run "zoo --help" for a list.\n'],
  [['serve', '--bnd', '1'], "zoo: Unknown option '--bnd'. Did you mean --bind?\n"],
  [['serve', '--bind', 'nowhere'], 'zoo: Invalid --bind "nowhere". Use HOST:PORT, such as 127.0.0.1:7331.\n'],
  [['mcp', '--agnet', 'a'], "zoo: Unknown option '--agnet'. Did you mean --agent?\n"],
  [['mcp', '--agent'], 'zoo: Option \'--agent <name>\' argument missing. Run "zoo mcp --help" for a list.\n'],
  [['agent', 'import', 'x', '--on-taken', 'cry'], /Allowed choices are rename, skip, replace/],
  [['help', 'agent', 'tset'], 'zoo: Unknown command \'tset\'. Did you mean "zoo agent test"?\n'],
  [['help', 'dance'], 'zoo: Unknown command \'dance\'. Run "zoo --help" for a list.\n'],
  [['search', 'x', '--limit', '0'], /Use a whole number of 1 or more\./],
  [['search', 'x', '--since', 'yesterday'], 'zoo: --since must be a date, such as 2026-01-31\n'],
  [['log', '--since', 'yesterday'], /^zoo: --since must be a date, a time or how long ago .*; "yesterday" is not\.\n$/],
  [
    ['provider', 'key', 'openai'],
    'zoo: The input is empty. Send the key on stdin: zoo provider key openai < file-with-the-key\n',
  ],
])('%j is a usage error: exit code 2 and one line', async (args, sentence) => {
  const { code, stdout, stderr } = await zoo(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(typeof sentence === 'string' ? new RegExp(`^${RegExp.escape(sentence)}$`) : sentence);
});

test.each([[['agent']], [['agent', '--help']], [['help', 'agent']]])('%j shows help for agents only', async (args) => {
  const { code, stdout } = await zoo(...args);
  expect({ code, usages: stdout.match(/^Usage: .*/gm) }).toEqual({
    code: 0,
    usages: ['Usage: zoo agent [options] [command]'],
  });
});

test.each([[['help', 'agent', 'test']], [['agent', 'help', 'test']], [['agent', 'test', '--help']]])(
  '%j shows help for one command, without empty defaults',
  async (args) => {
    const { code, stdout } = await zoo(...args);
    expect([code, stdout.split('\n')[0]]).toEqual([0, 'Usage: zoo agent test [options] <name>']);
    expect(stdout).toContain('--arg <key=value>');
    expect(stdout).not.toContain('{}');
  },
);

test.each([
  [['agent', 'export', '-o', 'nowhere/x.json'], /^zoo: No such folder: .*nowhere\.\n$/],
  [['agent', 'import', 'nowhere.json'], /^zoo: No such file or folder: .*nowhere\.json\.\n$/],
  [['agent', 'import', 'broken.json'], /^zoo: broken\.json: The text is not valid JSON/],
  [['provider', 'key', 'opnai'], /^zoo: There is no provider "opnai"\. Available: openai, /],
])('%j fails with one line that names what is missing', async (args, sentence) => {
  await writeFile(join(folder.dir, 'broken.json'), '{');
  const { code, stdout, stderr } = await zoo(...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(sentence);
});

/** Runs lines of bash in which `zoo` is this command. */
function bash(lines: string, env: Record<string, string> = {}) {
  const zooFunction = `zoo() { '${process.execPath}' '${zooScript}' "$@"; }\n`;
  return runCommand(['bash', '--norc', '-c', zooFunction + lines], { cwd: folder.dir, env });
}

test.each(['zoo --help | head -1', 'zoo agent list 2>&1 | head -c 1', 'zoo agent list 2>&1 >/dev/null | head -c 0'])(
  'a reader that closes the pipe early is not a failure: %s',
  async (line) => {
    const agents = Array.from({ length: 300 }, (_, id) => `[agents.a${id}]\ndescription = "${'x'.repeat(500)}"\n`);
    await writeFile(join(folder.dir, 'zoo.toml'), `${agents.join('')}[agents.broken]\ntools = 3\n`);
    const { stdout, stderr } = await bash(`${line}; echo " \${PIPESTATUS[0]}"`);
    expect({ code: stdout.trimEnd().split(' ').at(-1), stderr }).toEqual({ code: '0', stderr: '' });
  },
);

test('a full disk is reported in one line', async () => {
  const { stdout, stderr } = await bash('zoo --version >/dev/full; echo $?');
  expect({ stdout, stderr }).toEqual({
    stdout: '1\n',
    stderr: 'zoo: Could not write the output: no space left.\n',
  });
});

test('a stack trace is printed only on request', async () => {
  await writeFile(join(folder.dir, 'zoo.toml'), 'x =');
  const quiet = await zoo('status');
  expect(quiet.stderr.split('\n')).toHaveLength(2);
  const loud = await runZoo(['status'], { cwd: folder.dir, env: { ZOO_DEBUG: '1' } });
  expect(loud.stderr).toMatch(/\n {4}at /);
});

describe('zoo init', () => {
  test('writes a config that loads without problems, and never overwrites one', async () => {
    expect((await zoo('init')).stdout).toMatch(/^Created: zoo\.toml\n/);
    const status = JSON.parse((await zoo('status', '--json')).stdout);
    expect(status).toEqual({
      version,
      config: join(folder.dir, 'zoo.toml'),
      data: { kind: 'sqlite', place: join(folder.dir, 'home', 'zoo.sqlite') },
      agents: { total: 1, bySource: { toml: 1 } },
      tools: expect.any(Number),
      serving: null,
      problems: [],
      notices: [],
    });
    const text = await readFile(join(folder.dir, 'zoo.toml'), 'utf8');
    const again = await zoo('init');
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(again.stdout).toMatch(/^zoo\.toml already exists\. It was not changed\.\n/);
    expect(await readFile(join(folder.dir, 'zoo.toml'), 'utf8')).toBe(text);
  });

  test('contains settings that are valid when uncommented', async () => {
    await zoo('init');
    const file = join(folder.dir, 'zoo.toml');
    const text = await readFile(file, 'utf8');
    const withoutDatabase = text.replace(/^# url = "\$\{DATABASE_URL\}"$/m, '');
    const env = {
      ZOO_WEBHOOK_SECRET: 'a secret of eight',
      INNGEST_EVENT_KEY: 'key',
      EXAMPLE_TOKEN: 'a token',
      LOCAL_KEY: 'a key',
      TRAVEL_TOKEN: 'a token',
      DIRECT_DATABASE_URL: 'postgres://127.0.0.1/zoo',
    };
    await writeFile(file, withoutDatabase.replace(/^# (\[+[a-z].*\]|[a-z_]+ = .*)$/gm, '$1'));
    const withKeys = (...args: string[]) => runZoo(args, { cwd: folder.dir, env });
    const status = JSON.parse((await withKeys('status', '--json')).stdout);
    // The files that the examples name are not there; nothing else is wrong.
    const missing = ['agents/incident-responder.lua', 'agents/db-expert.ts', 'tools/create_ticket.lua'];
    const problems: { message: string }[] = status.problems;
    expect(problems.map(({ message }) => message).toSorted()).toEqual(
      [
        ...missing.map((name) => `${name} cannot be read: there is no such file.`),
        `[server] cert: ${join(folder.dir, 'tls/cert.pem')} cannot be read (ENOENT).`,
      ].toSorted(),
    );
    expect(status.data.place).toBe(join(folder.dir, 'data', 'zoo.sqlite'));
    const agent = JSON.parse((await withKeys('agent', 'show', 'code-reviewer', '--json')).stdout);
    expect(agent).toMatchObject({ model: 'ollama/llama3.2', modelSettings: { temperature: 0.2 } });
  });
});

test('a data folder that cannot be created is reported in one line', async () => {
  const env = { AGENT_ZOO_HOME: '/proc/nowhere/zoo' };
  const { code, stdout, stderr } = await runZoo(['agent', 'list'], { cwd: folder.dir, env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^zoo: The folder \/proc\/nowhere\/zoo for the database cannot be created: .*\n$/);
});

/** Most tests run commands in their own process, which cannot show whether a command leaves anything open. */
test('as processes, commands end by themselves with the same result', async () => {
  await zoo('init');
  await zoo('agent', 'new', 'Zebra', '--template', 'architect');
  for (const line of [
    'agent show zebra --json',
    'agent export nobody',
    'connector test nothing',
    'connect',
    'epic list',
    'get nothing',
    'key list',
    'mcp-server list',
    'mcp-server show nothing',
    'provider list',
    'provider models',
    'sources',
    'stats --json',
    'status --json',
    'task show nothing',
    'team events',
    'team token nobody',
    'template list',
    'tool list',
    'dance',
  ]) {
    const args = line.split(' ');
    expect([line, await runZooProcess(args, { cwd: folder.dir })]).toEqual([line, await zoo(...args)]);
  }
});

describe('shell completion', () => {
  // The completion library prints to the process.
  test.each(['bash', 'zsh', 'fish', 'powershell'])('there is a script for %s', async (shell) => {
    const { code, stdout } = await runZooProcess(['completion', shell], { cwd: folder.dir });
    expect(code).toBe(0);
    expect(stdout).toMatch(/zoo complete '?--/);
  });

  test('works in plain bash, even if loaded twice, and executes nothing that is typed', async () => {
    await zoo('init');
    const { stdout, stderr } = await bash(`
      source <(zoo completion bash); source <(zoo completion bash)
      try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); __zoo_complete 2>/dev/null; echo "\${COMPREPLY[*]}"; }
      try zoo ser
      try zoo agent te
      try zoo agent test ''
      try zoo agent test co
      try zoo mcp --agent x
      try zoo agent test '$(touch hacked)' ''
      try zoo agent new x --template arch
      complete -p zoo
      ls hacked`);
    expect(stdout.split('\n')).toEqual([
      'serve',
      'test',
      'code-reviewer',
      'code-reviewer',
      '',
      expect.any(String),
      'architect',
      'complete -o default -F __zoo_complete zoo',
      '',
    ]);
    expect(stderr).toMatch(/^ls: [^\n]*hacked[^\n]*\n$/);
  });

  test('an unknown shell is a usage error', async () => {
    const { code, stderr } = await zoo('completion', 'csh');
    expect(code).toBe(2);
    expect(stderr).toMatch(/zsh, bash, fish, powershell/);
  });

  test.each([
    [['ser'], ['serve']],
    [
      ['agent', ''],
      ['list', 'show', 'revoke', 'test', 'serve', 'init', 'new', 'clone', 'delete', 'default', 'export', 'import'],
    ],
    [['agent', 'test', ''], ['code-reviewer']],
    [['mcp', '--agent', ''], ['code-reviewer']],
    [
      ['agent', 'import', 'x', '--on-taken', ''],
      ['rename', 'skip', 'replace'],
    ],
  ])('%j suggests %j', async (words, proposals) => {
    await zoo('init');
    const { stdout } = await runZooProcess(['complete', '--', ...words], { cwd: folder.dir });
    const values = stdout.split('\n').filter((line) => line !== '' && !line.startsWith(':'));
    expect(values.map((line) => line.split('\t')[0])).toEqual(proposals);
  });
});
