import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { fillHome } from '../../../test/support/databases/test-database.ts';
import { decision } from '../../../test/support/databases/test-decision.ts';
import { dayMs, systemClock } from '../../base/clock.ts';
import { loadConfig } from '../../config/load-config.ts';
import { noUsage } from '../../engine/usage.ts';
import { createHub, type Hub } from '../../hub.ts';
import { SettingsChange } from '../../settings/app-settings.ts';

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

async function open({ watch = false, env = {}, clock = systemClock } = {}): Promise<Hub> {
  const config = await loadConfig({ cwd: folder, env: { ...env, AGENT_ZOO_HOME: join(dir, 'home') }, home: dir });
  const hub = await createHub({ config, watch, clock });
  hubs.push(hub);
  return hub;
}

const file = () => join(folder, 'zoo.toml');
const keepDays = (value: number | null) => ({ kind: 'values' as const, values: [{ key: 'log.keep_days', value }] });
const setting = async (hub: Hub, key: string) => (await hub.settings.read()).settings.find((each) => each.key === key);

describe('a hub in a cloned repository', () => {
  const foreign = '[mcp_servers.files]\ncommand = "node"\n\n[log]\nkeep_days = 1\nsecret_env = []\n';

  it('a change through the app trusts nothing in its config, and applies although a value there is held', async () => {
    await writeFile(file(), foreign);
    const hub = await open();
    expect(await setting(hub, 'log.keep_days')).toMatchObject({
      value: null,
      origin: { kind: 'default' },
      heldLine: 5,
    });
    expect(await hub.settings.apply(keepDays(30))).toEqual({ where: 'hub', isHeld: false, needsRestart: false });
    expect(await readFile(file(), 'utf8')).toBe(foreign);
    const { file: config } = await hub.settings.read();
    expect(config?.held).toEqual(['mcp_servers.files', 'log']);
    expect(await setting(hub, 'log.keep_days')).toMatchObject({ value: 30, origin: { kind: 'hub' }, heldLine: 5 });

    const held = await hub.settings.heldConfig();
    const shown = await hub.settings.inspectFolder(folder);
    expect(held).toEqual({ folder, file: file(), seen: shown.seen, isChange: false, parts: 2 });
    expect(shown).toMatchObject({ isHub: true, parts: [{ state: 'new' }, { state: 'new' }] });
    await hub.store.dismissals.add([`trust:${shown.seen}`]);
    expect(await hub.settings.folders()).toMatchObject([{ folder, isDeclined: true, trustedAt: null }]);
    await hub.settings.trustFolder(folder, shown.seen);
    expect(await hub.settings.folders()).toMatchObject([{ folder, isDeclined: false, trustedAt: expect.any(String) }]);
    expect(await hub.settings.heldConfig()).toBeUndefined();
    expect(await setting(hub, 'log.keep_days')).toMatchObject({ value: 1, origin: { kind: 'file', line: 5 } });
    await hub.settings.untrustFolder(folder);
    expect((await setting(hub, 'log.keep_days'))?.value).toBe(30);
  });

  it('a folder that was trusted still is when its config is gone', async () => {
    await writeFile(file(), foreign);
    const hub = await open();
    await hub.settings.trustFolder(folder, (await hub.settings.inspectFolder(folder)).seen);
    await rm(file());
    expect(await hub.settings.folders()).toMatchObject([{ folder, file: null, trustedAt: expect.any(String) }]);
  });

  it('a change of its config through the app trusts nothing in it, and waits for trust itself', async () => {
    await writeFile(file(), foreign);
    const hub = await open();
    // Only the file can say where the hub listens.
    const bind = { kind: 'values' as const, values: [{ key: 'server.bind', value: '127.0.0.1:7332' }] };
    expect(await hub.settings.apply(bind)).toEqual({ where: 'file', isHeld: true, needsRestart: true });
    expect(await readFile(file(), 'utf8')).toContain('bind = "127.0.0.1:7332"');
    expect((await hub.settings.read()).file?.held).toEqual(['mcp_servers.files', 'log', 'server']);
    expect(await setting(hub, 'server.bind')).toMatchObject({ value: '127.0.0.1:7331', origin: { kind: 'default' } });
  });

  it('an entry that is held collects no secret: the one of the hub has it, encrypted', async () => {
    const held =
      '[events.webhooks.audit]\nurl = "https://evil.test/"\nsecret = "known to the author"\n[a2a.peers.friend]\nurl = "https://evil.test/"\n[server]\nanonymous = "work"\n';
    await writeFile(file(), held);
    const hub = await open();
    const url = 'https://good.test/';
    const webhook = { url, events: null, secret: 'a secret of the owner' };
    expect(await hub.settings.apply({ kind: 'webhook', name: 'audit', webhook })).toMatchObject({ where: 'hub' });
    const peer = { url, token: 'a token of the owner' };
    expect(await hub.settings.apply({ kind: 'peer', name: 'friend', peer })).toMatchObject({ where: 'hub' });
    const anonymous = { kind: 'values' as const, values: [{ key: 'server.anonymous', value: 'none' }] };
    expect(await hub.settings.apply(anonymous)).toMatchObject({ where: 'hub', isHeld: false });
    expect(await readFile(file(), 'utf8')).toBe(held);
    const { webhooks, peers } = await hub.settings.read();
    expect([webhooks, peers]).toMatchObject([[{ name: 'audit', url, lacksSecret: false }], [{ name: 'friend', url }]]);
    expect((await open()).callers.anonymous.right).toBe('none');
  });

  it('a secret is not written into its config, even after it was trusted', async () => {
    const entries = `[events.webhooks.audit]\nurl = "https://good.test/"\nsecret = "\${AUDIT_SECRET}"\n[a2a.peers.friend]\nurl = "https://good.test/"\n`;
    await writeFile(file(), entries);
    const hub = await open({ env: { AUDIT_SECRET: 'in the environment' } });
    await hub.settings.trustFolder(folder, (await hub.settings.inspectFolder(folder)).seen);
    const url = 'https://good.test/';
    const refused = { code: 'INVALID_ARGUMENTS', message: expect.stringContaining('in a working folder') };
    const secret = { url, events: null, secret: 'a secret of the owner' };
    await expect(hub.settings.apply({ kind: 'webhook', name: 'audit', webhook: secret })).rejects.toMatchObject(
      refused,
    );
    const peer = (change: { url: string; token?: string }) => ({ kind: 'peer' as const, name: 'friend', peer: change });
    await expect(hub.settings.apply(peer({ url, token: 'a token' }))).rejects.toMatchObject(refused);
    await expect(hub.settings.apply(peer({ url: 'https://me:secret@good.test/' }))).rejects.toMatchObject(refused);
    expect(await readFile(file(), 'utf8')).toBe(entries);
    const named = { url, events: ['mail.sent'], secret: `\${NEW_SECRET}` };
    expect(await hub.settings.apply({ kind: 'webhook', name: 'audit', webhook: named })).toMatchObject({
      where: 'file',
    });
    expect(await readFile(file(), 'utf8')).toContain(`secret = "\${NEW_SECRET}"`);
  });

  it('a section that changes after it was trusted keeps its trusted values until somebody looks at it', async () => {
    const kept = '[log]\nkeep_days = 30\nsecret_env = ["DESK"]\n';
    await writeFile(file(), kept);
    const hub = await open();
    await hub.settings.trustFolder(folder, (await hub.settings.inspectFolder(folder)).seen);
    await writeFile(file(), kept.replace('30', '1'));
    const { file: config, settings } = await hub.settings.read();
    expect(config?.held).toEqual(['log']);
    expect(settings.find(({ key }) => key === 'log.keep_days')).toMatchObject({ value: 30 });
    await hub.settings.apply(keepDays(20));
    expect((await setting(hub, 'log.keep_days'))?.value).toBe(20);
    await hub.settings.trustFolder(folder, (await hub.settings.inspectFolder(folder)).seen);
    expect((await setting(hub, 'log.keep_days'))?.value).toBe(1);
  });

  it('a setting of the hub applies while the one in the file is held', async () => {
    await writeFile(file(), '[chats]\nkeep_days = 1\n[agents.kind]\nname = "Kind"\n');
    const hub = await open();
    await hub.settings.apply(keepDays(9));
    expect(await setting(hub, 'log.keep_days')).toMatchObject({ value: 9, origin: { kind: 'hub' } });
    expect(await setting(hub, 'chats.keep_days')).toMatchObject({ value: null, heldLine: 2 });
  });
});

