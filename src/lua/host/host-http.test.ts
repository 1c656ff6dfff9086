import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { luaHost, resolveJob } from '../../../test/support/lua/lua-jobs.ts';
import type { LuaSandbox } from '../sandbox/lua-job.ts';
import type { HttpRequest } from '../sandbox/lua-messages.ts';
import { createLuaSandbox } from '../sandbox/sandbox.ts';
import { luaHttp } from './host-http.ts';

let server: Server;
let origin: string;
let port: number;
let sandbox: LuaSandbox;

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  origin = `http://127.0.0.1:${port}`;
  sandbox = createLuaSandbox();
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await sandbox.close();
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '';
  const hops = /^\/hop\/(\d+)$/.exec(path)?.[1];
  if (hops !== undefined && hops !== '0') {
    response.writeHead(302, { location: `/hop/${Number(hops) - 1}` }).end();
  } else if (path === '/see-other') {
    response.writeHead(303, { location: '/echo' }).end();
  } else if (path === '/elsewhere') {
    response.writeHead(307, { location: `http://localhost:${port}/echo` }).end();
  } else if (path === '/elsewhere-private') {
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
  } else if (path === '/large') {
    response.end(Buffer.alloc(10 * 1024 * 1024 + 1));
  } else if (path === '/bomb') {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(64 * 1024 * 1024)));
  } else if (path === '/zipped') {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('zipped ü'));
  } else if (path === '/nothing') {
    response.writeHead(204, { 'content-encoding': 'gzip' }).end();
  } else if (path === '/empty') {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': 0 }).end();
  } else if (path === '/switch') {
    request.socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: odd\r\nConnection: Upgrade\r\n\r\n');
  } else if (path === '/plain-json') {
    response.writeHead(200, { 'content-type': 'text/plain' }).end(' {"list":["one","two"]}');
  } else if (path === '/no-json') {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{');
  } else if (path === '/bytes') {
    response.writeHead(404, { 'set-cookie': ['a=1', 'b=2'] }).end(Buffer.from([0, 255, 1]));
  } else if (path !== '/silence') {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { method, url, headers } = request;
    const body = { method, url, headers, body: Buffer.concat(parts).toString('latin1'), none: null };
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
  }
}

function ask(request: Partial<HttpRequest> & { url: string }, allowedHosts = ['127.0.0.1']) {
  const signal = new AbortController().signal;
  return luaHttp({ method: 'GET', headers: {}, ...request }, { allowedHosts, signal });
}

async function echo(request: Partial<HttpRequest> & { url: string }, allowedHosts?: string[]) {
  const { body } = await ask(request, allowedHosts);
  return JSON.parse(Buffer.from(body).toString()) as { method: string; headers: Record<string, string>; body: string };
}

describe('a script speaks HTTP', () => {
  it('with get, post and put, as text, bytes and JSON', async () => {
    const body = `function agent.resolve(args)
      local url = args.url
      local got = http.get(url .. "/echo?a=1", { headers = { ["X-Word"] = "u", ["X-Number"] = 7 } })
      local posted = http.post(url .. "/echo", { json = { a = { 1, 2 }, none = json.null, list = json.parse("[]") } })
      local put = http.put(url .. "/echo", { body = "a\\0\\xff", headers = { ["content-type"] = "text/x-odd" } })
      local bytes = http.get(url .. "/bytes")
      return { got.status, got.json.url, got.json.headers["x-word"], got.json.headers["x-number"], got.json.none == nil,
        posted.json.method, posted.json.body, posted.json.headers["content-type"],
        put.json.method, #put.json.body, put.json.headers["content-type"],
        bytes.status, bytes.body == "\\0\\xff\\1", bytes.json == nil, bytes.headers["set-cookie"] }
    end`;
    const folder = mkdtempSync(join(tmpdir(), 'zoo-lua-'));
    const file = join(folder, 'http.lua');
    writeFileSync(file, body);
    const host = luaHost({ allowedHosts: ['127.0.0.1'] });
    expect(await sandbox.run(resolveJob('http', { file, host, args: { url: origin } }))).toEqual([
      200,
      '/echo?a=1',
      'u',
      '7',
      true,
      'POST',
      '{"a":[1,2],"list":[],"none":null}',
      'application/json',
      'PUT',
      4,
      'text/x-odd',
      404,
      true,
      true,
      'a=1, b=2',
    ]);
    rmSync(folder, { recursive: true });
  });
});

