import { Agent, createServer, type RequestListener } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { readCapped, sendRequest, unpackedBody } from './http-request.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function serve(listener: RequestListener) {
  const sockets: Socket[] = [];
  const server = createServer(listener);
  server.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agents = { http: new Agent({ keepAlive: true }), https: new HttpsAgent() };
  closers.push(() => {
    agents.http.destroy();
    server.closeAllConnections();
    server.close();
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const send = (more: { mayRepeat?: boolean; signal?: AbortSignal } = {}) =>
    sendRequest({ url, method: 'POST', headers: {}, body: 'Zoë', agents, ...more });
  return { send, sockets };
}

describe('a request', () => {
  /** Replies to the first request of a connection and closes it at the second, as a server does after its idle timeout. */
  const once = (): RequestListener => {
    const seen = new WeakSet<Socket>();
    return (request, response) => {
      if (seen.has(request.socket)) return void request.socket.resetAndDestroy();
      seen.add(request.socket);
      request.pipe(response);
    };
  };

  it('that may arrive twice is sent again if the reused connection was closed', async () => {
    const { send, sockets } = await serve(once());
    for (let call = 1; call <= 3; call += 1) {
      expect(await readCapped(await send({ mayRepeat: true }), 100)).toBe('Zoë');
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(sockets).toHaveLength(3);
  });

  it('that may not arrive twice fails instead', async () => {
    const { send, sockets } = await serve(once());
    expect(await readCapped(await send(), 100)).toBe('Zoë');
    await new Promise((resolve) => setImmediate(resolve));
    await expect(send()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(sockets).toHaveLength(1);
  });

  it('on a new connection that breaks is not sent again', async () => {
    const { send, sockets } = await serve((request) => request.socket.resetAndDestroy());
    await expect(send({ mayRepeat: true })).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(sockets).toHaveLength(1);
  });

  it('is not sent again if a reused connection breaks in the middle of the reply', async () => {
    let requests = 0;
    const { send, sockets } = await serve((request, response) => {
      requests += 1;
      if (requests === 1) return void request.pipe(response);
      response.write('part', () => request.socket.resetAndDestroy());
    });
    expect(await readCapped(await send({ mayRepeat: true }), 100)).toBe('Zoë');
    await new Promise((resolve) => setImmediate(resolve));
    await expect(readCapped(await send({ mayRepeat: true }), 100)).rejects.toMatchObject({ code: 'ECONNRESET' });
    // A repeated request would arrive before this one.
    await expect(send().then((incoming) => readCapped(incoming, 100))).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(requests).toBe(3);
    expect(sockets).toHaveLength(2);
  });

  it('ends when its signal aborts, even while its body arrives', async () => {
    const { send } = await serve((_, response) => void response.write('part'));
    const abort = new AbortController();
    const incoming = await send({ signal: abort.signal });
    const reading = readCapped(incoming, 100);
    abort.abort();
    await expect(reading).rejects.toThrow();
  });

  it.each([
    ['gzip', gzipSync('Zoë')],
    ['deflate', deflateSync('Zoë')],
    ['BR', brotliCompressSync('Zoë')],
    ['zstd', zstdCompressSync('Zoë')],
    ['identity', Buffer.from('Zoë')],
  ])('decompresses a reply that was compressed without being asked (%s)', async (encoding, packed) => {
    const wanted: unknown[] = [];
    const { send } = await serve((request, response) => {
      wanted.push(request.headers['accept-encoding']);
      response.writeHead(200, { 'content-encoding': encoding }).end(packed);
    });
    expect(await readCapped(await unpackedBody(await send()), 4)).toBe('Zoë');
    expect(await readCapped(await unpackedBody(await send()), 3)).toBeNull();
    expect(wanted).toEqual(['identity', 'identity']);
  });

  it('fails if the reply cannot be decompressed', async () => {
    const { send } = await serve(
      (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('no'),
    );
    await expect(readCapped(await unpackedBody(await send()), 100)).rejects.toThrow();
    const { send: other } = await serve(
      (_, response) => void response.writeHead(200, { 'content-encoding': 'x' }).end(),
    );
    await expect(unpackedBody(await other())).rejects.toThrow('unknown compression (x)');
  });

  it('limits the size of the reply', async () => {
    const { send } = await serve((_, response) => void response.end('12345'));
    expect(await readCapped(await send(), 5)).toBe('12345');
    expect(await readCapped(await send(), 4)).toBeNull();
  });
});
