import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fillHome } from '../../test/support/databases/test-database.ts';
import { loadConfig } from '../config/load-config.ts';
import { trustConfig } from '../config/trust/remember-trust.ts';
import { createHub, type Hub } from '../hub.ts';

let dir: string;
let folder: string;
let hub: Hub | undefined;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'zoo-held-')));
  folder = join(dir, 'repository');
  await mkdir(folder);
  await fillHome(join(dir, 'home'));
});
afterEach(async () => {
  await hub?.close();
  hub = undefined;
  await rm(dir, { recursive: true, force: true });
});

const write = (name: string, text: string) => writeFile(join(folder, name), text);
const load = () => loadConfig({ cwd: folder, env: { AGENT_ZOO_HOME: join(dir, 'home') }, home: join(dir, 'user') });
const tool = (answer: string) =>
  `tool = { description = "x" }\nfunction tool.execute() return { answer = "${answer}" } end`;

/** Trusts the folder as another process would. */
async function trustFolder(): Promise<void> {
  const { dataDir, trust } = await load();
  trustConfig(dataDir, trust);
}

async function open(options: { watch: boolean }): Promise<Hub> {
  hub = await createHub({ config: await load(), ...options });
  return hub;
}

it('everything held in a folder is one problem, and trusting it applies without a restart what can be applied', async () => {
  await write('zoo.toml', '[tools.script.one]\npath = "one.lua"\n[chunking]\nmax_tokens = 300\n[agents.kind]\n');
  await write('one.lua', tool('first'));
  const { problems, tools, agents } = await open({ watch: true });
  const messages = () => problems().map(({ message }) => message);
  expect(messages()).toEqual([expect.stringContaining('do nothing: tools.script.one, chunking.')]);
  expect(tools.find('one')).toBeUndefined();
  expect(agents.find('kind')).toBeDefined();

  await trustFolder();
  await vi.waitFor(() => expect(tools.find('one')).toBeDefined(), { timeout: 10_000 });
  expect(messages()).toEqual(['zoo.toml: [chunking] changed. Restart the hub to apply the change.']);

  // A change of the script is held while the hub runs.
  await write('one.lua', tool('second'));
  await vi.waitFor(() => expect(tools.find('one')).toBeUndefined(), { timeout: 10_000 });
  expect(messages()[0]).toContain('has changed since you trusted it');
  await trustFolder();
  await vi.waitFor(() => expect(tools.find('one')).toBeDefined(), { timeout: 10_000 });
});

it('scripts in .ctx are held until they are trusted, also those that appear while the hub runs', async () => {
  await mkdir(join(folder, '.ctx/tools/one'), { recursive: true });
  await write('.ctx/tools/one/tool.lua', tool('first'));
  const { problems, tools } = await open({ watch: true });
  const messages = () => problems().map(({ message }) => message);
  expect(messages()).toEqual([expect.stringMatching(/^\.ctx is not trusted yet.*do nothing: tools\.script\.one\./)]);
  await trustFolder();
  await vi.waitFor(() => expect(tools.find('one')).toBeDefined(), { timeout: 10_000 });

  await mkdir(join(folder, '.ctx/tools/two'), { recursive: true });
  await write('.ctx/tools/two/tool.lua', tool('second'));
  await vi.waitFor(() => expect(messages()[0]).toContain('tools.script.two'), { timeout: 10_000 });
  expect(tools.find('two')).toBeUndefined();
  await trustFolder();
  await vi.waitFor(() => expect(tools.find('two')).toBeDefined(), { timeout: 10_000 });
  expect(messages()).toEqual([]);
});

it('a new server in the file is not started', async () => {
  await write('zoo.toml', '[agents.kind]\n');
  const { problems, servers } = await open({ watch: true });
  await write(
    'zoo.toml',
    `[agents.kind]\n[mcp_servers.evil]\ncommand = "touch"\nargs = ["${join(dir, 'marker')}"]\nstart = "boot"\n`,
  );
  await vi.waitFor(() => expect(problems()).toHaveLength(1), { timeout: 10_000 });
  expect((await servers.open()).list()).toEqual([]);
});

it('a server does not start a program that has changed since it was trusted', async () => {
  await write('zoo.toml', `[mcp_servers.own]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ["server.js"]\n`);
  await write('server.js', 'process.exit(1)');
  await trustFolder();
  const { servers } = await open({ watch: false });
  await write('server.js', `require('node:fs').writeFileSync(${JSON.stringify(join(dir, 'marker'))}, '')`);
  const opened = await servers.open();
  await expect(opened.connect('own')).rejects.toThrow('runs a file that has changed since you trusted this folder');
});

it('a source inside the folder that becomes a link out of it is not read', async () => {
  await mkdir(join(folder, 'docs'));
  await mkdir(join(dir, 'private'));
  await writeFile(join(dir, 'private', 'notes.md'), '# Pineapple');
  await writeFile(join(folder, 'docs', 'readme.md'), '# Welcome');
  await write('zoo.toml', '[connectors.filesystem.docs]\nroot = "docs"\n');
  const { knowledge } = await open({ watch: false });
  const sync = async () => (await knowledge.sync({ target: 'all', signal: AbortSignal.timeout(20_000) }))[0];
  expect(await sync()).toMatchObject({ added: 1 });
  await rm(join(folder, 'docs'), { recursive: true });
  await symlink(join(dir, 'private'), join(folder, 'docs'));
  expect((await sync())?.error).toContain(`leads out of ${folder}`);
  expect(await knowledge.search({ query: 'pineapple', limit: 3 }, { signal: AbortSignal.timeout(5_000) })).toEqual([]);
});