describe('a script of Context Harness speaks HTTP as before', () => {
  it.each([
    ['post(url, body, options)', 'http.post(url, "a=1", { headers = { ["X-A"] = "1" } }).json', 'POST a=1 1'],
    [
      'put(url, body, options)',
      'http.put(url, json.encode({ a = 1 }), { headers = { ["X-A"] = 2 } }).json',
      'PUT {"a":1} 2',
    ],
    ['post(url, number)', 'http.post(url, 42).json', 'POST 42 '],
    ['post(url) without a body', 'http.post(url).json', 'POST  '],
    ['post(url, nil, options)', 'http.post(url, nil, { headers = { ["X-A"] = "3" } }).json', 'POST  3'],
  ])('%s', async (_name, call, expected) => {
    const body = `local seen = ${call} return seen.method .. " " .. seen.body .. " " .. (seen.headers["x-a"] or "")`;
    expect(await resolve(body)).toBe(expected);
  });

  it('params are added to the query of the address', async () => {
    const body = `local params = { q = "a b&c", page = 2, all = true }
      return { http.get(url, { params = params }).json.url, http.get(url .. "?x=1#top", { params = params }).json.url,
        http.post(url, "", { params = { a = "1" } }).json.url, http.get(url, { params = {} }).json.url }`;
    expect(await resolve(body)).toEqual([
      '/echo?all=true&page=2&q=a+b%26c',
      '/echo?x=1&all=true&page=2&q=a+b%26c',
      '/echo?a=1',
      '/echo',
    ]);
  });

  it('ok tells whether the status is 2xx, and json is there whenever the body is JSON', async () => {
    const body = `local fine, lost, plain = http.get(url), http.get(base .. "/bytes"), http.get(base .. "/plain-json")
      local odd, none = http.get(base .. "/no-json"), http.get(base .. "/zipped")
      return { fine.ok, lost.ok, lost.status, plain.json.list[2], plain.headers["content-type"], odd.json == nil, none.json == nil }`;
    expect(await resolve(body)).toEqual([true, false, 404, 'two', 'text/plain', true, true]);
  });

  it('a table as the body is refused with a sentence that helps', async () => {
    await expect(resolve('return http.post(url, { a = 1 }, {})')).rejects.toMatchObject({
      message: expect.stringMatching(
        /http\.post: the body is a table; it must be a string, such as json\.encode\(body\)$/,
      ),
    });
  });

  it('a private address needs the line that the error names', async () => {
    const host = luaHost({ section: 'connectors.script.jira' });
    await expect(resolve('return http.get(url)', host)).rejects.toMatchObject({
      message: expect.stringMatching(/add allow_hosts = \["127\.0\.0\.1"\] to \[connectors\.script\.jira\]\.$/),
    });
  });

  async function resolve(body: string, host = luaHost({ allowedHosts: ['127.0.0.1'] })): Promise<unknown> {
    const text = `function agent.resolve(args) local base = args.base local url = base .. "/echo"\n${body}\nend`;
    return sandbox.run(resolveJob('http', { text, host, args: { base: origin } }));
  }
});

describe('a large body', () => {
  it('sends and receives exact bytes, repeatedly', async () => {
    const body = `function agent.resolve(args)
      local text = string.rep("0123456789abcdef", 20000)
      local first = http.post(args.url .. "/echo", { body = text }).json
      local second = http.post(args.url .. "/echo", { body = text }).json
      return first.body == text and second.body == text
    end`;
    const folder = mkdtempSync(join(tmpdir(), 'zoo-lua-'));
    const file = join(folder, 'http.lua');
    writeFileSync(file, body);
    const host = luaHost({ allowedHosts: ['127.0.0.1'] });
    expect(await sandbox.run(resolveJob('http', { file, host, args: { url: origin } }))).toBe(true);
    rmSync(folder, { recursive: true });
  });
});