describe('an address with a secret in it', () => {
  const url = 'https://me:my-password@good.test/in?token=my-token&x=1';
  const shown = 'https://me:••••••••@good.test/in?token=••••••••&x=1';
  const webhook = (change: object) => ({
    kind: 'webhook' as const,
    name: 'desk',
    webhook: { url, events: null, ...change },
  });

  it.each([
    ['the database', ''],
    ['the file', `[events.webhooks.desk]\nurl = "\${DESK}"\nsecret = "a secret of the file"\n`],
  ])('keeps it when the webhook in %s is edited', async (_where, toml) => {
    await writeFile(join(dir, 'home', 'zoo.toml'), toml);
    const hub = await open({ env: { DESK: url } });
    if (toml === '') await hub.settings.apply(webhook({ secret: 'a secret of the hub' }));
    const read = async () => (await hub.settings.read()).webhooks[0];
    expect((await read())?.url).toBe(shown);
    await hub.settings.apply(webhook({ url: shown, events: ['mail.sent'] }));
    expect(await read()).toMatchObject({ url: shown, events: ['mail.sent'], lacksSecret: false });
    if (toml === '')
      expect(await hub.store.settings.read('events.webhooks.desk', z.unknown())).toMatchObject({ value: { url } });
    else expect(await readFile(join(dir, 'home', 'zoo.toml'), 'utf8')).toBe(`${toml}events = ["mail.sent"]\n`);
    await expect(hub.settings.apply(webhook({ url: `${shown}&y=2` }))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining('enter the whole new one'),
    });
  });

  it('is shown as changed in the preview of the file', async () => {
    await writeFile(join(dir, 'home', 'zoo.toml'), `[a2a.peers.desk]\nurl = "${url}"\n`);
    const hub = await open();
    const peer = { url: url.replace('my-token', 'another') };
    const { lines } = await hub.settings.preview({ kind: 'peer', name: 'desk', peer });
    expect(lines.map(({ text }) => text)).toEqual([`url = "${shown}"`, `url = "${shown}" (new)`]);
  });
});

