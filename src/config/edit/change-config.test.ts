import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../load-config.ts';
import { trustConfig } from '../trust/remember-trust.ts';
import { configHash, planChange, readConfigFile, writeChange } from './change-config.ts';
import type { TomlEdit } from './edit-toml.ts';

let dir: string;
let folder: string;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'zoo-change-')));
  folder = join(dir, 'repository');
  await mkdir(folder);
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const file = () => join(folder, 'zoo.toml');
const load = () => loadConfig({ cwd: folder, env: { AGENT_ZOO_HOME: join(dir, 'home') }, home: dir });
const held = async () => (await load()).trust.held.map(({ key }) => key);
const keepDays = (value: number): TomlEdit => ({ kind: 'set', path: ['log', 'keep_days'], value });

async function change(...edits: TomlEdit[]) {
  const loaded = await load();
  return writeChange(loaded, await planChange(loaded, edits));
}

describe('the file', () => {
  it('keeps its mode, and no other file is left behind', async () => {
    await writeFile(file(), '# mine\n[log]\nkeep_days = 1 # day\n');
    await chmod(file(), 0o640);
    await change(keepDays(2));
    expect(await readFile(file(), 'utf8')).toBe('# mine\n[log]\nkeep_days = 2 # day\n');
    expect((await stat(file())).mode & 0o777).toBe(0o640);
    expect(await readdir(folder)).toEqual(['zoo.toml']);
  });

  it('is written where a link points to', async () => {
    await writeFile(join(dir, 'real.toml'), '');
    await symlink(join(dir, 'real.toml'), file());
    await change(keepDays(2));
    expect(await readFile(join(dir, 'real.toml'), 'utf8')).toBe('[log]\nkeep_days = 2\n');
  });

  it('is not written if it is not the one that the user saw, or changes meanwhile', async () => {
    await writeFile(file(), '[log]\nkeep_days = 1\n');
    const loaded = await load();
    const hash = configHash(await readConfigFile(loaded));
    const planned = await planChange(loaded, [keepDays(2)], { hash });
    await writeFile(file(), '[log]\nkeep_days = 7\n');
    await expect(writeChange(loaded, planned)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(planChange(loaded, [keepDays(2)], { hash })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await readFile(file(), 'utf8')).toBe('[log]\nkeep_days = 7\n');
    expect(await readdir(folder)).toEqual(['zoo.toml']);
  });

  it.each<[string, TomlEdit, RegExp]>([
    ['a wrong value', keepDays(-1), /^zoo\.toml:2: log\.keep_days: /],
    ['a wrong type', { kind: 'set', path: ['server', 'bind'], value: true }, /server\.bind/],
    [
      'an unknown key',
      { kind: 'set', path: ['log', 'keep_day'], value: 1 },
      /^Unknown key "keep_day" in \[log\]\. Did you mean "keep_days"\?/,
    ],
    ['an unknown section', { kind: 'set', path: ['logs', 'keep_days'], value: 1 }, /^Unknown section \[logs\]/],
    [
      'a webhook without an address',
      { kind: 'set', path: ['events', 'webhooks', 'a', 'secret'], value: 'long enough' },
      /events\.webhooks\.a\.url/,
    ],
  ])('%s is refused, and nothing is written', async (_name, edit, message) => {
    await writeFile(file(), '[log]\nkeep_days = 1\n');
    await expect(change(edit)).rejects.toThrow(message);
    expect(await readFile(file(), 'utf8')).toBe('[log]\nkeep_days = 1\n');
  });

  it('without a file, says what creates one', async () => {
    await expect(change(keepDays(2))).rejects.toThrow('There is no config file. "zoo init" creates one.');
  });
});

describe('trust', () => {
  const server = '[mcp_servers.files]\ncommand = "node"\nargs = ["server.js"]\n';

  it('stays with a folder in which everything was trusted', async () => {
    await writeFile(file(), `${server}[log]\nkeep_days = 1\n`);
    const loaded = await load();
    trustConfig(loaded.dataDir, loaded.trust);
    expect(await change(keepDays(2))).toEqual({ isTrusted: true });
    expect(await held()).toEqual([]);
  });

  it('a change of a foreign config makes nothing in it trusted', async () => {
    await writeFile(file(), `${server}[log]\nkeep_days = 1\nsecret_env = []\n`);
    expect(await change(keepDays(2))).toEqual({ isTrusted: false });
    expect(await held()).toEqual(['mcp_servers.files', 'log']);
    const { config } = await load();
    expect(config.log.keep_days).toBeUndefined();
  });

  it('what the user writes into a foreign config that needs no trust applies, and later additions do not', async () => {
    await writeFile(file(), '[agents.kind]\nname = "Kind"\n');
    expect(await change(keepDays(2))).toEqual({ isTrusted: true });
    expect(await held()).toEqual([]);
    await writeFile(file(), `${await readFile(file(), 'utf8')}secret_env = ["A"]\n${server}`);
    expect(await held()).toEqual(['log', 'mcp_servers.files']);
  });

  it('a config that somebody changes at the same time does not become trusted', async () => {
    await writeFile(file(), '[log]\nkeep_days = 1\n');
    const loaded = await load();
    trustConfig(loaded.dataDir, loaded.trust);
    const planned = await planChange(loaded, [keepDays(2)]);
    await writeFile(file(), `${server}[log]\nkeep_days = 1\n`);
    await expect(writeChange(loaded, planned)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await held()).toEqual(['mcp_servers.files']);
  });
});
