import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { networkInterfaces, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { DoorSettings } from '../../src/base/door-settings.ts';
import type { StatusBody } from '../../src/http/hub.contract.ts';
import { serveHttp } from '../../src/http/server/serve.ts';
import { runZoo, startZoo, zooFolder } from '../support/command/run-zoo.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';
import { freePort } from '../support/servers/free-port.ts';
import { makeCertificate, writeCertificate } from '../support/servers/make-certificate.ts';
import { OAuthServer } from '../support/servers/oauth-server.ts';

/** An address of this machine that is not loopback, if it has one: a connection to it comes from it. */
const outside = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** Where to connect to. */
  to?: string;
  tls?: boolean;
}

/** Sends a request with any headers, `Host` among them. */
function ask(zoo: TestHub, path: string, { method = 'GET', headers = {}, body, to = '127.0.0.1', tls }: Asked = {}) {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const options = {
    host: to,
    port: zoo.server.port,
    path,
    method,
    headers: { ...type, ...headers },
    agent: false,
    setHost: false,
  };
  return new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
    const send = tls ? httpsRequest : httpRequest;
    const sent = send({ ...options, rejectUnauthorized: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const proxied = { host: 'zoo.example', 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };
const behindProxy = { public_url: 'https://zoo.example', trusted_proxies: ['127.0.0.1'] };

describe('an address beyond loopback', () => {
  let zoo: TestHub;
  beforeAll(async () => {
    zoo = await serveTestHub();
  });
  afterAll(() => zoo.end());

  it.each<[string, Partial<DoorSettings>, RegExp]>([
    ['nothing', {}, /Set cert and key in \[server\]; or public_url and trusted_proxies.*127\.0\.0\.1.*SSH tunnel/],
    [
      'only a public address',
      { publicUrl: 'https://zoo.example' },
      /trusted_proxies is missing.*https:\/\/zoo\.example/,
    ],
    [
      'a certificate that is not there',
      { certificate: { cert: '/none', key: '/none' } },
      /cert: \/none cannot be read/,
    ],
  ])('is refused with %s', async (_, settings, message) => {
    const door = { trustedProxies: [], limits: { caller: 0, address: 0, failure: 0 }, ...settings };
    const attempt = serveHttp(zoo.hub, { host: '0.0.0.0', port: 0, door });
    await expect(attempt).rejects.toThrow(message);
    await expect(attempt).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  });
});

describe('behind a proxy', () => {
  let zoo: TestHub;
  const guarded = new OAuthServer();
  beforeAll(async () => {
    const toml = '[agents.peer]\nmode = "autonomous"';
    zoo = await serveTestHub({ toml, server: behindProxy, anonymous: 'work', serve: { host: '0.0.0.0' } });
    await guarded.start();
  });
  afterAll(async () => {
    await zoo.end();
    await guarded[Symbol.asyncDispose]();
  });

  const statusOf = async (headers: Record<string, string>, path = '/api/session') =>
    (await ask(zoo, path, { headers })).status;

  it.each([
    [{ host: 'ZOO.example:443', 'x-forwarded-proto': 'https' }, 200],
    [{ host: 'zoo.example:7331' }, 403],
    [{ host: 'evil.example' }, 403],
    [{ host: 'zoo.example.evil.example' }, 403],
    [{ host: 'evil@zoo.example' }, 403],
    [{ host: 'zoo.example, zoo.example' }, 403],
    [{ host: 'zoo.example/' }, 403],
    [{ host: '' }, 400],
    [{ host: 'inner:80', 'x-forwarded-host': 'zoo.example', 'x-forwarded-proto': 'https' }, 200],
    [{ host: 'zoo.example', 'x-forwarded-host': 'evil.example' }, 403],
    [{ host: '127.0.0.1:PORT', 'x-forwarded-for': '203.0.113.9' }, 403],
    [{ host: 'zoo.example', 'x-forwarded-proto': 'http' }, 403],
    [{ host: 'zoo.example', 'x-forwarded-proto': 'https' }, 200],
    // Programs of this machine.
    [{ host: '127.0.0.1:PORT' }, 200],
    [{ host: 'localhost:PORT' }, 200],
    [{ host: 'localhost:1' }, 403],
  ])('a request with %j gets %i', async (headers, status) => {
    const sent = Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', String(zoo.server.port))]);
    expect(await statusOf(Object.fromEntries(sent))).toBe(status);
  });

  it('a request without X-Forwarded-Proto is refused, and the proxy is told to send it', async () => {
    for (const more of [{}, { 'x-forwarded-for': '203.0.113.9' }]) {
      const { status, text } = await ask(zoo, '/api/session', { headers: { host: 'zoo.example', ...more } });
      expect([status, text]).toEqual([403, expect.stringMatching(/must send X-Forwarded-Proto: https/)]);
    }
  });

  it.each([
    ['https://zoo.example', 200],
    ['http://zoo.example', 403],
    ['https://zoo.example:8443', 403],
    ['https://evil.example', 403],
    ['http://127.0.0.1:PORT', 403],
    ['null', 403],
  ])('a page of %s gets %i', async (origin, status) => {
    expect(await statusOf({ ...proxied, origin: origin.replace('PORT', String(zoo.server.port)) })).toBe(status);
  });

  it('a page of another site cannot write', async () => {
    const headers = { ...proxied, 'sec-fetch-site': 'cross-site' };
    expect((await ask(zoo, '/api/session', { method: 'DELETE', headers })).status).toBe(403);
  });

  it('health checks may use any name, and other requests may not', async () => {
    for (const path of ['/health', '/ready', '/ready?x'])
      expect(await statusOf({ host: '10.1.2.3:8080' }, path)).toBe(200);
    expect(await statusOf({ host: '10.1.2.3:8080' }, '/agents/list')).toBe(403);
  });

  it.runIf(outside)('a connection from elsewhere is refused, whatever it says about itself', async () => {
    const sent = { ...proxied, 'x-forwarded-for': '127.0.0.1' };
    for (const path of ['/health', '/ready'])
      expect((await ask(zoo, path, { headers: { host: '10.1.2.3:7331' }, to: outside ?? '' })).status).toBe(200);
    for (const path of ['/healthy', '/mcp', '/mcp/execute', '/api/session']) {
      const { status, text } = await ask(zoo, path, { headers: sent, to: outside ?? '' });
      expect([status, text]).toEqual([403, expect.stringContaining(`${outside} is not in trusted_proxies`)]);
    }
  });

  it('callers without a key have no rights, here and on the machine itself, and the config that says otherwise is a problem', async () => {
    for (const host of ['zoo.example', `127.0.0.1:${zoo.server.port}`]) {
      const headers = { host, ...(host === proxied.host && proxied) };
      expect(await statusOf(headers, '/agents/list')).toBe(401);
      expect(await statusOf({ ...headers, ...zoo.owner }, '/agents/list')).toBe(200);
    }
    expect(zoo.hub.problems()).toEqual([]);
    const { raw, ...config } = zoo.hub.config;
    const hub = { ...zoo.hub, config: { ...config, raw: { ...raw, server: { anonymous: 'work' } } } };
    const again = await serveHttp(hub, { host: '127.0.0.1', port: 0 });
    const messages = zoo.hub.problems().map(({ message }) => message);
    expect(messages).toEqual([expect.stringMatching(/anonymous = "work" has no effect/)]);
    await again.close();
    expect(zoo.hub.problems()).toEqual([]);
  });

  it('on PostgreSQL, a missing AGENT_ZOO_SECRET is a problem', async () => {
    const store = Object.create(zoo.hub.store, { kind: { value: 'postgres' } });
    const again = await serveHttp({ ...zoo.hub, store }, { host: '127.0.0.1', port: 0 });
    const messages = zoo.hub.problems().map(({ message }) => message);
    expect(messages).toEqual([expect.stringMatching(/^AGENT_ZOO_SECRET is not set/)]);
    await again.close();
  });

  it('the first browser is not signed in by itself', async () => {
    const opens = { accept: 'text/html', 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' };
    const { headers } = await ask(zoo, '/', { headers: { ...proxied, ...opens } });
    expect(headers['set-cookie']).toBeUndefined();
    expect([await zoo.server.canClaim(), await zoo.hub.callers.canClaim()]).toEqual([false, true]);
  });

  it('a browser that signs in gets a cookie for this host and HTTPS only', async () => {
    const code = await zoo.hub.callers.createCode();
    const signedIn = await ask(zoo, '/api/session', { method: 'POST', headers: proxied, body: { code } });
    const [cookie = ''] = signedIn.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^__Host-zoo_\S+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/);
    const [pair = ''] = cookie.split(';');
    expect(await statusOf({ ...proxied, cookie: pair }, '/api/keys')).toBe(200);
    // A page of another host of the domain could set one without the prefix.
    expect(await statusOf({ ...proxied, cookie: pair.replace('__Host-', '') }, '/api/keys')).toBe(401);
    const signedOut = await ask(zoo, '/api/session', { method: 'DELETE', headers: { ...proxied, cookie: pair } });
    expect(signedOut.headers['set-cookie']?.[0]).toMatch(/^__Host-zoo_\S+=; .*Max-Age=0.*Secure$/);
  });

  it('pages and replies of the API tell browsers to use HTTPS', async () => {
    for (const path of ['/', '/health', '/agents/list', '/none']) {
      const { headers } = await ask(zoo, path, { headers: proxied });
      expect(headers['strict-transport-security'], path).toBe('max-age=31536000');
    }
  });

  it('everything that shows an address shows the public one', async () => {
    const read = async (path: string, sent: Asked = {}) =>
      (await ask(zoo, path, { ...sent, headers: { ...proxied, ...zoo.owner } })).text;
    const card = '/agents/peer/.well-known/agent-card.json';
    const definition = { transport: 'streamable-http', url: guarded.url, auth: { type: 'oauth' } };
    await read('/api/servers', { method: 'POST', body: { name: 'guarded', definition } });
    const servers = await zoo.hub.servers.open();
    await servers.connect('guarded').catch(() => {});
    const signIn = JSON.parse(await read('/api/servers/guarded/sign-in', { method: 'POST', body: {} })) as {
      url: string;
    };
    // Nobody may send messages without a key.
    expect(JSON.parse(await read(card)).securityRequirements).toEqual([{ schemes: { key: { list: [] } } }]);
    const found = {
      card: JSON.parse(await read(card)).url,
      registry: JSON.parse(await read('/agents')).agents[0].cardUrl,
      connect: JSON.parse(await read('/api/connect')).url,
      session: JSON.parse(await read('/api/session')).url,
      openApi: JSON.parse(await read('/openapi.json')).servers[0].url,
      oauth: new URL(signIn.url).searchParams.get('redirect_uri'),
    };
    expect(found).toEqual({
      card: 'https://zoo.example/agents/peer/a2a',
      registry: `https://zoo.example${card}`,
      connect: 'https://zoo.example/mcp',
      session: 'https://zoo.example',
      openApi: 'https://zoo.example',
      oauth: 'https://zoo.example/oauth/callback',
    });
    const pages = (await read('/docs')) + (await read('/api/connect?agent=peer'));
    expect(pages).toContain('https://zoo.example/');
    expect(pages).not.toContain('127.0.0.1');
    expect(JSON.parse(await read('/api/connect')).anonymous).toBe('none');
  });
});

describe('limits beyond loopback', () => {
  let zoo: TestHub;
  afterEach(() => zoo.end());
  const from = (address: string, more: Record<string, string> = {}) => ({
    ...proxied,
    'x-forwarded-for': address,
    ...more,
  });
  const wrong = { authorization: `Bearer zoo_client_${'x'.repeat(43)}` };
  const limits = { ...behindProxy, caller_limit: 0, address_limit: 0, failure_limit: 0 };
  const failures = async () =>
    (await zoo.hub.decisions.page({ kind: 'act', tool: 'sign-in', limit: 100 })).entries.map(
      ({ decision }) => decision,
    );

  it('an address has a number of requests, others are not affected, and programs of this machine have none', async () => {
    zoo = await serveTestHub({ server: { ...limits, address_limit: 0.2 } });
    const status = async (headers: Record<string, string>) => (await ask(zoo, '/api/session', { headers })).status;
    expect([await status(from('203.0.113.9')), await status(from('203.0.113.9'))]).toEqual([200, 200]);
    const refused = await ask(zoo, '/mcp', { headers: from('203.0.113.9') });
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, expect.stringMatching(/^[345]$/)]);
    expect(JSON.parse(refused.text).error).toMatchObject({
      code: 'rate_limited',
      message: expect.stringMatching(/^Too many requests from 203\.0\.113\.9\. Try again in \d s\.$/),
      retryable: true,
    });
    // What the client itself says on the left is not believed.
    expect(await status(from('198.51.100.1, 203.0.113.9'))).toBe(429);
    expect(await status(from('203.0.113.10'))).toBe(200);
    // Nor does a proxy make its client a program of this machine.
    expect([await status(from('127.0.0.1')), await status(from('127.0.0.1'))]).toEqual([200, 200]);
    expect(await status(from('127.0.0.1'))).toBe(429);
    const local = { host: `127.0.0.1:${zoo.server.port}` };
    for (let index = 0; index < 5; index += 1) expect(await status(local)).toBe(200);
  });

  it('a caller has a number of requests, on every surface', async () => {
    zoo = await serveTestHub({ server: { ...limits, caller_limit: 0.1 } });
    const keys = [await zoo.hub.callers.createKey({ name: 'A' }), await zoo.hub.callers.createKey({ name: 'B' })];
    const [a, b] = keys.map(({ secret }) => ({ authorization: `Bearer ${secret}` }));
    const send = (key: Record<string, string> | undefined, path: string, method = 'GET', body?: object) =>
      ask(zoo, path, { method, headers: from('203.0.113.9', key), body });
    expect((await send(a, '/agents/list')).status).toBe(200);
    const replies = [
      await send(a, '/agents/list'),
      await send(a, '/mcp', 'POST', {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'x', arguments: {} },
      }),
      await send(a, '/mcp/execute', 'POST', { agentId: 'w', toolName: 'mcp__mail__inbox', input: {} }),
      await send(a, '/api/session'),
    ];
    for (const { status, headers, text } of replies) {
      expect([status, headers['retry-after']]).toEqual([429, expect.stringMatching(/^(?:9|10)$/)]);
      expect(text).toContain('Too many requests from this caller.');
    }
    expect((await send(b, '/agents/list')).status).toBe(200);
    expect((await zoo.hub.decisions.page({ limit: 100 })).entries).toEqual([]);
  });

  it('wrong credentials are logged with their address, and soon refused unseen; a key that works keeps working', async () => {
    zoo = await serveTestHub({ server: { ...limits, failure_limit: 3 } });
    const { secret } = await zoo.hub.callers.createKey({ name: 'A' });
    const right = { authorization: `Bearer ${secret}` };
    const status = async (headers: Record<string, string>, path = '/agents/list') =>
      (await ask(zoo, path, { headers })).status;
    const signIn = (address: string) =>
      ask(zoo, '/api/session', { method: 'POST', headers: from(address), body: { code: 'zoo_code_guessed' } });
    expect(await status(from('203.0.113.9', right))).toBe(200);
    expect(await status(from('203.0.113.9', wrong))).toBe(401);
    expect(await status(from('203.0.113.9', wrong), '/mcp')).toBe(401);
    expect((await signIn('203.0.113.9')).status).toBe(401);
    expect(await status(from('203.0.113.9', wrong))).toBe(429);
    expect((await signIn('203.0.113.9')).status).toBe(429);
    // A new key waits, too, or wrong keys could be tried at any rate.
    const { secret: unseen } = await zoo.hub.callers.createKey({ name: 'B' });
    expect(await status(from('203.0.113.9', { authorization: `Bearer ${unseen}` }))).toBe(429);
    expect(await status(from('203.0.113.9', right))).toBe(200);
    expect(await status(from('203.0.113.10', wrong))).toBe(401);
    expect(await failures()).toEqual([
      'Failed sign-in (203.0.113.10)',
      'Failed sign-in (203.0.113.9)',
      'Failed sign-in (203.0.113.9)',
      'Failed sign-in (203.0.113.9)',
    ]);
    expect((await zoo.hub.decisions.page({ limit: 100 })).entries).toHaveLength(4);
  });

  it('wrong credentials count and are logged even if a proxy makes its requests look local', async () => {
    zoo = await serveTestHub({ server: { ...limits, failure_limit: 1 } });
    const headers = { host: `127.0.0.1:${zoo.server.port}`, ...wrong };
    const status = async () => (await ask(zoo, '/agents/list', { headers })).status;
    expect([await status(), await status()]).toEqual([401, 429]);
    expect(await failures()).toEqual(['Failed sign-in (127.0.0.1)']);
  });

  it('a flood of strangers cannot fill the log', async () => {
    zoo = await serveTestHub({ server: limits });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x', arguments: {} } };
    for (let index = 0; index < 30; index += 1) {
      const headers = from(`203.0.113.${index}`);
      const sent = [
        ask(zoo, '/agents/list', { headers: { ...headers, ...wrong } }),
        ask(zoo, '/mcp', { method: 'POST', headers, body: Array.from({ length: 20 }, () => call) }),
        ask(zoo, '/mcp/execute', { method: 'POST', headers, body: { agentId: 'w', toolName: 'mcp__mail__inbox' } }),
        ask(zoo, '/api/agents', { method: 'POST', headers, body: {} }),
      ];
      for (const { status } of await Promise.all(sent)) expect([401, 403]).toContain(status);
    }
    const { entries } = await zoo.hub.decisions.page({ limit: 500 });
    // Sixty at once, and one for each second that this took.
    expect(entries.length).toBeGreaterThanOrEqual(60);
    expect(entries.length).toBeLessThan(200);
  });
});

