import { mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Config } from '../config.ts';
import { configDocument } from '../config-document.ts';
import { connectorSections } from '../connector-sections.ts';
import { trustFile } from '../find-config.ts';
import { loadConfig } from '../load-config.ts';
import { scriptSections } from '../script-sections.ts';
import { serverSections } from '../server-sections.ts';
import { halves } from './held-half.ts';
import { declineConfig, isDeclined, trustConfig, trustOwnWriting } from './remember-trust.ts';
import { saveTrustedFolder } from './trusted-folders.ts';

let dir: string;
let repository: string;
let home: string;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'zoo-trust-')));
  repository = join(dir, 'repository');
  home = join(dir, 'home');
  await mkdir(repository);
  await mkdir(home);
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function write(name: string, text: string): Promise<void> {
  const file = join(repository, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

const env = { SECRET: 'a-secret-of-the-user', HOME_OF_ALL: '/' };

function load(options: { explicitFile?: string; env?: Record<string, string> } = {}) {
  return loadConfig({ cwd: repository, home, ...options, env: { ...env, ...options.env } });
}

async function heldKeys(): Promise<string[]> {
  return (await load()).trust.held.map(({ key }) => key);
}

/** Loads the config, and trusts it as it is. */
async function trustIt(): Promise<void> {
  const { dataDir, trust } = await load();
  trustConfig(dataDir, trust);
}

describe('what a found config may not do', () => {
  it.each([
    ['a TypeScript agent', '[agents.code.x]\npath = "x.ts"', ['agents.code.x']],
    ['a TypeScript agent in the short form', '[agents.x]\npath = "x.ts"', ['agents.x']],
    ['a Lua agent', '[agents.script.x]\npath = "x.lua"\nallow_env = ["SECRET"]', ['agents.script.x']],
    ['an agent file, which can define servers', '[agents.file.x]\npath = "x.yaml"', ['agents.file.x']],
    ['an agent that takes a secret into its prompt', `[agents.x]\nsystem_prompt = "Say \${SECRET}"`, ['agents.x']],
    ['the same, nested', `[agents.inline.x]\nskills = [{ name = "\${SECRET}" }]`, ['agents.inline.x']],
    ['an agent that never asks', '[agents.x]\ntool_permission = "never"', ['agents.x.tool_permission']],
    ['the same in camel case', '[agents.x]\ntoolPermission = "never"', ['agents.x.toolPermission']],
    [
      'an agent with its own limit on turns',
      '[agents.x]\nmodel_settings = { max_chat_turns = 99 }',
      ['agents.x.model_settings'],
    ],
    [
      'an agent that names pages',
      '[agents.x]\ncontext_refs = ["a.md", "https://example.com/"]',
      ['agents.x.context_refs'],
    ],
    ['more folders for agents', '[context]\nfolders = ["~"]', ['context']],
    [
      'options for a provider',
      '[agents.x]\nmodel_settings = { provider_options = { openai = { store = true } } }',
      ['agents.x.model_settings'],
    ],
    ['a Lua tool', '[tools.script.x]\npath = "x.lua"', ['tools.script.x']],
    ['a server', '[mcp_servers.x]\ncommand = "sh"', ['mcp_servers.x']],
    ['a server under its other name', '[mcpServers."x.y"]\nurl = "http://x.test"', ['mcpServers."x.y"']],
    ['servers in an unusual shape', '[[mcp_servers]]\ncommand = "sh"', ['mcp_servers']],
    ['a provider', '[providers.openai]\nbase_url = "http://x.test"', ['providers.openai']],
    ['embeddings', '[embedding]\nprovider = "openai"', ['embedding']],
    ['a webhook', '[events.webhooks.x]\nurl = "http://x.test"\nsecret = "12345678"', ['events.webhooks.x']],
    ['Inngest', '[events.inngest]\nevent_key = "x"', ['events.inngest']],
    ['a peer', '[a2a.peers.x]\nurl = "http://x.test"', ['a2a.peers.x']],
    ['rights', '[permissions.WORKER]\nallow = ["*"]', ['permissions']],
    ['the database', '[db]\npath = "x.sqlite"', ['db']],
    ['the web server', '[server]\nbind = "0.0.0.0:1"', ['server']],
    ['the log', '[log]\nkeep_days = 1', ['log']],
    ['deleting chats', '[chats]\nkeep_days = 1', ['chats']],
    ['deleting runs', '[runs]\nkeep_days = 1', ['runs']],
    ['the engine', '[engine]\nmax_ticks = 1000', ['engine']],
    ['limits of the team', '[team]\nstalled_after_secs = 1', ['team']],
    ['the size of passages in a shared index', '[chunking]\nmax_tokens = 32', ['chunking']],
    ['a repository', '[connectors.git.x]\nurl = "https://x.test/x.git"', ['connectors.git.x']],
    ['a Lua source', '[connectors.script.x]\npath = "x.lua"', ['connectors.script.x']],
    ['a folder outside', '[connectors.filesystem.x]\nroot = "../home"', ['connectors.filesystem.x']],
    ['a folder in the home', '[connectors.filesystem.x]\nroot = "~/.ssh"', ['connectors.filesystem.x']],
    ['a folder that is not named', '[connectors.filesystem]\nroot = "/"', ['connectors.filesystem.*']],
    [
      'a folder from the environment',
      `[connectors.filesystem.x]\nroot = "\${HOME_OF_ALL}"`,
      ['connectors.filesystem.x'],
    ],
    [
      'links in a folder',
      '[connectors.filesystem.x]\nroot = "docs"\nfollow_symlinks = true',
      ['connectors.filesystem.x'],
    ],
    ['ignored files', '[connectors.filesystem.x]\nroot = "docs"\nignore_files = false', ['connectors.filesystem.x']],
    [
      'a file with secrets by its name',
      '[connectors.filesystem.x]\nroot = "."\ninclude_globs = ["**/.env"]',
      ['connectors.filesystem.x'],
    ],
  ])('%s is held', async (_, toml, keys) => {
    await write('zoo.toml', toml);
    expect(await heldKeys()).toEqual(keys);
  });

  it('none of it is in the config that applies, nor in anything that reads the file again', async () => {
    await write(
      'zoo.toml',
      `[db]
url = "postgres://x.test/\${SECRET}"
[server]
bind = "127.0.0.1:1"
[agents.kind]
system_prompt = "Hello"
tool_permission = "never"
[agents.code.evil]
path = "x.ts"
[tools.script.evil]
path = "x.lua"
[mcp_servers.evil]
command = "sh"
[providers.openai]
base_url = "http://x.test"
[a2a.peers.evil]
url = "http://x.test"
[connectors.filesystem.docs]
root = "docs"
[connectors.git.evil]
url = "http://x.test"
[unknown]
value = "\${NOT_SET}"`,
    );
    const loaded = await load();
    expect(loaded.config).toMatchObject({
      db: { path: join(home, '.agent-zoo/zoo.sqlite') },
      server: { bind: '127.0.0.1:7331' },
      agents: { kind: { system_prompt: 'Hello' }, code: {} },
      tools: { script: {} },
      mcp_servers: {},
      providers: {},
      a2a: { peers: {} },
      connectors: { filesystem: { docs: { root: 'docs' } }, git: {} },
      unknown: {},
    });
    expect(loaded.config.agents.kind).not.toHaveProperty('tool_permission');
    const document = configDocument({ loaded, watch: false });
    expect(await document.current()).toMatchObject({ config: { db: {}, mcp_servers: {} } });
    expect(await serverSections(document).current()).toEqual({ servers: [], problems: [] });
    const scripts = scriptSections(document);
    expect((await scripts.code.current()).sections).toEqual([]);
    expect((await scripts.tools.current()).sections).toEqual([]);
    await document.close();
  });

  it('agents, skills, arguments, search settings and folders inside apply at once', async () => {
    await mkdir(join(repository, 'docs'));
    await write(
      'zoo.toml',
      `[agents.reviewer]
system_prompt = "Costs $\${PRICE}. Look at {focus}."
tools = ["*"]
tool_permission = "tool"
context_refs = ["docs/style.md"]
context_budget = 100
model = "openai/gpt-5"
model_settings = { temperature = 0.2 }
[[agents.reviewer.arguments]]
name = "focus"
[[agents.reviewer.skills]]
name = "Care"
[[agents.reviewer.knowledge]]
query = "style"
[retrieval]
final_limit = 3
[connectors.filesystem.docs]
root = "./docs"
include_globs = ["**/*.md", "README.md"]
[connectors.filesystem.later]
root = "not-yet"
[db]
[server]
`,
    );
    const loaded = await load();
    expect(loaded.trust.held).toEqual([]);
    expect(loaded.config.agents.reviewer).toMatchObject({ system_prompt: `Costs \${PRICE}. Look at {focus}.` });
    expect(loaded.config.retrieval.final_limit).toBe(3);
    expect(connectorSections(loaded).sections).toMatchObject([
      { name: 'docs', confinedTo: repository },
      { name: 'later', confinedTo: repository },
    ]);
  });

  it('a link that leads out of the folder is outside, and so is a folder that contains the home', async () => {
    await mkdir(join(home, '.ssh'));
    await symlink(join(home, '.ssh'), join(repository, 'docs'));
    await write('zoo.toml', '[connectors.filesystem.x]\nroot = "docs"');
    expect((await load()).trust.held).toMatchObject([
      { why: `reads ${join(home, '.ssh')}, which is outside this folder` },
    ]);
    await write('zoo.toml', '[connectors.filesystem.x]\nroot = "."');
    const loaded = await loadConfig({ cwd: repository, home: join(repository, 'me'), env });
    expect(loaded.trust.held).toMatchObject([{ key: 'connectors.filesystem.x' }]);
  });
});

it('every section has a row, and one without does not compile', () => {
  expect(Object.keys(halves).toSorted()).toEqual(Object.keys(Config.shape).toSorted());
  const { db: _, ...rest } = halves;
  // @ts-expect-error: [db] has no row.
  const incomplete: typeof halves = rest;
  expect(incomplete).not.toHaveProperty('db');
});

describe('a config is trusted', () => {
  const toml = '[mcp_servers.x]\ncommand = "sh"';

  it('if it is named, or if it is the one of the home', async () => {
    await write('zoo.toml', toml);
    expect((await load()).trust.held).toHaveLength(1);
    const named = [
      await load({ explicitFile: 'zoo.toml' }),
      await load({ env: { ZOO_CONFIG: 'zoo.toml' } }),
      await load({ env: { CTX_CONFIG: 'zoo.toml' } }),
      await load({ env: { AGENT_ZOO_HOME: repository } }),
    ];
    for (const { trust, config } of named) {
      expect(trust).toMatchObject({ folder: null, held: [] });
      expect(config.mcp_servers).toEqual({ x: { command: 'sh' } });
    }
  });

  it('but not if it is a link to the one of the home, whose paths would lead into the folder', async () => {
    await mkdir(join(home, '.agent-zoo'));
    await writeFile(join(home, '.agent-zoo', 'zoo.toml'), toml);
    await symlink(join(home, '.agent-zoo', 'zoo.toml'), join(repository, 'zoo.toml'));
    expect((await load()).trust.held).toHaveLength(1);
  });

  it('after the user has said so, until it changes; the file is for this user only', async () => {
    await write('zoo.toml', toml);
    await trustIt();
    expect((await load()).config.mcp_servers).toEqual({ x: { command: 'sh' } });
    const file = trustFile(join(home, '.agent-zoo'));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(Object.keys(JSON.parse(await readFile(file, 'utf8')).folders)).toEqual([repository]);

    await write('zoo.toml', '# The order and comments do not matter.\n[mcp_servers.x]\ncommand = "sh"\n[agents.new]\n');
    expect(await heldKeys()).toEqual([]);
    await write('zoo.toml', `${toml}\nargs = ["-c", "touch x"]`);
    expect((await load()).trust.held).toMatchObject([{ key: 'mcp_servers.x', state: 'changed' }]);
    saveTrustedFolder(join(home, '.agent-zoo'), repository, undefined);
    await write('zoo.toml', toml);
    expect((await load()).trust.held).toMatchObject([{ key: 'mcp_servers.x', state: 'new' }]);
  });

  it('part by part: what is new is held, what is unchanged goes on', async () => {
    await write('zoo.toml', toml);
    await trustIt();
    await write('zoo.toml', `${toml}\n[mcp_servers.y]\ncommand = "sh"`);
    const loaded = await load();
    expect(loaded.trust.held.map(({ key }) => key)).toEqual(['mcp_servers.y']);
    expect(loaded.config.mcp_servers).toEqual({ x: { command: 'sh' } });
  });

  it('with the content of its scripts, and of what they import', async () => {
    await write('zoo.toml', '[agents.code.x]\npath = "x.ts"\n[tools.script.y]\npath = "y.lua"');
    await write('x.ts', "import { help } from './lib/help.ts';\nexport default {};");
    await write('lib/help.ts', "export * from '../other.js';");
    await write('other.js', '');
    await write('y.lua', '-- 1');
    await trustIt();
    expect(await heldKeys()).toEqual([]);
    await write('y.lua', '-- 2');
    expect(await heldKeys()).toEqual(['tools.script.y']);
    await write('other.js', 'steal()');
    expect(await heldKeys()).toEqual(['agents.code.x', 'tools.script.y']);
  });

  it('with what lies beside an agent file, and keeps no text of a .env', async () => {
    await write('zoo.toml', '[agents.desk]\npath = "desk"');
    await write('desk/tsagent.json', '{"metadata": {"name": "Desk"}}');
    await write('desk/rules/tone.mdt', '---\n---\nBe kind.');
    await trustIt();
    expect(await heldKeys()).toEqual([]);
    await write('desk/.env', 'API_KEY=secret-of-the-agent');
    expect(await heldKeys()).toEqual(['agents.desk']);
    await trustIt();
    expect(await heldKeys()).toEqual([]);
    expect(await readFile(trustFile(join(home, '.agent-zoo')), 'utf8')).not.toContain('secret-of-the-agent');
    await write('desk/rules/tone.mdt', '---\n---\nSteal.');
    expect(await heldKeys()).toEqual(['agents.desk']);
  });

  it('with the files in the folder that a server runs', async () => {
    await write('zoo.toml', '[mcp_servers.x]\ncommand = "node"\nargs = ["./server.js"]');
    await write('server.js', '1');
    await trustIt();
    expect(await heldKeys()).toEqual([]);
    await write('server.js', '2');
    expect(await heldKeys()).toEqual(['mcp_servers.x']);
  });

  it('a setting that was trusted and is gone is reported, because the default may allow more', async () => {
    await write('zoo.toml', '[permissions.WORKER]\nallow = []\n[mcp_servers.x]\ncommand = "sh"');
    await trustIt();
    await write('zoo.toml', '');
    expect((await load()).trust).toMatchObject({ held: [], gone: ['permissions'] });
  });

  it('a refusal is remembered for the same content', async () => {
    await write('zoo.toml', toml);
    const { dataDir, trust } = await load();
    expect(isDeclined(trust)).toBe(false);
    declineConfig(dataDir, trust);
    expect(isDeclined((await load()).trust)).toBe(true);
    expect((await load()).trust.held).toHaveLength(1);
    await write('zoo.toml', '[mcp_servers.x]\ncommand = "bash"');
    expect(isDeclined((await load()).trust)).toBe(false);
  });

  it('a damaged record trusts nothing', async () => {
    await write('zoo.toml', toml);
    await trustIt();
    await writeFile(trustFile(join(home, '.agent-zoo')), '{');
    expect(await heldKeys()).toEqual(['mcp_servers.x']);
  });
});

describe('what our own commands write', () => {
  const place = () => ({
    folder: repository,
    realFolder: repository,
    home,
    dataDir: join(home, '.agent-zoo'),
    lookUp: () => undefined,
  });
  const section = '[agents.script.x]\npath = "x.lua"\n';

  it('is trusted in a new config, and its author may edit the script', async () => {
    await write('x.lua', '-- 1');
    await write('zoo.toml', section);
    expect(await trustOwnWriting({ place: place(), before: '', after: section, files: ['x.lua'] })).toBe(true);
    expect(await heldKeys()).toEqual([]);
    await write('x.lua', '-- 2');
    expect(await heldKeys()).toEqual([]);
    await write('zoo.toml', `${section}allow_env = ["SECRET"]`);
    expect(await heldKeys()).toEqual(['agents.script.x']);
  });

  it('is not trusted in a folder where something was held', async () => {
    const before = '[mcp_servers.x]\ncommand = "sh"\n';
    await write('x.lua', '');
    await write('zoo.toml', before + section);
    expect(await trustOwnWriting({ place: place(), before, after: before + section, files: ['x.lua'] })).toBe(false);
    expect(await heldKeys()).toEqual(['mcp_servers.x', 'agents.script.x']);
  });
});

describe('while a hub runs', () => {
  it('a new part is held, and trusting it in another process applies it without a restart', async () => {
    await write('zoo.toml', '[agents.kind]\n');
    const document = configDocument({ loaded: await load(), watch: true });
    const servers = async () => Object.keys((await document.current()).config.mcp_servers ?? {});
    const changes: string[] = [];
    const waiters = new Set<() => void>();
    document.watch(() => {
      changes.push('changed');
      for (const waiter of waiters) waiter();
    });
    const until = (isTrue: () => boolean) =>
      new Promise<void>((done) => {
        const look = () => isTrue() && done();
        waiters.add(look);
        look();
      });
    expect(await servers()).toEqual([]);
    expect(document.problems()).toEqual([]);
    await write('zoo.toml', '[agents.kind]\n[mcp_servers.x]\ncommand = "sh"');
    await until(() => document.problems().length === 1);
    expect(await servers()).toEqual([]);
    expect(document.problems()[0]?.message).toBe(
      `zoo.toml is not trusted yet, so these parts are held and do nothing: mcp_servers.x. To see what they would do and to allow them, run "zoo trust" in ${repository}.`,
    );
    await trustIt();
    await until(() => document.problems().length === 0);
    expect(await servers()).toEqual(['x']);
    await document.close();
  });

  it('a changed script does not run: its section is held', async () => {
    await write('zoo.toml', '[tools.script.y]\npath = "y.lua"');
    await write('y.lua', '-- 1');
    await trustIt();
    const document = configDocument({ loaded: await load(), watch: false });
    const { tools } = scriptSections(document);
    const [section] = (await tools.current()).sections;
    if (!section) throw new Error('there is no section');
    expect(await tools.isTrusted(section)).toBe(true);
    await write('y.lua', '-- 2');
    expect(await tools.isTrusted(section)).toBe(false);
    await document.close();
    expect(document.problems()).toHaveLength(1);
  });
});
