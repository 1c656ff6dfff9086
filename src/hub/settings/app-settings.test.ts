import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fillHome } from '../../../test/support/databases/test-database.ts';
import { loadConfig } from '../../config/load-config.ts';
import { createHub, type Hub } from '../../hub.ts';

let dir: string;
let folder: string;
let hubs: Hub[] = [];
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'zoo-settings-')));
  folder = join(dir, 'repository');
  await mkdir(folder);
  await fillHome(join(dir, 'home'));
});
afterEach(async () => {
  await Promise.all(hubs.map((hub) => hub.close()));
  hubs = [];
  await rm(dir, { recursive: true, force: true });
});

async function open({ watch = false } = {}): Promise<Hub> {
  const config = await loadConfig({ cwd: folder, env: { AGENT_ZOO_HOME: join(dir, 'home') }, home: dir });
  const hub = await createHub({ config, watch });
  hubs.push(hub);
  return hub;
}

const file = () => join(folder, 'zoo.toml');
const keepDays = (value: number | null) => ({ kind: 'values' as const, values: [{ key: 'log.keep_days', value }] });
const setting = async (hub: Hub, key: string) => (await hub.settings.read()).settings.find((each) => each.key === key);

describe('a hub in a cloned repository', () => {
  const foreign = '[mcp_servers.files]\ncommand = "node"\n\n[log]\nkeep_days = 1\nsecret_env = []\n';

  it('a change of its config through the app trusts nothing in it, and waits for trust itself', async () => {
    await writeFile(file(), foreign);
    const hub = await open();
    expect(await setting(hub, 'log.keep_days')).toMatchObject({
      value: null,
      origin: { kind: 'default' },
      heldLine: 5,
    });
    expect(await hub.settings.apply(keepDays(30))).toEqual({ where: 'file', isHeld: true, needsRestart: false });
    expect(await readFile(file(), 'utf8')).toBe(foreign.replace('keep_days = 1', 'keep_days = 30'));
    const { file: config } = await hub.settings.read();
    expect(config?.held).toEqual(['mcp_servers.files', 'log']);
    expect((await setting(hub, 'log.keep_days'))?.value).toBeNull();

    const held = await hub.settings.heldConfig();
    const shown = await hub.settings.inspectFolder(folder);
    expect(held).toEqual({ folder, file: file(), seen: shown.seen, isChange: false, parts: 2 });
    expect(shown).toMatchObject({ isHub: true, parts: [{ state: 'new' }, { state: 'new' }] });
    await hub.settings.trustFolder(folder, shown.seen);
    expect(await hub.settings.heldConfig()).toBeUndefined();
    expect(await setting(hub, 'log.keep_days')).toMatchObject({ value: 30, origin: { kind: 'file', line: 5 } });
    await hub.settings.untrustFolder(folder);
    expect((await setting(hub, 'log.keep_days'))?.value).toBeNull();
  });

  it('a setting of the hub applies while the one in the file is held', async () => {
    await writeFile(file(), '[chats]\nkeep_days = 1\n[agents.kind]\nname = "Kind"\n');
    const hub = await open();
    await hub.settings.apply(keepDays(9));
    expect(await setting(hub, 'log.keep_days')).toMatchObject({ value: 9, origin: { kind: 'hub' } });
    expect(await setting(hub, 'chats.keep_days')).toMatchObject({ value: null, heldLine: 2 });
  });
});

it('another process applies a setting without a restart', async () => {
  const [hub, other] = [await open({ watch: true }), await open({ watch: true })];
  await hub.settings.apply({ kind: 'values', values: [{ key: 'permissions.WORKER.allow', value: ['search'] }] });
  await vi.waitFor(async () => expect((await other.team.members.rules('WORKER')).allow).toEqual(['search']));
});

it('a stored setting outlives a restart, and the file wins over it', async () => {
  const hub = await open();
  await hub.settings.apply({ kind: 'values', values: [{ key: 'server.anonymous', value: 'none' }] });
  expect(hub.callers.anonymous.right).toBe('use');
  expect(await setting(hub, 'server.anonymous')).toMatchObject({ value: 'none', isPending: true, needsRestart: true });
  const next = await open();
  expect(next.callers.anonymous.right).toBe('none');
  expect(await setting(next, 'server.anonymous')).toMatchObject({ isPending: false, origin: { kind: 'hub' } });
  await writeFile(join(dir, 'home', 'zoo.toml'), '[server]\nanonymous = "work"\n');
  expect((await open()).callers.anonymous.right).toBe('work');
});

it('old decisions are deleted soon after the time to keep them was shortened', async () => {
  const hub = await open();
  const pruned = vi.spyOn(hub.store.decisions, 'prune');
  await hub.settings.apply({ kind: 'values', values: [{ key: 'team.reconcile_every_secs', value: 1 }] });
  hub.startTeam();
  await hub.settings.apply(keepDays(5));
  await vi.waitFor(() => expect(pruned).toHaveBeenCalled(), { timeout: 10_000 });
  expect(Date.now() - Number(pruned.mock.calls[0]?.[0])).toBeGreaterThan(4.9 * 86_400_000);
});

it('a file that has become invalid is reported, and is not edited', async () => {
  await writeFile(join(dir, 'home', 'zoo.toml'), '[log]\nkeep_days = 1\n');
  const hub = await open();
  await writeFile(join(dir, 'home', 'zoo.toml'), '[log\n');
  expect((await hub.settings.read()).file?.problem).toContain('invalid TOML');
  await expect(hub.settings.apply(keepDays(2))).rejects.toMatchObject({ code: 'CONFLICT' });
});
