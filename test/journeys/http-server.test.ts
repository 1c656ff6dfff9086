import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { HubError } from '../../src/base/hub-error.ts';
import type { ConnectBody, StatusBody } from '../../src/http/hub.contract.ts';
import type { OpenApiDocument } from '../../src/http/open-api.ts';
import { serveHttp } from '../../src/http/server/serve.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

const securityHeaders = [
  'content-security-policy',
  'x-content-type-options',
  'x-frame-options',
  'referrer-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'permissions-policy',
];

let web: string;
let zoo: TestHub;
beforeAll(async () => {
  web = await mkdtemp(join(tmpdir(), 'zoo-web-'));
  await mkdir(join(web, 'dist', 'assets'), { recursive: true });
  await writeFile(join(web, 'secret.txt'), 'secret');
  await writeFile(join(web, 'dist', 'index.html'), '<!doctype html><title>Zoo</title>');
  await writeFile(join(web, 'dist', 'favicon.svg'), '<svg/>');
  await writeFile(join(web, 'dist', '.hidden'), 'hidden');
  await writeFile(join(web, 'dist', 'assets', 'main-abc.js'), 'export {};');
  await symlink(join(web, 'secret.txt'), join(web, 'dist', 'linked.txt'));
  zoo = await serveTestHub({ serve: { webRoot: join(web, 'dist') } });
  await zoo.call('POST', '/api/agents', { body: { name: 'Alice' } });
});
afterAll(async () => {
  await zoo.end();
  await rm(web, { recursive: true, force: true });
});

/** Sends a request as no browser would: any path, any headers. */
/** Sends text as it is and reads until the hub hangs up. */
function sendText(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(zoo.server.port, '127.0.0.1', () => socket.write(text));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      received += chunk;
    });
    socket.on('close', () => resolve(received)).on('error', reject);
  });
}

function raw(path: string, options: { method?: string; headers?: Record<string, string> } = {}) {
  const headers = { host: `127.0.0.1:${zoo.server.port}`, ...options.headers };
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>((resolve, reject) => {
    const { port } = zoo.server;
    const request = httpRequest(
      { host: '127.0.0.1', port, path, method: options.method ?? 'GET', headers },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      },
    );
    request.on('error', reject);
    request.end();
  });
}

const html = { headers: { accept: 'text/html,application/xhtml+xml' } };

describe('the web app', () => {
  it.each(['/', '/new', '/a/alice?tab=brain', '/connect'])('is served at %s to a browser', async (path) => {
    const answer = await zoo.call('GET', path, html);
    expect([answer.status, answer.text]).toEqual([200, '<!doctype html><title>Zoo</title>']);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(answer.headers.get('content-security-policy')).toMatch(/script-src 'self';/);
  });

  it('is cached for good (assets) or revalidated (the page)', async () => {
    const asset = await zoo.call('GET', '/assets/main-abc.js');
    expect(asset.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const etag = asset.headers.get('etag') ?? '';
    expect((await zoo.call('GET', '/assets/main-abc.js', { headers: { 'if-none-match': etag } })).status).toBe(304);
    const head = await zoo.call('HEAD', '/favicon.svg');
    expect([head.status, head.text, head.headers.get('content-type')]).toEqual([200, '', 'image/svg+xml']);
  });

  it.each([
    '/assets/none.js',
    '/none.txt',
    '/.hidden',
    '/linked.txt',
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/..%5csecret.txt',
    '/%00',
    '/%',
    '/assets',
  ])('serves nothing else: %s', async (path) => {
    const answer = await raw(path);
    expect([answer.status, answer.text.includes('secret"')]).toEqual([404, false]);
    expect((await raw(path, html)).text).not.toMatch(/^(secret|hidden)$/);
  });

  it('says what to do when it is not built', async () => {
    const bare = await serveHttp(zoo.hub, { host: '127.0.0.1', port: 0, webRoot: join(web, 'nowhere') });
    const response = await fetch(bare.url, html);
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining('npm run build')]);
    await bare.close();
  });
});