describe('with TLS', () => {
  it('serves the names of the certificate, and a new certificate without a restart', { timeout: 60_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'zoo-tls-'));
    const files = await writeCertificate(folder, makeCertificate(['zoo.example', '*.zoo.example']));
    const zoo = await serveTestHub({ server: files, serve: { host: '0.0.0.0' } });
    const { port } = zoo.server;
    const status = async (host: string, headers: Record<string, string> = {}) =>
      (await ask(zoo, '/api/session', { tls: true, headers: { host, ...headers } })).status;
    expect(zoo.server.url).toBe(`https://zoo.example:${port}`);
    expect(await status(`zoo.example:${port}`)).toBe(200);
    expect(await status(`zoo.example:${port}`, { origin: `https://zoo.example:${port}` })).toBe(200);
    expect(await status(`zoo.example:${port}`, { origin: `http://zoo.example:${port}` })).toBe(403);
    expect(await status(`a.zoo.example:${port}`)).toBe(200);
    const addresses = async (host: string) => {
      const read = async (path: string) => (await ask(zoo, path, { tls: true, headers: { host } })).text;
      const [session, openApi, docs] = [await read('/api/session'), await read('/openapi.json'), await read('/docs')];
      const [shown] = /https:\/\/[a-z.]*example:\d+/.exec(docs) ?? [];
      return [JSON.parse(session).url, JSON.parse(openApi).servers[0].url, shown];
    };
    expect(await addresses(`zoo.example:${port}`)).toEqual(Array(3).fill(`https://zoo.example:${port}`));
    // Other sites may share the certificate.
    expect(await status(`a.zoo.example:${port}`, { origin: `https://A.zoo.example:${port}` })).toBe(200);
    for (const host of ['zoo.example', '127.0.0.1'])
      expect(await status(`${host}:${port}`, { origin: `https://a.zoo.example:${port}` })).toBe(403);
    expect(await status(`127.0.0.1:${port}`, { origin: `https://localhost:${port}` })).toBe(200);
    expect(await status(`b.example:${port}`)).toBe(403);
    expect(await status('zoo.example')).toBe(403);
    expect(await status(`127.0.0.1:${port}`)).toBe(200);
    // Nobody is a proxy here.
    expect(await status(`b.example:${port}`, { 'x-forwarded-host': 'zoo.example' })).toBe(403);
    await expect(ask(zoo, '/health')).rejects.toThrow();

    const { key } = makeCertificate(['other.example']);
    await writeCertificate(folder, { ...makeCertificate(['b.example']), key });
    const problems = async () => {
      const headers = { host: `zoo.example:${port}`, ...zoo.owner };
      const body = JSON.parse((await ask(zoo, '/api/status', { tls: true, headers })).text) as StatusBody;
      return body.problems.map(({ message }) => message);
    };
    await expect.poll(problems, { timeout: 20_000 }).toEqual([expect.stringMatching(/does not belong.*keeps using/)]);
    await writeCertificate(folder, makeCertificate(['b.example']));
    await expect.poll(() => status(`b.example:${port}`), { timeout: 20_000 }).toBe(200);
    expect(await status(`zoo.example:${port}`)).toBe(403);
    expect(zoo.hub.problems()).toEqual([]);
    // Links have the new name.
    expect(zoo.server.url).toBe(`https://b.example:${port}`);
    expect(await addresses(`b.example:${port}`)).toEqual(Array(3).fill(`https://b.example:${port}`));
    await zoo.end();
    await rm(folder, { recursive: true });
  });
});

