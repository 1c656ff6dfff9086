import { Agent, createServer, type RequestListener } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { readCapped, sendRequest } from './http-request.ts';

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
  /** Answers the first request of a connection; with the second it is gone, as after a time limit of the server. */
  const once = (): RequestListener => {
    const seen = new WeakSet<Socket>();
    return (request, response) => {
      if (seen.has(request.socket)) return void request.socket.resetAndDestroy();
      seen.add(request.socket);
      request.pipe(response);
    };
  };

  it('that may arrive twice is sent again when its kept connection is gone', async () => {
    const { send, sockets } = await serve(once());
    for (let call = 1; call <= 3; call += 1) {
      expect(await readCapped(await send({ mayRepeat: true }), 100)).toBe('Zoë');
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(sockets).toHaveLength(3);
  });

  it('that may not fails then, and is not sent again', async () => {
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

  it('ends with its signal, also while its body comes', async () => {
    const { send } = await serve((_, response) => void response.write('part'));
    const abort = new AbortController();
    const incoming = await send({ signal: abort.signal });
    const reading = readCapped(incoming, 100);
    abort.abort();
    await expect(reading).rejects.toThrow();
  });

  it('has an answer of at most so many bytes', async () => {
    const { send } = await serve((_, response) => void response.end('12345'));
    expect(await readCapped(await send(), 5)).toBe('12345');
    expect(await readCapped(await send(), 4)).toBeNull();
  });
});
