import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { openPostgresProxy } from '../../../test/support/databases/postgres-proxy.ts';
import { newTestDatabase } from '../../../test/support/databases/test-database.ts';
import { parsePostgresUrl } from './postgres-address.ts';
import { notifyText, PostgresListener } from './postgres-listener.ts';

test('a connection that went silent is closed and replaced, and proves itself again', async () => {
  const { db } = await newTestDatabase('postgres');
  const url = 'url' in db ? db.url : '';
  const proxy = await openPostgresProxy(url);
  const sender = new pg.Client({ connectionString: url });
  await sender.connect();
  const states: boolean[] = [];
  const { location, config } = parsePostgresUrl(proxy.url);
  const listener = new PostgresListener({
    addresses: [{ location, config: { ...config, connectionTimeoutMillis: 300 } }],
    notify: (channel, notice) => sender.query(notifyText, [channel, notice]),
    onNotice: vi.fn(),
    onChange: () => states.push(listener.isProven),
    silentMs: 200,
  });
  await listener.open();
  await expect.poll(() => states).toEqual([true]);
  proxy.goSilent();
  await expect(listener.query('select 1', [])).rejects.toThrow(/timeout/);
  expect(states).toEqual([true, false]);
  expect(listener.problem).toMatch(/does not reply/);
  proxy.heal();
  await expect.poll(() => states.at(-1)).toBe(true);
  expect(await listener.query('select 1 as one', [])).toEqual([{ one: 1 }]);
  await listener.close();
  await sender.end();
  await proxy.close();
});
