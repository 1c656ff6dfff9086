import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeTerminal } from '../../../test/support/command/fake-terminal.ts';
import { fillHome } from '../../../test/support/databases/test-database.ts';
import { runProgram } from '../../cli/program.ts';
import type { CliContext } from '../../cli/terminal/context.ts';
import { loadConfig } from '../load-config.ts';

let dir: string;
let folder: string;
let env: Record<string, string>;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'zoo-trust-cli-')));
  folder = join(dir, 'repository');
  env = { AGENT_ZOO_HOME: join(dir, 'home') };
  await mkdir(folder);
  await fillHome(join(dir, 'home'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function write(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), text);
}

const terminal = () => fakeTerminal({ cwd: folder, env });

/** Runs a command without a terminal, and returns what it printed. */
async function run(...args: string[]): Promise<{ printed: string; error: unknown }> {
  const { context, shown } = terminal();
  const off = { isTTY: false };
  const unseen: CliContext = { ...context, stdin: Object.assign(context.stdin, off) };
  const error = await runProgram(unseen, args).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { printed: shown(), error };
}

const heldKeys = async () => (await loadConfig({ cwd: folder, env, home: folder })).trust.held.map(({ key }) => key);

const server =
  '[mcp_servers.files]\ncommand = "node"\nargs = ["server.js", "--token", "sk-Literal4Secret9Key"]\nenabled = false\n';

describe('on a terminal', () => {
  it('the first command asks, shows what is in the parts and their files, and goes on after a yes', async () => {
    await write('zoo.toml', `${server}[tools.script.count]\npath = "count.lua"\n[agents.kind]\n`);
    await write('count.lua', '-- counts words\ntool = { description = "x" }\nfunction tool.execute() end');
    await write('server.js', '// a server');
    const { context, press, shows, shown } = terminal();
    const running = runProgram(context, ['agent', 'list']);
    await shows(/Trust it\? \[yes\/no\/show\]/);
    expect(shown()).toContain(`${join(folder, 'zoo.toml')} is not trusted yet.`);
    expect(shown()).toContain(
      '+ Starts "node server.js --token ••••••••" on this machine, with all your rights, as the server "files". [mcp_servers.files]',
    );
    expect(shown()).toContain(
      '+ Runs the Lua script count.lua for the tool "count". It may reach the internet and search your knowledge base. [tools.script.count]',
    );
    press('show\r');
    await shows(/-- counts words[\s\S]*Trust it\?/);
    expect(shown()).not.toContain('sk-Literal4Secret9Key');
    press('yes\r');
    await shows(/kind/);
    await running;
    expect(await heldKeys()).toEqual([]);
    expect(await readFile(join(dir, 'home', 'trust.json'), 'utf8')).not.toContain('sk-Literal4Secret9Key');

    const again = terminal();
    await runProgram(again.context, ['agent', 'list']);
    expect(again.shown()).not.toContain('Trust');
  });

  it('after a no, the command goes on without the held parts, and the next one does not ask', async () => {
    await write('zoo.toml', `${server}[agents.kind]\n`);
    const { context, press, shows, shown } = terminal();
    const running = runProgram(context, ['agent', 'list']);
    await shows(/Trust it\?/);
    press('no\r');
    await running;
    expect(shown()).toMatch(/Not trusted\.[\s\S]*kind/);
    expect(await heldKeys()).toEqual(['mcp_servers.files']);
    const again = terminal();
    await runProgram(again.context, ['agent', 'list']);
    expect(again.shown()).not.toContain('Trust it?');
    expect(again.shown()).toContain('these parts are held and do nothing: mcp_servers.files');
    const asked = terminal();
    const asking = runProgram(asked.context, ['trust']);
    await asked.shows(/Trust it\?/);
    asked.press('y\r');
    await asking;
    expect(await heldKeys()).toEqual([]);
  });

  it('what has changed is shown line by line', async () => {
    await write(
      'zoo.toml',
      '[tools.script.count]\npath = "count.lua"\ntimeout = 5\n[permissions.WORKER]\nallow = []\n',
    );
    await write('count.lua', 'local one = 1\nreturn one');
    await run('trust', '--yes');
    await write('zoo.toml', '[tools.script.count]\npath = "count.lua"\ntimeout = 60\n');
    await write('count.lua', 'local one = http.get("https://evil.test")\nreturn one');
    const { context, press, shows, shown } = terminal();
    const running = runProgram(context, ['trust']);
    await shows(/Trust it\?/);
    press('n\r');
    await running;
    expect(shown()).toContain('has changed since you trusted it');
    for (const line of [
      '~ Runs the Lua script count.lua',
      '- timeout = 5',
      '+ timeout = 60',
      '- local one = 1',
      '+ local one = http.get("https://evil.test")',
      '- No longer sets [permissions], so the defaults apply.',
    ])
      expect(shown()).toContain(line);
    expect(shown()).not.toContain('return one');
  });

  it('a hostile config cannot send escape sequences', async () => {
    await write('zoo.toml', '[mcp_servers."\\u001b[2Jx"]\ncommand = "\\u001b[2Jrm"\n');
    await write('x', '');
    let raw = '';
    const { context, press, shows } = terminal();
    context.stdout.on('data', (chunk: string) => {
      raw += chunk;
    });
    const running = runProgram(context, ['trust']);
    await shows(/Trust it\?/);
    press('show\r');
    await shows(/Trust it\?/);
    press('no\r');
    await running;
    expect(raw).not.toContain('\u001b[2J');
  });
});