describe('http', () => {
  it('follows ten redirects and no more', async () => {
    expect((await ask({ url: `${origin}/hop/10` })).status).toBe(200);
    await expect(ask({ url: `${origin}/hop/11` })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: `${origin}/hop/11 redirects more than 10 times.`,
    });
  });

  it('a POST becomes a GET without a body if the redirect requires it', async () => {
    const seen = await echo({ method: 'POST', url: `${origin}/see-other`, body: Buffer.from('x') });
    expect(seen).toMatchObject({ method: 'GET', body: '' });
  });

  it('secrets stay with the origin they were meant for', async () => {
    const secrets = { authorization: 'Bearer s', cookie: 'c', 'x-api-key': 'k' };
    const request = { url: `${origin}/elsewhere`, headers: { ...secrets, accept: 'text/plain' } };
    const { headers } = await echo(request, ['127.0.0.1', 'localhost']);
    expect(headers).toMatchObject({ host: `localhost:${port}`, accept: 'text/plain' });
    for (const name of Object.keys(secrets)) expect(headers).not.toHaveProperty(name);
  });

  it('a redirect to a private address is refused', async () => {
    await expect(ask({ url: `${origin}/elsewhere-private` })).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      message: expect.stringContaining(
        '"169.254.169.254" is a private or reserved address, which scripts may not reach',
      ),
    });
  });

  it.each([
    ['/large', { code: 'TOO_LARGE', message: /is larger than 10 MB/ }],
    ['/bomb', { code: 'TOO_LARGE', message: /is larger than 10 MB/ }],
  ])('%s is not read to its end', async (path, { code, message }) => {
    await expect(ask({ url: origin + path })).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('unpacks what comes packed, and leaves broken JSON as text', async () => {
    expect(Buffer.from((await ask({ url: `${origin}/zipped` })).body).toString()).toBe('zipped ü');
    expect(Buffer.from((await ask({ url: `${origin}/no-json` })).body).toString()).toBe('{');
  });

  it('takes an answer without a body, whatever it says of its packing', async () => {
    expect(await ask({ url: `${origin}/nothing` })).toMatchObject({ status: 204, body: Buffer.alloc(0) });
    expect(await ask({ url: `${origin}/empty` })).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  });

  it('does not wait for a server that goes over to another protocol', async () => {
    await expect(ask({ url: `${origin}/switch` })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: `${origin} cannot be reached: the server closed the connection without a reply.`,
    });
  });

  it('has its own time limit', async () => {
    await expect(ask({ url: `${origin}/silence`, timeoutMs: 50 })).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: `${origin}/silence did not reply within 0.05 s.`,
    });
  });

  it('whose limit is longer than a timer can hold waits all the same', async () => {
    expect((await ask({ url: `${origin}/echo`, timeoutMs: 1e13 })).status).toBe(200);
    expect((await ask({ url: `${origin}/echo`, timeoutMs: Number.POSITIVE_INFINITY })).status).toBe(200);
  });

  it('refuses port 0, which Node takes for the usual one', async () => {
    await expect(ask({ url: 'http://127.0.0.1:0/' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: '"http://127.0.0.1:0/" has port 0, which is not a valid port.',
    });
  });

  it('refuses connection headers and invalid headers', async () => {
    await expect(ask({ url: origin, headers: { host: 'other' } })).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    await expect(ask({ url: origin, headers: { 'x-a': 'a\r\nb: c' } })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
  });

  it('says which server cannot be reached', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const gone = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
    await new Promise((resolve) => closed.close(resolve));
    await expect(ask({ url: gone })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining(`${gone} cannot be reached: `),
    });
  });
});

describe('the address of a name', () => {
  const rules = (addresses: string[][], allowedHosts: string[]) => {
    const asked: string[] = [];
    const lookup = async (host: string) => {
      const found = addresses[Math.min(asked.push(host), addresses.length) - 1] ?? [];
      return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    };
    return { asked, options: { allowedHosts, lookup, signal: new AbortController().signal } };
  };
  const request = (host: string): HttpRequest => ({ method: 'GET', url: `http://${host}:${port}/echo`, headers: {} });

  it('is looked up once, and the connection goes there: a second answer changes nothing', async () => {
    const { asked, options } = rules([['127.0.0.1'], ['127.0.0.2']], ['127.0.0.1']);
    expect((await luaHttp(request('rebinding.example'), options)).status).toBe(200);
    expect(asked).toEqual(['rebinding.example']);
  });

  it('is refused when one of several is private', async () => {
    const { options } = rules([['93.184.215.14', '127.0.0.1']], []);
    await expect(luaHttp(request('mixed.example'), options)).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      message: expect.stringContaining('"mixed.example" resolves to 127.0.0.1, a private or reserved address'),
    });
  });

  it.each([
    [['inner.corp.example'], true],
    [['*.corp.example'], true],
    [['INNER.corp.example'], true],
    [['127.0.0.1'], true],
    [['127.0.0.*'], true],
    [['corp.example'], false],
    [['*.example.corp'], false],
    [['10.0.0.1'], false],
    [[], false],
  ])('config %j allows it: %s', async (allowedHosts, isAllowed) => {
    const { options } = rules([['127.0.0.1']], allowedHosts);
    const result = luaHttp(request('inner.corp.example'), options);
    if (isAllowed) expect((await result).status).toBe(200);
    else await expect(result).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it.each([['10.*'], ['10.*:*'], ['10.0.*.*']])(
    'config "%s" means addresses, not names that look like one',
    async (allowed) => {
      const { options } = rules([['127.0.0.1']], [allowed]);
      await expect(luaHttp(request('10.0.attacker.example'), options)).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
      });
    },
  );

  it('a port in config allows that port only', async () => {
    expect((await ask({ url: `${origin}/echo` }, [`127.0.0.1:${port}`])).status).toBe(200);
    const other = ask({ url: `${origin}/echo` }, [`127.0.0.1:${port + 1}`]);
    await expect(other).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });
});
