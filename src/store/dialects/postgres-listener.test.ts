import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { newTestDatabase } from '../../../test/support/test-database.ts';
import { silentLogger } from '../../base/logger.ts';
import { PostgresListener } from './postgres-listener.ts';

/** A way to the database that can go silent without ending a connection, as a network does that forgot it. */
async function openProxy(target: URL) {
  const pairs: [Socket, Socket][] = [];
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) socket.on('error', () => {});
    near.pipe(far);
    far.pipe(near);
    pairs.push([near, far]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    goSilent() {
      for (const [near, far] of pairs) {
        near.unpipe(far).resume();
        far.unpipe(near).resume();
      }
    },
    close() {
      for (const socket of pairs.flat()) socket.destroy();
      server.close();
    },
  };
}

test('a connection that went silent is given up, and a new one takes its place', async () => {
  const { db } = await newTestDatabase('postgres');
  const proxy = await openProxy(new URL('url' in db ? db.url : ''));
  const onLost = vi.fn();
  const onConnected = vi.fn(async () => {});
  const listener = new PostgresListener({
    config: { connectionString: proxy.url },
    logger: silentLogger,
    onNotice: () => {},
    onConnected,
    onLost,
    heartbeatMs: 200,
  });
  await listener.connect();
  expect(onConnected).toHaveBeenCalledOnce();
  proxy.goSilent();
  await expect.poll(() => onLost.mock.calls.length).toBeGreaterThanOrEqual(1);
  await expect.poll(() => onConnected.mock.calls.length).toBeGreaterThanOrEqual(2);
  await listener.close();
  proxy.close();
});