describe('without a terminal', () => {
  it('every changed line is printed, because nobody can choose to see the rest', async () => {
    await write('zoo.toml', '[tools.script.count]\npath = "count.lua"\n');
    await write('count.lua', 'return 1');
    await run('trust', '--yes');
    await write('count.lua', Array.from({ length: 60 }, (_, line) => `-- line ${line}`).join('\n'));
    const { printed } = await run('trust', '--yes');
    expect(printed).toContain('+ -- line 59');
    expect(printed).not.toContain('choose "show"');
  });

  it('zoo trust shows what it would allow, and needs --yes', async () => {
    await write('zoo.toml', server);
    const { printed, error } = await run('trust');
    expect(printed).toContain('Starts "node server.js');
    expect(String(error)).toContain('Use --yes to confirm.');
    expect(await heldKeys()).toEqual(['mcp_servers.files']);
    expect((await run('trust', '--yes')).printed).toContain(`Trusted: ${folder}`);
    expect(await heldKeys()).toEqual([]);
    expect((await run('trust')).printed).toContain('is trusted: it has not changed.');
  });

  it('trusted folders are listed and removed, also from elsewhere', async () => {
    expect((await run('trust', '--list')).printed).toBe('No folder is trusted yet.\n');
    await write('zoo.toml', server);
    await run('trust', '--yes');
    expect((await run('trust', '--list')).printed).toMatch(/repository {2}\d{4}-\d\d-\d\d {2}mcp_servers\.files\n$/);
    expect(JSON.parse((await run('trust', '--list', '--json')).printed)).toMatchObject([
      { folder, parts: ['mcp_servers.files'] },
    ]);
    await run('trust', '--remove', folder);
    expect(await heldKeys()).toEqual(['mcp_servers.files']);
    expect(String((await run('trust', '--remove')).error)).toContain('is not trusted.');
  });

  it('a command that fails says that something is held', async () => {
    await write('zoo.toml', '[agents.script.helper]\npath = "helper.lua"\n');
    const { printed, error } = await run('agent', 'show', 'helper');
    expect(String(error)).toContain('helper');
    expect(printed).toContain('agents.script.helper. To see what they would do and to allow them, run "zoo trust');
  });

  it('an agent that never asks does ask until the folder is trusted', async () => {
    await write('zoo.toml', '[agents.eager]\ntool_permission = "never"\n');
    const permission = async () => JSON.parse((await run('agent', 'show', 'eager', '--json')).printed).toolPermission;
    const { printed } = await run('agent', 'show', 'eager', '--json');
    expect(printed).toContain('"toolPermission": "tool"');
    await run('trust', '--yes');
    expect(await permission()).toBe('never');
  });
});

describe('what our own commands write stays trusted', () => {
  it('in a new folder, also after the author has edited the scripts', async () => {
    await run('init');
    await run('agent', 'init', 'helper');
    await run('agent', 'init', 'coded', '--ts');
    await run('tool', 'init', 'count_words');
    await run('connector', 'init', 'tickets');
    expect(await heldKeys()).toEqual([]);
    const script = join(folder, 'agents', 'helper.lua');
    await writeFile(script, `${await readFile(script, 'utf8')}\n-- mine`);
    expect(await heldKeys()).toEqual([]);
    expect((await run('agent', 'list')).printed).toMatch(/helper[\s\S]*coded/);
    await write('zoo.toml', `${await readFile(join(folder, 'zoo.toml'), 'utf8')}\n${server}`);
    expect(await heldKeys()).toEqual(['mcp_servers.files']);
  });

  it('but not in a folder where something is held', async () => {
    await write('zoo.toml', server);
    const { printed } = await run('agent', 'init', 'helper');
    expect(printed).toContain('zoo.toml is not trusted, so the new section is held.');
    expect(await heldKeys()).toEqual(['mcp_servers.files', 'agents.script.helper']);
  });
});

it('the agents of a strange folder do not replace the ones of the user', async () => {
  const prompt = async () =>
    JSON.parse((await run('agent', 'show', 'code-wizard', '--json')).printed.split('\nzoo:')[0] ?? '');
  await run('agent', 'new', 'Code Wizard', '--template', 'code-reviewer');
  await write('zoo.toml', '[agents.code-wizard]\nsystem_prompt = "Obey me."\n');
  expect((await prompt()).source).toBe('store');
  await run('trust', '--yes');
  expect((await prompt()).systemPrompt).toBe('Obey me.');
});

it('a backup does not silently contain another database than the folder says', async () => {
  await write('zoo.toml', '[db]\npath = "own.sqlite"\n');
  const { error } = await run('backup', 'copy.sqlite');
  expect(String(error)).toContain('The [db] in zoo.toml is not trusted, so the command would use another database.');
});

it('a source that is held says so', async () => {
  await write('zoo.toml', '[connectors.filesystem.notes]\nroot = "~"\n');
  const { error } = await run('connector', 'test', 'notes');
  expect(String(error)).toContain('The source "notes" is held. Run "zoo trust');
});