describe('the commands', () => {
  it('name what is missing for an address beyond loopback', async () => {
    await using folder = await zooFolder();
    const { code, stderr } = await runZoo(['serve', '--bind', '0.0.0.0:0'], { cwd: folder.dir });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^zoo: Refusing to listen on "0\.0\.0\.0".*Set cert and key/),
    ]);
  });

  it('use the name of the certificate, find the hub, and report a pair that does not fit', async () => {
    await using folder = await zooFolder();
    const { cert, key } = await writeCertificate(folder.dir, makeCertificate(['zoo.example']));
    const port = await freePort();
    const toml = `[server]\nbind = "0.0.0.0:${port}"\ncert = "${basename(cert)}"\nkey = "${basename(key)}"\nanonymous = "work"\n`;
    await writeFile(join(folder.dir, 'zoo.toml'), toml);
    const run = async (...args: string[]) => (await runZoo(args, { cwd: folder.dir })).stdout;
    await using zoo = startZoo(['serve'], { cwd: folder.dir });
    await zoo.says(
      new RegExp(`Web app +https://zoo\\.example:${port}\n.*Sign in +https://zoo\\.example:${port}/sign-in#`),
    );
    await zoo.says(new RegExp(`Address +0\\.0\\.0\\.0:${port}\n`));
    await zoo.says(/anonymous = "work" has no effect/);
    const status = async () => JSON.parse(await run('status', '--json')) as { serving: string; problems: object[] };
    expect(await status()).toMatchObject({ serving: `https://127.0.0.1:${port}`, problems: [] });
    expect(await run('open', '--print')).toMatch(new RegExp(`^https://zoo\\.example:${port}/sign-in#zoo_code_`));
    expect(await run('connect', 'claude')).toContain(`https://zoo.example:${port}/mcp`);
    await writeFile(key, makeCertificate(['zoo.example']).key);
    expect((await status()).problems).toEqual([
      { place: cert, message: expect.stringContaining('does not belong to the certificate') },
    ]);
    await writeFile(
      join(folder.dir, 'zoo.toml'),
      '[server]\npublic_url = "https://zoo.example"\ntrusted_proxies = ["127.0.0.1"]\n',
    );
    expect(await run('open', '--print')).toMatch(/^https:\/\/zoo\.example\/sign-in#/);
    expect(await run('open', '--print', '--bind', '127.0.0.1:9')).toMatch(/^http:\/\/127\.0\.0\.1:9\/sign-in#/);
    expect(await run('connect', 'claude')).toContain('https://zoo.example/mcp');
  });
});
