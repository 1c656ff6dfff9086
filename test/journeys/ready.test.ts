import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ReadyBody } from '../../src/http/hub.contract.ts';
import { openPostgresProxy, type PostgresProxy } from '../support/databases/postgres-proxy.ts';
import { newTestDatabase } from '../support/databases/test-database.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

type NotReadyBody = ReadyBody & { error?: { message: string } };

describe('GET /ready of a hub that others can reach', () => {
  let network: PostgresProxy;
  let zoo: TestHub;
  beforeEach(async () => {
    const { db } = await newTestDatabase('postgres');
    network = await openPostgresProxy('url' in db ? db.url : '');
    const server = { public_url: 'https://zoo.example', trusted_proxies: ['127.0.0.1'] };
    zoo = await serveTestHub({ db: { url: network.url }, server });
  });
  afterEach(async () => {
    network.heal();
    await zoo.end();
    await network.close();
  });

  /** Asks the hub itself, as a proxy or an orchestrator does. */
  async function ask(who: 'owner' | 'stranger', search = '') {
    const headers = who === 'owner' ? zoo.owner : {};
    const response = await fetch(`http://127.0.0.1:${zoo.server.port}/ready${search}`, { headers });
    const text = await response.text();
    const body: NotReadyBody = JSON.parse(text);
    return { status: response.status, text, body };
  }

  it('tells strangers that it is not ready, and only those with a right where its database is', async () => {
    expect((await ask('stranger')).body.ready).toBe(true);
    network.reset();
    await expect.poll(async () => (await ask('stranger')).status, { timeout: 30_000 }).toBe(503);
    const { host, pathname } = new URL(network.url);
    const toStranger = await ask('stranger');
    for (const secret of [host, host.split(':')[1] ?? host, pathname.slice(1), zoo.folder])
      expect(toStranger.text).not.toContain(secret);
    expect(toStranger.body.error?.message).toMatch(/cannot use its database\. The log says why/);
    const toOwner = await ask('owner');
    expect(toOwner.status).toBe(503);
    expect(toOwner.body.error?.message).toContain(host);
    expect(zoo.warned.join('\n')).toContain(`the hub is not ready: ${toOwner.body.checks[0]?.message}`);
  });

  it('does not blame the tables when the database is away', async () => {
    network.reset();
    await expect.poll(async () => (await ask('stranger')).status, { timeout: 30_000 }).toBe(503);
    const { body } = await ask('owner');
    expect(body.checks.map(({ name, ok }) => [name, ok])).toEqual([
      ['database', false],
      ['disk', true],
    ]);
  });

  it('can be read while only its database is away', async () => {
    network.reset();
    await expect.poll(async () => (await ask('stranger')).status, { timeout: 30_000 }).toBe(503);
    const { status, body } = await ask('stranger', '?reads=true');
    expect(status).toBe(200);
    expect(body).toMatchObject({ ready: true, checks: [{ name: 'database', ok: false }, { ok: true }] });
    expect((await fetch(`http://127.0.0.1:${zoo.server.port}/agents/list`, { headers: { ...zoo.owner } })).status).toBe(
      200,
    );
    expect((await ask('stranger', '?reads=maybe')).status).toBe(400);
  });

  it('tells nobody without a right where its database is, whatever they ask', async () => {
    network.reset();
    await expect.poll(async () => (await ask('stranger')).status, { timeout: 30_000 }).toBe(503);
    const { host, pathname } = new URL(network.url);
    const wrongKey = { authorization: 'Bearer zoo_key_wrong' };
    const call = { agentId: 'worker-1', toolName: 'mcp__agent__get_status', input: {} };
    const requests: [path: string, headers: Record<string, string>, body?: object][] = [
      ['/api/agents', wrongKey],
      ['/metrics', wrongKey],
      ['/api/agents', { cookie: '__Host-zoo=zoo_session_wrong' }],
      ['/api/session', {}, { code: 'zoo_code_wrong' }],
      ['/oauth/callback?state=wrong&code=wrong', {}],
      ['/mcp', wrongKey, { jsonrpc: '2.0', id: 1, method: 'ping' }],
      ['/mcp/execute', wrongKey, call],
      ['/mcp/execute', {}, call],
    ];
    for (const [path, headers, body] of requests) {
      const response = await fetch(`http://127.0.0.1:${zoo.server.port}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      for (const secret of [host, pathname.slice(1)]) expect.soft(text, path).not.toContain(secret);
    }
  });

  it('checks the database once, however many ask', async () => {
    const query = vi.spyOn(pg.Client.prototype, 'query');
    const start = performance.now();
    for (const _ of [1, 2, 3]) {
      const replies = await Promise.all(Array.from({ length: 50 }, () => ask('stranger')));
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    }
    const seconds = (performance.now() - start) / 1_000;
    // The first check is a statement, and the next ones are empty messages.
    const sent = query.mock.calls.map(([first]: unknown[]) => first as string | { text?: string });
    query.mockRestore();
    const textOf = (each: (typeof sent)[number]) => (typeof each === 'string' ? each : each.text);
    const checks = sent.filter((each) => textOf(each)?.includes('transaction_read_only') ?? true).length;
    expect(checks).toBeGreaterThan(0);
    expect(checks).toBeLessThanOrEqual(1 + Math.floor(seconds));
  });
});