describe('a change that was made for an older version', () => {
  it('is refused, and all of it', async () => {
    const hub = await open();
    await hub.settings.apply(keepDays(5));
    const seen = (await setting(hub, 'log.keep_days'))?.version;
    expect((await setting(hub, 'chats.keep_days'))?.version).toBeNull();
    await hub.settings.apply(keepDays(6));
    const values = [
      { key: 'chats.keep_days', value: 7, seen: null },
      { key: 'log.keep_days', value: 8, seen },
    ];
    await expect(hub.settings.apply({ kind: 'values', values })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await setting(hub, 'log.keep_days')).toMatchObject({ value: 6 });
    expect(await setting(hub, 'chats.keep_days')).toMatchObject({ value: null });
  });

  it('does not replace the secret of a webhook', async () => {
    const hub = await open();
    const change = (secret: string, seen: number | null) =>
      hub.settings.apply({
        kind: 'webhook',
        name: 'desk',
        webhook: { url: 'https://good.test/', events: null, secret },
        seen,
      });
    await change('the first secret', null);
    await expect(change('the second secret', null)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await hub.store.vault.get('webhook:desk')).toContain('the first secret');
    await change('the third secret', (await hub.settings.read()).webhooks[0]?.version ?? null);
    expect(await hub.store.vault.get('webhook:desk')).toContain('the third secret');
  });
});

