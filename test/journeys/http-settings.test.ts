import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { FolderBody, SettingsBody, SettingsPreview, TestResult } from '../../src/settings/app-settings.ts';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../support/databases/test-database.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';
import { startWebhookReceiver } from '../support/servers/webhook-receiver.ts';

const toml = `# The hub of the tests.
[log]
# A year, for the auditors.
keep_days = 365   # days

[permissions.WORKER]
allow = [
  "mcp__mail__*", # they answer
]

[events.webhooks.audit]
url = "http://127.0.0.1:9/old"
secret = "\${AUDIT_SECRET}"
`;

describe.each(databaseKinds)('settings over HTTP, on %s', (kind) => {
  let database: TestDatabase;
  let zoo: TestHub;
  beforeAll(async () => {
    database = await newTestDatabase(kind);
    zoo = await serveTestHub({ db: database.db, toml, env: { AUDIT_SECRET: 'the secret of audit' }, watch: true });
    zoo.hub.startTeam();
  });
  afterAll(async () => {
    await zoo.end();
    await database.remove();
  });

  const file = () => readFile(join(zoo.folder, 'zoo.toml'), 'utf8');
  const read = async () => (await zoo.call<SettingsBody>('GET', '/api/settings')).body;
  const setting = async (key: string) => (await read()).settings.find((each) => each.key === key);
  const apply = (change: unknown, hash?: string) => zoo.call('POST', '/api/settings', { body: { change, hash } });
  const preview = (change: unknown) => zoo.call<SettingsPreview>('POST', '/api/settings/preview', { body: { change } });
  const values = (key: string, value: unknown) => ({ kind: 'values', values: [{ key, value }] });

  it('every value says where it comes from, and secrets are not returned', async () => {
    expect(await setting('log.keep_days')).toMatchObject({
      value: 365,
      default: null,
      origin: { kind: 'file', line: 4 },
      needsRestart: false,
      heldLine: null,
    });
    expect(await setting('chats.keep_days')).toMatchObject({ value: null, origin: { kind: 'default' } });
    expect(await setting('server.bind')).toMatchObject({
      value: '127.0.0.1:7331',
      needsRestart: true,
      isPending: false,
    });
    expect(await setting('permissions.WORKER.deny')).toMatchObject({
      value: expect.arrayContaining(['mcp__supervisor__*']),
      origin: { kind: 'default' },
    });
    const { text } = await zoo.call('GET', '/api/settings');
    expect(text).not.toContain('the secret of audit');
    expect(text).toContain('"name":"audit"');
  });

  it('a value in the file is changed there: the preview shows the lines, and nothing else changes', async () => {
    const { body } = await preview(values('log.keep_days', 30));
    expect(body).toMatchObject({
      where: 'file',
      needsRestart: false,
      lines: [
        { kind: 'removed', line: 4, text: 'keep_days = 365   # days' },
        { kind: 'added', line: 4, text: 'keep_days = 30   # days' },
      ],
    });
    expect(await file()).toBe(toml);
    const answer = await apply(values('log.keep_days', 30), body.hash ?? '');
    expect([answer.status, answer.body]).toEqual([200, { where: 'file', isHeld: false, needsRestart: false }]);
    expect(await file()).toBe(toml.replace('365', '30'));
    expect((await setting('log.keep_days'))?.value).toBe(30);
    const late = await apply(values('log.keep_days', 31), body.hash ?? '');
    expect([late.status, late.body.error.message]).toEqual([
      409,
      expect.stringContaining('has changed since you opened it'),
    ]);
    expect((await apply(values('log.keep_days', null))).status).toBe(200);
    expect(await file()).toBe(toml.replace('keep_days = 365   # days\n', ''));
    expect((await setting('log.keep_days'))?.origin).toEqual({ kind: 'default' });
  });

  it('a value that is not in the file is stored in the hub, applies at once, and is logged', async () => {
    const before = await file();
    expect((await preview(values('permissions.WORKER.deny', []))).body).toMatchObject({ where: 'hub', lines: [] });
    expect((await apply(values('permissions.WORKER.deny', ['search']))).body).toMatchObject({ where: 'hub' });
    expect(await file()).toBe(before);
    expect(await setting('permissions.WORKER.deny')).toMatchObject({ value: ['search'], origin: { kind: 'hub' } });
    const { body } = await zoo.call<{ types: { type: string; deny: string[] }[] }>('GET', '/api/team/permissions');
    expect(body.types.find(({ type }) => type === 'WORKER')?.deny).toEqual(['search']);
    const { body: log } = await zoo.call<{ decisions: { decision: string; context: string }[] }>(
      'GET',
      '/api/decisions?limit=5',
    );
    expect(JSON.stringify(log)).toContain('Change the settings (permissions.WORKER.deny)');
    expect((await apply(values('permissions.WORKER.deny', null))).status).toBe(200);
    expect((await setting('permissions.WORKER.deny'))?.origin).toEqual({ kind: 'default' });
  });

  it('a list in the file keeps the comments of its items', async () => {
    await apply(values('permissions.WORKER.allow', ['mcp__mail__*', 'search']));
    expect(await file()).toContain('  "mcp__mail__*", # they answer\n  "search",\n]');
  });

  it.each([
    ['a wrong value', values('log.keep_days', -1), 400, /keep_days/],
    ['a wrong value for the file', values('permissions.WORKER.allow', 'x'), 400, /permissions\.WORKER\.allow/],
    ['an unknown key', values('db.path', 'x'), 400, /key/],
    ['a webhook that does not exist', { kind: 'webhook', name: 'nobody', webhook: null }, 404, /no webhook "nobody"/],
    [
      'a new webhook without a secret',
      { kind: 'webhook', name: 'plain', webhook: { url: 'http://127.0.0.1:9', events: null } },
      400,
      /Enter the secret/,
    ],
    [
      'an address that is not one',
      { kind: 'webhook', name: 'odd', webhook: { url: 'file:///etc', events: null, secret: 'long enough' } },
      400,
      /url/i,
    ],
  ])('%s is refused, and nothing changes', async (_name, change, status, message) => {
    const before = [await file(), await read()];
    const answer = await apply(change);
    expect([answer.status, answer.body.error.message]).toEqual([status, expect.stringMatching(message)]);
    expect([await file(), await read()]).toEqual(before);
  });

  it('a webhook for an event that does not exist is refused, with the events that do', async () => {
    const webhook = { url: 'https://example.com/in', events: ['mail.read'], secret: 'a secret for the hook' };
    const { status, body } = await apply({ kind: 'webhook', name: 'desk', webhook });
    expect(status).toBe(400);
    expect(body.error.message).toContain('There is no event "mail.read". Available: mail.sent; or null for all.');
  });

  it('a webhook that is added in the app receives events at once, and none after it was removed', async () => {
    const secret = 'a secret for the hook';
    const hook = await startWebhookReceiver(secret);
    const change = { kind: 'webhook', name: 'desk', webhook: { url: `${hook.url}/in`, events: ['mail.sent'], secret } };
    const { status, body, text } = await apply(change);
    expect([status, body]).toEqual([200, { where: 'hub', isHeld: false, needsRestart: false }]);
    expect(text).not.toContain(secret);
    const { body: tested } = await zoo.call<TestResult>('POST', '/api/settings/webhooks/desk/test');
    expect(tested).toMatchObject({ isOk: true, message: 'Delivered' });
    expect(hook.received).toMatchObject([{ isSigned: true, body: { type: 'webhook.test' } }]);
    await zoo.call('POST', '/api/team/members', { body: { id: 'worker-1', type: 'WORKER' } });
    const send = (subject: string) =>
      zoo.call('POST', '/api/mail', { body: { toAgentId: 'worker-1', subject, body: 'x' } });
    expect((await send('first')).status).toBeLessThan(300);
    await vi.waitFor(() => expect(hook.received).toHaveLength(2), { timeout: 20_000 });
    expect(hook.received[1]).toMatchObject({ isSigned: true, body: { type: 'mail.sent' } });
    await vi.waitFor(async () =>
      expect((await read()).webhooks.find(({ name }) => name === 'desk')).toMatchObject({
        origin: { kind: 'hub' },
        lacksSecret: false,
        last: { state: 'done', error: null },
      }),
    );
    const text2 = (await zoo.call('GET', '/api/settings')).text;
    expect(text2).not.toContain(secret);

    // The secret was entered for another address.
    const moved = { ...change, webhook: { url: 'http://127.0.0.1:9/in', events: null } };
    expect((await apply(moved)).status).toBe(400);
    const kept = { ...change, webhook: { url: `${hook.url}/refuses`, events: null } };
    expect((await apply(kept)).status).toBe(200);
    const { body: refused } = await zoo.call<TestResult>('POST', '/api/settings/webhooks/desk/test');
    expect(refused).toMatchObject({ isOk: false, message: 'Webhook "desk" replied with HTTP 500.' });

    expect((await apply({ kind: 'webhook', name: 'desk', webhook: null })).status).toBe(200);
    const count = hook.received.length;
    await send('second');
    expect((await read()).webhooks.map(({ name }) => name)).toEqual(['audit']);
    expect((await zoo.call('POST', '/api/settings/webhooks/desk/test')).status).toBe(404);
    expect(hook.received).toHaveLength(count);
    await hook.close();
  });

  it('a webhook of the file is changed and removed there; its secret is masked', async () => {
    const hook = await startWebhookReceiver('the secret of audit');
    const change = { kind: 'webhook', name: 'audit', webhook: { url: `${hook.url}/new`, events: null } };
    // The secret was entered for another address.
    expect((await apply(change)).status).toBe(400);
    const whole = { ...change, webhook: { ...change.webhook, secret: 'the secret of audit' } };
    const { body } = await preview(whole);
    expect(body.lines.map(({ text }) => text)).toEqual([
      'url = "http://127.0.0.1:9/old"',
      'secret = "${AUDIT_SECRET}"',
      `url = "${hook.url}/new"`,
      'secret = "••••••••" (new)',
    ]);
    expect((await apply(whole)).body).toMatchObject({ where: 'file' });
    const events = { ...change, webhook: { ...change.webhook, events: ['mail.sent'] } };
    expect((await preview(events)).body.lines).toMatchObject([{ kind: 'added', text: 'events = ["mail.sent"]' }]);
    expect((await zoo.call<TestResult>('POST', '/api/settings/webhooks/audit/test')).body.isOk).toBe(true);
    // An earlier event may be sent again, to the new address.
    expect(hook.received.at(-1)).toMatchObject({ isSigned: true, body: { type: 'webhook.test' } });
    await hook.close();
    expect((await apply({ kind: 'webhook', name: 'audit', webhook: null })).body).toMatchObject({ where: 'file' });
    expect(await file()).not.toContain('[events');
    expect((await read()).webhooks).toEqual([]);
  });

  it('a peer that is added in the app is offered to agents at once', async () => {
    const add = { kind: 'peer', name: 'friend', peer: { url: 'http://127.0.0.1:9', token: 'a token for the peer' } };
    expect((await apply(add)).status).toBe(200);
    const { text, body } = await zoo.call<SettingsBody>('GET', '/api/settings');
    expect(body.peers).toMatchObject([{ name: 'friend', hasToken: true, origin: { kind: 'hub' } }]);
    expect(text).not.toContain('a token for the peer');
    await vi.waitFor(async () => expect((await zoo.call('GET', '/tools/list')).text).toContain('a2a_send_message'));
    const { body: tested } = await zoo.call<TestResult>('POST', '/api/settings/peers/friend/test');
    expect(tested).toMatchObject({ isOk: false, message: expect.stringContaining('friend') });
    expect((await apply({ kind: 'peer', name: 'friend', peer: null })).status).toBe(200);
    expect((await read()).peers).toEqual([]);
  });

  it('a folder is trusted as it was shown, and not otherwise', async () => {
    const folder = join(zoo.folder, 'cloned');
    await mkdir(folder);
    await writeFile(
      join(folder, 'zoo.toml'),
      '[mcp_servers.files]\ncommand = "node"\nargs = ["--token", "sk-Literal4Secret9Key"]\n',
    );
    const look = async () =>
      (await zoo.call<FolderBody>('GET', `/api/trust/folder?folder=${encodeURIComponent(folder)}`)).body;
    const shown = await look();
    expect(shown).toMatchObject({
      isHub: false,
      trustedAt: null,
      parts: [{ key: 'mcp_servers.files', state: 'new', description: expect.stringContaining('Starts "node --token') }],
    });
    expect(JSON.stringify(shown)).not.toContain('sk-Literal4Secret9Key');
    await writeFile(join(folder, 'zoo.toml'), '[mcp_servers.files]\ncommand = "rm"\n');
    const refused = await zoo.call('POST', '/api/trust', { body: { folder, seen: shown.seen } });
    expect([refused.status, (await look()).parts[0]?.state]).toEqual([409, 'new']);
    const again = await look();
    const trusted = await zoo.call<FolderBody>('POST', '/api/trust', { body: { folder, seen: again.seen } });
    expect(trusted.body).toMatchObject({ parts: [{ state: 'trusted' }], trustedAt: expect.any(String) });
    const { body } = await zoo.call<{ folders: FolderBody[] }>('GET', '/api/trust');
    expect(body.folders.map((each) => each.folder)).toEqual([again.folder]);
    const gone = await zoo.call('DELETE', `/api/trust?folder=${encodeURIComponent(folder)}`);
    expect([gone.status, (await look()).parts[0]?.state]).toEqual([204, 'new']);
    expect((await zoo.call('DELETE', `/api/trust?folder=${encodeURIComponent(folder)}`)).status).toBe(404);
    expect((await zoo.call('GET', '/api/trust/folder?folder=%2Fnowhere')).status).toBe(404);
  });
});
