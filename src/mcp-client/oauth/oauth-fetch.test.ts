import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ServerDefinition } from '../../servers/server-definition.ts';
import type { HttpDefinition } from '../http/http-transport.ts';
import { createOAuthFetch } from './oauth-fetch.ts';

function definition(url: string): HttpDefinition {
  const headers = { 'X-Team': 'zoo', Authorization: 'Basic secret' };
  return ServerDefinition.parse({ transport: 'streamable-http', url, headers }) as HttpDefinition;
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

it('refuses a private address that a server on the internet names', async () => {
  let asked = 0;
  using inside = await listen((_request, response) => {
    asked += 1;
    response.end('{}');
  });
  const http = createOAuthFetch('guarded', definition('https://mcp.example.com/mcp'));
  const { port } = new URL(inside.origin);
  for (const host of [
    '127.0.0.1',
    'localhost',
    'a.localhost',
    '10.0.0.1',
    '192.168.1.1',
    '172.20.0.1',
    '169.254.169.254',
    '[::1]',
    '[fd00::1]',
    '[fe80::1]',
    '0.0.0.0',
    '2130706433',
  ]) {
    await expect(http.fetch(`http://${host}:${port}/`), host).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      message: expect.stringContaining('which is a private address'),
    });
  }
  expect(asked).toBe(0);
  http.close();
});

it('sends the headers of the definition to the server alone, and never its Authorization', async () => {
  const seen: unknown[] = [];
  const answer: RequestListener = ({ headers }, response) => {
    seen.push([headers['x-team'], headers.authorization]);
    response.end('{}');
  };
  using own = await listen(answer);
  using other = await listen(answer);
  const http = createOAuthFetch('guarded', definition(`${own.origin}/mcp`));
  await http.fetch(`${own.origin}/token`);
  await http.fetch(`${other.origin}/token`);
  expect(seen).toEqual([
    ['zoo', undefined],
    [undefined, undefined],
  ]);
  http.close();
});

it('rejects a reply that is too large', async () => {
  using endless = await listen((_request, response) => {
    const write = () => response.write('x'.repeat(65_536), write);
    write();
  });
  const http = createOAuthFetch('guarded', definition(`${endless.origin}/mcp`));
  await expect(http.fetch(`${endless.origin}/metadata`)).rejects.toMatchObject({
    message: expect.stringContaining('more than 1048576 bytes'),
  });
  http.close();
});

it('reads compressed replies with the same limit', async () => {
  using server = await listen((request, response) => {
    const size = request.url === '/large' ? 5_000_000 : 10;
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(gzipSync(JSON.stringify({ zeros: '0'.repeat(size) })));
  });
  const http = createOAuthFetch('guarded', definition(`${server.origin}/mcp`));
  const answer = await http.fetch(`${server.origin}/small`);
  expect([await answer.json(), answer.headers.get('content-encoding')]).toEqual([{ zeros: '0000000000' }, null]);
  await expect(http.fetch(`${server.origin}/large`)).rejects.toThrow('sent more than 1048576 bytes');
  http.close();
});