it.each([
  ['no events', []],
  ['only the anchors', ['log.anchored']],
  ['an event of another version', ['mail.lost']],
])('a webhook for %s keeps its events when its address changes', async (_what, events) => {
  const hook = `[events.webhooks.vault]\nurl = "https://good.test/"\nsecret = "a long secret"\nevents = ${JSON.stringify(events)}\n`;
  await writeFile(join(dir, 'home', 'zoo.toml'), `[log]\nanchor_webhook = "vault"\n${hook}`);
  const hub = await open();
  const change = { kind: 'webhook', name: 'vault', webhook: { url: 'https://good.test/new', events } };
  await hub.settings.apply(SettingsChange.parse(change));
  const [shown] = (await (await open()).settings.read()).webhooks;
  expect(shown).toMatchObject({ url: 'https://good.test/new', events, receivesAnchors: true });
  const odd = { ...change, webhook: { ...change.webhook, events: ['mail.odd'] } };
  await expect((async () => hub.settings.apply(SettingsChange.parse(odd)))()).rejects.toThrow(
    'There is no event "mail.odd"',
  );
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
  const now = Date.UTC(2026, 5, 1);
  const hub = await open({ clock: { ...systemClock, now: () => now } });
  const pruned = vi.spyOn(hub.store.decisions, 'prune');
  await hub.settings.apply({ kind: 'values', values: [{ key: 'team.reconcile_every_secs', value: 1 }] });
  hub.startTeam();
  await hub.settings.apply(keepDays(5));
  await vi.waitFor(() => expect(pruned).toHaveBeenCalled(), { timeout: 10_000 });
  expect(pruned.mock.calls).toEqual([[now - 5 * dayMs]]);
});

describe('the preview of a shorter time to keep history', () => {
  it('says how much would be deleted', async () => {
    let now = Date.UTC(2026, 5, 1);
    const hub = await open({ clock: { ...systemClock, now: () => now } });
    const chat = (id: string) => ({
      id,
      title: id,
      agentId: 'kind',
      model: null,
      arguments: {},
      origin: { kind: 'chat' as const },
    });
    for (const id of ['one', 'two']) {
      await hub.store.chats.create(chat(id));
      await hub.decisions.append(decision(id, { at: now, kind: 'result' }));
      now += 10 * dayMs;
    }
    const deletes = async (...values: { key: string; value: number | null }[]) =>
      (await hub.settings.preview({ kind: 'values', values })).deletes;
    expect(await deletes({ key: 'chats.keep_days', value: 15 })).toEqual([{ what: 'chats', count: 1 }]);
    expect(await deletes({ key: 'chats.keep_days', value: 5 })).toEqual([{ what: 'chats', count: 2 }]);
    expect(await deletes({ key: 'chats.keep_days', value: 30 })).toEqual([]);
    expect(await deletes({ key: 'log.keep_days', value: 15 })).toEqual([{ what: 'log', count: 1 }]);
    now -= 20 * dayMs;
    const run = { agentId: 'kind', model: 'm', title: '', messages: [] };
    await hub.store.runs.begin({ ...run, id: 'chief' });
    now += 10 * dayMs;
    await hub.store.runs.begin({ ...run, id: 'clerk', calledBy: { runId: 'chief', callId: 'a', tick: 1 } });
    const progress = { ticks: 0, usage: noUsage, cost: null, messages: [], calls: [] };
    for (const id of ['chief', 'clerk'])
      await hub.store.runs.finish(id, { ...progress, status: 'completed', reason: '', error: null });
    now += 10 * dayMs;
    expect(await deletes({ key: 'runs.keep_days', value: 15 })).toEqual([{ what: 'runs', count: 2 }]);
    expect(await deletes({ key: 'runs.keep_days', value: 25 })).toEqual([]);
    await hub.settings.apply(keepDays(15));
    expect(await deletes({ key: 'log.keep_days', value: 20 })).toEqual([]);
    expect(await deletes({ key: 'log.keep_days', value: null })).toEqual([]);
  });
});