describe('every reply', () => {
  it.each([
    ['GET', '/health'],
    ['GET', '/'],
    ['GET', '/assets/main-abc.js'],
    ['GET', '/docs'],
    ['GET', '/nothing'],
    ['GET', '/api/nothing'],
    ['POST', '/api/agents'],
    ['PATCH', '/api/agents'],
    ['OPTIONS', '/api/agents'],
  ])('has the security headers: %s %s', async (method, path) => {
    const { headers } = await raw(path, { method });
    for (const name of securityHeaders) expect([name, typeof headers[name]]).toEqual([name, 'string']);
    expect(headers['content-security-policy']).not.toMatch(/script-src[^;]*unsafe/);
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it.each([
    ['POST', '/mcp'],
    ['GET', '/mcp'],
    ['POST', '/mcp/execute'],
  ])('to %s %s is JSON that no page can display, execute or cache', async (method, path) => {
    const { headers } = await raw(path, { method });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('has them even if the request is refused early or is not HTTP', async () => {
    const { headers, status } = await raw('/health', { headers: { host: 'evil.example' } });
    expect(status).toBe(403);
    for (const name of securityHeaders) expect(headers[name]).toBeDefined();
    const text = await sendText('HELLO\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('x-content-type-options: nosniff');
    expect(text).toContain('{"error":{"code":"bad_request"');
  });
});

describe('the guard', () => {
  it.each([
    ['a foreign host', { host: 'evil.example:80' }, 403],
    ['a foreign origin', { origin: 'http://evil.example' }, 403],
    ['the null origin', { origin: 'null' }, 403],
    ['another site that writes', { 'sec-fetch-site': 'cross-site' }, 403],
  ])('refuses %s, for the API, MCP and pages alike', async (_, headers, status) => {
    for (const path of ['/api/agents', '/mcp', '/tools/agent_zoo_list_agents']) {
      const answer = await raw(path, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } });
      expect([path, answer.status]).toEqual([path, status]);
    }
  });

  it('refuses a request with two hosts', async () => {
    const host = `Host: 127.0.0.1:${zoo.server.port}\r\n`;
    const text = await sendText(`GET /api/agents HTTP/1.1\r\n${host}Host: evil.example\r\nConnection: close\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 403 /);
  });

  it.each(['GET /a\\..\\b', 'OPTIONS *'])('answers "%s" with a message', async (line) => {
    const host = `Host: 127.0.0.1:${zoo.server.port}\r\n`;
    const text = await sendText(`${line} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('"code":"bad_request"');
  });

  it('does not wait for a body whose announced size is too large', async () => {
    const head = `Host: 127.0.0.1:${zoo.server.port}\r\nConnection: close\r\nContent-Type: application/json\r\nAuthorization: ${zoo.owner.authorization}\r\n`;
    const text = await sendText(`POST /api/agents HTTP/1.1\r\n${head}Content-Length: 99999999999\r\n\r\n{`);
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('refuses a request without a host', async () => {
    const text = await sendText('GET /api/agents HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('Host header is missing');
  });

  it('accepts its own page', async () => {
    const { status } = await raw('/api/agents', {
      headers: { ...zoo.owner, origin: `http://127.0.0.1:${zoo.server.port}`, 'sec-fetch-site': 'same-origin' },
    });
    expect(status).toBe(200);
  });
});

describe('addresses and methods', () => {
  it('unknown ones are named in a JSON 404', async () => {
    const answer = await zoo.call('GET', '/api/nothing/here', html);
    expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found']);
    expect(answer.body.error.message).toContain('/api/nothing/here');
  });

  it.each([
    ['PATCH', '/api/agents', 'GET, HEAD, POST, OPTIONS'],
    ['POST', '/api/agents/alice', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
    ['DELETE', '/health', 'GET, HEAD, OPTIONS'],
    ['GET', '/agents/alice/prompt', 'POST, OPTIONS'],
    ['POST', '/docs', 'GET, HEAD, OPTIONS'],
    ['POST', '/', 'GET, HEAD, OPTIONS'],
  ])('a wrong method gets 405 and the allowed ones: %s %s', async (method, path, allow) => {
    const answer = await zoo.call(method, path);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    expect(answer.body.error.message).toContain(allow);
  });

  it('OPTIONS and HEAD are answered without a body', async () => {
    const options = await zoo.call('OPTIONS', '/api/agents/alice');
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS']);
    const head = await zoo.call('HEAD', '/api/agents/alice');
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', '"1"']);
    expect((await zoo.call('HEAD', '/api/events')).headers.get('content-type')).toBe('text/event-stream');
  });
});

describe('information about the hub', () => {
  it('includes health, status and how to connect', async () => {
    expect((await zoo.call('GET', '/health')).body).toEqual({ status: 'ok', version: zoo.hub.version });
    const { body } = await zoo.call<StatusBody>('GET', '/api/status');
    expect(body).toMatchObject({ configFile: null, database: { kind: 'sqlite' }, agents: 1, tools: 10, problems: [] });
    const hub = await zoo.call<ConnectBody>('GET', '/api/connect');
    expect(hub.body.url).toBe(`${zoo.server.url}/mcp`);
    const alice = await zoo.call<ConnectBody>('GET', '/api/connect?agent=alice');
    expect(alice.body).toMatchObject({ agentId: 'alice', args: ['mcp', '--agent', 'alice'] });
  });

  it('includes templates that can be created without changes', async () => {
    const { body } = await zoo.call<{ templates: { agent: { name: string } }[] }>('GET', '/api/templates');
    expect(body.templates.length).toBeGreaterThanOrEqual(8);
    const other = await serveTestHub();
    for (const { agent } of body.templates) {
      expect((await other.call('POST', '/api/agents', { body: agent })).status).toBe(201);
    }
    await other.end();
  });

  it('leaves MCP to /mcp and no other path', async () => {
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    };
    const headers = { accept: 'application/json, text/event-stream' };
    const answer = await zoo.call('POST', '/mcp', { body: message, headers });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('serverInfo');
    expect((await zoo.call('POST', '/mcp/other', { body: message, headers })).status).toBe(404);
  });

  it('includes a description of every operation, and the page shows each', async () => {
    const { body } = await zoo.call<OpenApiDocument>('GET', '/openapi.json');
    expect(body.openapi).toBe('3.1.0');
    const page = (await zoo.call('GET', '/docs')).text;
    expect(page).not.toMatch(/<script|style=|onclick/);
    // Examples may name a public address, but the page loads and links nothing from elsewhere.
    expect(page).not.toMatch(/(?:src|href|action)\s*=\s*["']?\s*(?:https?:)?\/\/(?!127\.0\.0\.1)|url\(|@import/);
    for (const [path, operations] of Object.entries(body.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        expect(page).toContain(`id="${operation.operationId}"`);
        expect(page).toContain(`${method.toUpperCase()}</span> <code>${path}</code>`);
      }
    }
    const css = await zoo.call('GET', '/docs/docs.css');
    expect([css.status, css.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
  });
});

describe('an unexpected error', () => {
  it('is logged in full and reported as "Internal error"', async () => {
    const broken = await serveTestHub();
    vi.spyOn(broken.hub.agentStore, 'history').mockRejectedValue(new Error('disk on fire at /secret/path'));
    const answer = await broken.call('GET', '/api/agents/x/versions');
    expect([answer.status, answer.text]).toEqual([
      500,
      '{"error":{"code":"internal_error","message":"Internal error","retryable":false}}',
    ]);
    expect(broken.logged).toMatchObject([
      'request failed unexpectedly',
      { err: { message: 'disk on fire at /secret/path' }, method: 'GET', path: '/api/agents/x/versions' },
    ]);
    await broken.end();
  });

  it('for headers that are too large is 431', async () => {
    expect((await raw('/health', { headers: { 'x-long': 'x'.repeat(20_000) } })).status).toBe(431);
  });
});

describe('live events', () => {
  it('reach an open page when an agent, a brain or the tools change', async () => {
    const response = await fetch(`${zoo.server.url}/api/events`, { headers: { ...zoo.owner } });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = readEvents(response);
    await zoo.call('POST', '/api/agents', { body: { name: 'Live' } });
    expect(await events.next('agents')).toEqual({ topic: 'agents', ids: ['live'] });
    await zoo.call('POST', '/api/agents/live/brain', { body: { type: 'note', content: 'x' } });
    expect(await events.next('brain')).toEqual({ topic: 'brain', ids: ['live'] });
    const remove = zoo.hub.tools.register(
      defineTool({ name: 'late', description: 'Late.', input: z.strictObject({}), run: () => ({}) }),
    );
    expect(await events.next('tools')).toEqual({ topic: 'tools', ids: [] });
    remove();
    await zoo.call('DELETE', '/api/agents/live');
    expect(await events.next('agents')).toEqual({ topic: 'agents', ids: ['live'] });
    await events.end();
  });

  it('reach 500 open pages; the next one is refused until one disconnects', { timeout: 60_000 }, async () => {
    const other = await serveTestHub();
    const pages = await Promise.all(Array.from({ length: 500 }, () => openPage(other)));
    try {
      await other.call('POST', '/api/agents', { body: { name: 'Seen' } });
      await Promise.all(pages.map(({ until }) => until('"ids":["seen"]')));
      const refused = await other.call('GET', '/api/events');
      expect(refused.status).toBe(503);
      expect(refused.body).toEqual({
        error: {
          code: 'unavailable',
          message: 'At most 500 pages can be open at once. Close a page and try again.',
          retryable: true,
        },
      });
      pages.pop()?.leave();
      await expect.poll(async () => (await other.call('HEAD', '/api/events')).status).toBe(200);
    } finally {
      for (const page of pages) page.leave();
      await other.end();
    }
  });
});

/** An open page: a connection of its own that reads what comes. */
async function openPage({
  server: { port },
  owner,
}: TestHub): Promise<{ until(text: string): Promise<void>; leave(): void }> {
  let received = '';
  let look = () => {};
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
    look();
  });
  socket.write(`GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${owner.authorization}\r\n\r\n`);
  const until = (text: string) =>
    new Promise<void>((resolve, reject) => {
      socket.once('close', () => reject(new Error(`The connection ended after: ${received.slice(0, 300)}`)));
      look = () => received.includes(text) && resolve();
      look();
    });
  await until('retry: 1000');
  return { until, leave: () => socket.destroy() };
}

describe('serving', () => {
  const hasIpv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1'));
  const addresses = hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1'];

  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
  });

  it.each(['0.0.0.0', '::', '192.168.1.10', 'example.com', ''])('refuses to bind to %j', async (host) => {
    const attempt = serveHttp(zoo.hub, { host, port: 0 });
    await expect(attempt).rejects.toThrow(/127\.0\.0\.1.*SSH tunnel/);
    await expect(attempt).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  });

  it('binds to localhost and to IPv6 loopback', async () => {
    for (const host of ['localhost', ...addresses]) {
      const server = await serveHttp(zoo.hub, { host, port: 0 });
      opened.push(server);
      expect((await fetch(`${server.url}/health`)).status).toBe(200);
    }
  });

  it('names a port that is taken, and suggests an address for --bind', async () => {
    for (const host of addresses) {
      const shown = host.includes(':') ? `[${host}]` : host;
      const { port, close } = await serveHttp(zoo.hub, { host, port: 0 });
      await expect(serveHttp(zoo.hub, { host, port })).rejects.toThrow(
        new HubError(
          'UNAVAILABLE',
          `Port ${port} on ${host} is already in use, perhaps by another zoo. Stop it, or choose another port: --bind ${shown}:${port < 65_535 ? port + 1 : 7331}.`,
        ),
      );
      await close();
    }
  });

  it('lets a running call finish, ends streams, and then stops', async () => {
    const started = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const remove = zoo.hub.tools.register(
      defineTool({
        name: 'long',
        description: 'Takes its time.',
        input: z.strictObject({}),
        run: async () => {
          started.resolve();
          await release.promise;
          return { done: true };
        },
      }),
    );
    const server = await serveHttp(zoo.hub, { host: '127.0.0.1', port: 0 });
    const stream = await fetch(`${server.url}/api/events`, { headers: { ...zoo.owner } });
    const mcp = await openMcpStream(server.url);
    const call = fetch(`${server.url}/tools/long`, { method: 'POST', headers: { ...zoo.owner } });
    await started.promise;
    const closed = server.close();
    expect(await stream.text()).toContain('retry:');
    expect((await fetch(`${server.url}/health`).catch(() => undefined))?.status).not.toBe(200);
    release.resolve();
    expect(await (await call).json()).toEqual({ result: { done: true } });
    await closed;
    await mcp.text();
    await expect(fetch(`${server.url}/health`)).rejects.toThrow();
    remove();
  });
});

/** The stream on which a session's messages come. */
async function openMcpStream(url: string): Promise<Response> {
  const accept = 'application/json, text/event-stream';
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const opened = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  });
  await opened.text();
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  const stream = await fetch(`${url}/mcp`, { headers: { accept: 'text/event-stream', ...session } });
  expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  return stream;
}

describe('a client that disconnects', () => {
  it('aborts its running call', async () => {
    const started = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const remove = zoo.hub.tools.register(
      defineTool({
        name: 'patient',
        description: 'Waits to be cancelled.',
        input: z.strictObject({}),
        run: async (_, { signal }) => {
          signal.addEventListener('abort', () => aborted.resolve());
          started.resolve();
          await aborted.promise;
          return {};
        },
      }),
    );
    const leaving = new AbortController();
    const headers = { ...zoo.owner };
    const call = fetch(`${zoo.server.url}/tools/patient`, { method: 'POST', headers, signal: leaving.signal });
    await started.promise;
    leaving.abort();
    await expect(call).rejects.toThrow();
    await aborted.promise;
    remove();
  });
});

function readEvents(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    /** The next change of this topic; others before it are passed over. */
    async next(topic: string): Promise<unknown> {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end === -1) {
          const { value, done } = (await reader?.read()) ?? { done: true };
          if (done) throw new Error('the stream ended');
          text += value;
          continue;
        }
        const event = text.slice(0, end);
        text = text.slice(end + 2);
        const match = /^event: change\ndata: (.*)$/.exec(event);
        const change = match && JSON.parse(match[1] ?? '');
        if (change?.topic === topic) return change;
      }
    },
    end: () => reader?.cancel(),
  };
}
