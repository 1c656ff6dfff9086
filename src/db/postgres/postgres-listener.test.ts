import { expect, test, vi } from 'vitest';
import { openPostgresProxy } from '../../../test/support/databases/postgres-proxy.ts';
import { newTestDatabase } from '../../../test/support/databases/test-database.ts';
import { silentLogger } from '../../base/logger.ts';
import { PostgresListener } from './postgres-listener.ts';

test('a connection that went silent is closed and replaced', async () => {
  const { db } = await newTestDatabase('postgres');
  const proxy = await openPostgresProxy('url' in db ? db.url : '');
  const onLost = vi.fn();
  const onConnected = vi.fn(async () => {});
  const listener: PostgresListener = new PostgresListener({
    config: { connectionString: proxy.url, connectionTimeoutMillis: 300 },
    logger: silentLogger,
    onNotice: () => {},
    onConnected,
    onBeat: () => listener.query('select 1'),
    onLost,
    beatMs: 200,
    silentMs: 200,
  });
  await listener.connect();
  expect(onConnected).toHaveBeenCalledOnce();
  proxy.goSilent();
  await expect.poll(() => onLost.mock.calls.length).toBeGreaterThanOrEqual(1);
  proxy.heal();
  await expect.poll(() => onConnected.mock.calls.length).toBeGreaterThanOrEqual(2);
  await listener.close();
  await proxy.close();
});