describe('an address at which the hub could not start', () => {
  const values = (each: Record<string, string | string[] | null>) => ({
    kind: 'values' as const,
    values: Object.entries(each).map(([key, value]) => ({ key: `server.${key}`, value })),
  });

  it.each<[string, Record<string, string | string[] | null>, RegExp]>([
    [
      'beyond loopback without TLS',
      { bind: '0.0.0.0:7331' },
      /could not start with this.*Set cert and key in \[server\]/,
    ],
    ['without its proxies', { public_url: 'https://zoo.example' }, /needs "trusted_proxies"/],
    ['with proxies alone', { trusted_proxies: ['10.0.0.2'] }, /needs "public_url"/],
    [
      'with a certificate that is not there',
      { cert: 'cert.pem', key: 'key.pem' },
      /cert\.pem cannot be read \(ENOENT\)/,
    ],
    [
      'of another machine',
      { bind: '192.0.2.1:7331', public_url: 'https://zoo.example', trusted_proxies: ['10.0.0.2'] },
      /has no address 192\.0\.2\.1/,
    ],
  ])('%s is refused', async (_what, change, message) => {
    const text = '[log]\nkeep_days = 1\n';
    await writeFile(join(dir, 'home', 'zoo.toml'), text);
    const hub = await open();
    await expect(hub.settings.apply(values(change))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringMatching(message),
    });
    expect(await readFile(join(dir, 'home', 'zoo.toml'), 'utf8')).toBe(text);
  });

  it('is accepted with everything that it needs, and one change takes all of it back', async () => {
    await writeFile(join(dir, 'home', 'zoo.toml'), '[server]\nanonymous = "none"\n');
    const hub = await open();
    const change = { bind: '0.0.0.0:7331', public_url: 'https://zoo.example', trusted_proxies: ['10.0.0.2'] };
    const applied = { where: 'file', isHeld: false, needsRestart: true };
    expect(await hub.settings.apply(values(change))).toEqual(applied);
    expect(await setting(hub, 'server.trusted_proxies')).toMatchObject({ value: ['10.0.0.2'], isPending: true });
    await expect(hub.settings.apply(values({ trusted_proxies: null }))).rejects.toThrow(/needs "trusted_proxies"/);
    await hub.settings.apply(values({ bind: null, public_url: null, trusted_proxies: null }));
    expect(await readFile(join(dir, 'home', 'zoo.toml'), 'utf8')).toBe('[server]\nanonymous = "none"\n');
  });

  it('is written into a new file in the home of a hub without a config, and applies after a restart', async () => {
    const path = join(dir, 'home', 'zoo.toml');
    const hub = await open();
    expect(await setting(hub, 'server.bind')).toMatchObject({ readOnly: null, origin: { kind: 'default' } });
    const preview = await hub.settings.preview(values({ bind: '127.0.0.1:7332' }));
    expect(preview).toMatchObject({ where: 'file', creates: path, needsRestart: true });
    expect(preview.lines.map(({ text }) => text)).toEqual(['[server]', 'bind = "127.0.0.1:7332"']);
    const applied = { where: 'file', isHeld: false, needsRestart: true };
    expect(await hub.settings.apply(values({ bind: '127.0.0.1:7332' }), { hash: preview.hash ?? '' })).toEqual(applied);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const waiting = { value: '127.0.0.1:7332', isPending: true, heldLine: null, origin: { kind: 'file', line: 2 } };
    expect(await setting(hub, 'server.bind')).toMatchObject(waiting);
    expect((await hub.settings.read()).file).toMatchObject({ path, held: [], folder: null, problem: null });

    // A hub that has not read the file still writes it whole, or not at all.
    await expect(hub.settings.apply(values({ bind: null }), { hash: preview.hash ?? '' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await hub.settings.apply(values({ bind: '127.0.0.1:7333' }));
    expect(await readFile(path, 'utf8')).toContain('bind = "127.0.0.1:7333"');
    expect(await hub.settings.apply(keepDays(9))).toMatchObject({ where: 'hub' });
    const restarted = { value: '127.0.0.1:7333', isPending: false };
    expect(await setting(await open(), 'server.bind')).toMatchObject(restarted);
  });

  it('is set beside the scripts of a folder without a config, which hide the file in the home', async () => {
    await mkdir(join(folder, '.ctx', 'agents', 'owl'), { recursive: true });
    await writeFile(join(folder, '.ctx', 'agents', 'owl', 'agent.lua'), 'agent = {}');
    const hub = await open();
    expect((await setting(hub, 'server.bind'))?.readOnly).toContain(join(folder, '.ctx', 'config.toml'));
    await expect(hub.settings.apply(values({ bind: '127.0.0.1:7332' }))).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});

it('a file that has become invalid is reported, and is not edited', async () => {
  await writeFile(join(dir, 'home', 'zoo.toml'), '[log]\nkeep_days = 1\n');
  const hub = await open();
  await writeFile(join(dir, 'home', 'zoo.toml'), '[log\n');
  expect((await hub.settings.read()).file?.problem).toContain('invalid TOML');
  await expect(hub.settings.apply(keepDays(2))).rejects.toMatchObject({ code: 'CONFLICT' });
});
