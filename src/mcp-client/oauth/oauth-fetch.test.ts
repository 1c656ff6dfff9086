import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ServerDefinition } from '../../servers/server-definition.ts';
import type { HttpDefinition } from '../http/http-transport.ts';
import { checkSignInPage, createOAuthFetch } from './oauth-fetch.ts';

function definition(url: string, oauth: { allowHosts?: string[] } = {}): HttpDefinition {
  const headers = { 'X-Team': 'zoo', Authorization: 'Basic secret' };
  const auth = { type: 'oauth', ...oauth };
  return ServerDefinition.parse({ transport: 'streamable-http', url, headers, auth }) as HttpDefinition;
}

async function listen(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('an address that a server on the internet names for signing in', () => {
  const remote = definition('https://mcp.example.com/mcp');

  it.each([
    '127.0.0.1',
    'localhost',
    'a.localhost',
    '10.0.0.1',
    '192.168.1.1',
    '172.20.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '224.0.0.1',
    '[::1]',
    '[fd00::1]',
    '[fe80::1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::a00:1]',
    '0.0.0.0',
    '2130706433',
  ])('is refused if it is private: %s', async (host) => {
    let asked = 0;
    using inside = await listen((_request, response) => {
      asked += 1;
      response.end('{}');
    });
    const { port } = new URL(inside.origin);
    await expect(createOAuthFetch('guarded', remote)(`http://${host}:${port}/`)).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      message: expect.stringMatching(/Server "guarded" names .* for signing in, and .* a private or reserved address/),
    });
    expect(asked).toBe(0);
  });

  it('is refused if its name resolves to a private address, even to one that resolved to a public one before', async () => {
    const answers = ['93.184.215.14', '127.0.0.1'];
    const lookup = async () => [{ address: answers.shift() ?? '', family: 4 }];
    await lookup();
    const fetch = createOAuthFetch('guarded', remote, { lookup });
    await expect(fetch('https://auth.example.com/')).rejects.toThrow('"auth.example.com" resolves to 127.0.0.1');
  });

  it('is called at the address that was checked, and resolved once', async () => {
    using inside = await listen((_request, response) => response.end('{}'));
    const asked: string[] = [];
    const lookup = async (host: string) => {
      asked.push(host);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const allowed = definition('https://mcp.example.com/mcp', { allowHosts: ['auth.example.com'] });
    const { port } = new URL(inside.origin);
    await createOAuthFetch('guarded', allowed, { lookup })(`http://auth.example.com:${port}/`);
    expect(asked).toEqual(['auth.example.com']);
  });
});

it('a page for the browser is checked by the same rules', async () => {
  const { signal } = new AbortController();
  const check = (server: string, page: string) =>
    checkSignInPage('guarded', definition(server), { url: new URL(page), signal, lookup: async () => [] });
  await check('https://mcp.example.com/mcp', 'https://auth.example.com/authorize');
  await check('http://127.0.0.1:3000/mcp', 'http://127.0.0.1:9000/authorize');
  for (const page of ['http://127.0.0.1:7331/api', 'http://192.168.0.1/reboot', 'http://[::1]/']) {
    await expect(check('https://mcp.example.com/mcp', page)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  }
});

it('a redirect is returned, not followed', async () => {
  let asked = 0;
  using other = await listen((_request, response) => {
    asked += 1;
    response.end();
  });
  using own = await listen((_request, response) => response.writeHead(302, { location: other.origin }).end());
  const response = await createOAuthFetch('guarded', definition(`${own.origin}/mcp`))(own.origin);
  expect([response.status, asked]).toEqual([302, 0]);
});

describe('a server that was added at a private address', () => {
  const lookup = async () => [{ address: '10.0.0.9', family: 4 }];

  it('may sign in at another port of the same machine, whatever it is called', async () => {
    using own = await listen((_request, response) => response.end('{}'));
    using other = await listen((_request, response) => response.end('{}'));
    const { port } = new URL(other.origin);
    for (const host of ['127.0.0.1', 'localhost']) {
      const response = await createOAuthFetch('local', definition(`${own.origin}/mcp`))(`http://${host}:${port}/`);
      expect(response.status).toBe(200);
    }
  });

  it.each([
    ['http://127.0.0.1:3000/mcp', 'http://169.254.169.254/'],
    ['http://127.0.0.1:3000/mcp', 'http://10.0.0.1/'],
    ['http://192.168.1.5:3000/mcp', 'http://127.0.0.1:8500/'],
    ['http://192.168.1.5:3000/mcp', 'http://192.168.1.1/'],
    ['https://mcp.corp.example/mcp', 'http://mcp.corp.example:8500/'],
    ['https://mcp.corp.example/mcp', 'https://sign-in.corp.example/'],
  ])('at %s cannot send the hub to %s', async (server, target) => {
    await expect(createOAuthFetch('local', definition(server), { lookup })(target)).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });

  it('is told how to allow a sign-in server of its own network', async () => {
    const server = definition('https://mcp.corp.example/mcp');
    await expect(createOAuthFetch('local', server, { lookup })('https://sign-in.corp.example/')).rejects.toThrow(
      'add allow_hosts = ["sign-in.corp.example"] to the "auth" of the server',
    );
  });
});

it('sends the headers of the definition to the server alone, and never its Authorization', async () => {
  const seen: unknown[] = [];
  const answer: RequestListener = ({ headers }, response) => {
    seen.push([headers['x-team'], headers.authorization]);
    response.end('{}');
  };
  using own = await listen(answer);
  using other = await listen(answer);
  const fetch = createOAuthFetch('guarded', definition(`${own.origin}/mcp`));
  await fetch(`${own.origin}/token`);
  await fetch(`${other.origin}/token`);
  expect(seen).toEqual([
    ['zoo', undefined],
    [undefined, undefined],
  ]);
});

it('rejects a reply that is too large', async () => {
  using endless = await listen((_request, response) => {
    const write = () => response.write('x'.repeat(65_536), write);
    write();
  });
  const fetch = createOAuthFetch('guarded', definition(`${endless.origin}/mcp`));
  await expect(fetch(`${endless.origin}/metadata`)).rejects.toMatchObject({
    message: expect.stringContaining('is larger than 1 MB'),
  });
});

it('reads compressed replies with the same limit', async () => {
  using server = await listen((request, response) => {
    const size = request.url === '/large' ? 5_000_000 : 10;
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(gzipSync(JSON.stringify({ zeros: '0'.repeat(size) })));
  });
  const fetch = createOAuthFetch('guarded', definition(`${server.origin}/mcp`));
  const answer = await fetch(`${server.origin}/small`);
  expect([await answer.json(), answer.headers.get('content-encoding')]).toEqual([{ zeros: '0000000000' }, null]);
  await expect(fetch(`${server.origin}/large`)).rejects.toThrow('is larger than 1 MB');
});
