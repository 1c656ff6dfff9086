import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openTestStores, type TestStores, testAgent } from '../../../test/support/databases/test-store.ts';
import { silentLogger } from '../../base/logger.ts';
import type { Tables } from '../tables.ts';
import { openPostgres } from './postgres.ts';
import { parsePostgresUrl } from './postgres-address.ts';

let stores: TestStores;
let url: string;
let admin: pg.Client;
beforeAll(async () => {
  stores = await openTestStores('postgres');
  url = 'url' in stores.db ? stores.db.url : '';
  admin = new pg.Client({ connectionString: url });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await stores.remove();
});

it('reconnects to a server that drops every connection, and finds the changes made meanwhile', async () => {
  const { store, other } = stores;
  await store.agents.create(testAgent('before'));
  await other.agents.source.snapshot();
  let reports = 0;
  const stop = other.agents.source.watch?.(() => {
    reports += 1;
  });
  await admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await vi.waitFor(() => store.agents.create(testAgent('after')), { timeout: 20_000 });
  // The change arrives through the listener, or is read because the listener is away: the next snapshot has it either way.
  await vi.waitFor(async () => {
    const { entries } = await other.agents.source.snapshot();
    expect(entries.map((entry) => entry.agent.id)).toEqual(['after', 'before']);
  });
  await vi.waitFor(() => expect(reports).toBeGreaterThan(0), { timeout: 20_000 });
  const seen = reports;
  await store.agents.create(testAgent('later'));
  await vi.waitFor(() => expect(reports).toBeGreaterThan(seen), { timeout: 20_000 });
  stop?.();
});

it('a transaction that is ended by a deadlock is repeated', async () => {
  await admin.query(`alter database ${admin.database} set deadlock_timeout = 50`);
  // The store's session must detect the deadlock and be the one that is ended.
  await admin.query("set deadlock_timeout = '1h'");
  const limits = { requestMs: 30_000, doubtMs: 10_000, lockMs: 30_000, jobMs: 60_000 };
  const database = await openPostgres({ url, logger: silentLogger, limits });
  await stores.store.agents.create(testAgent('crossed'));
  await database.write(({ bump }) => bump('servers'));
  await admin.query('begin');
  await admin.query("select * from agents where id = 'crossed' for update");
  let attempts = 0;
  let crossing: Promise<unknown> | undefined;
  await database.write(async ({ db, bump }) => {
    attempts += 1;
    await bump('servers');
    crossing ??= admin
      .query("update revisions set value = value where key = 'servers'")
      .then(() => admin.query('commit'));
    if (attempts === 1) await vi.waitFor(async () => expect(await waitingSessions(db)).toBe(1), { timeout: 20_000 });
    await db.updateTable('agents').set({ updated_at: 7 }).where('id', '=', 'crossed').execute();
  });
  await crossing;
  expect(attempts).toBe(2);
  const { rows } = await admin.query("select updated_at from agents where id = 'crossed'");
  expect(rows).toEqual([{ updated_at: '7' }]);
  await database.close();
});

/** Counts the sessions of this database that wait for a lock. */
async function waitingSessions(db: Kysely<Tables>): Promise<number> {
  const found = await sql`
    select 1 from pg_locks where not granted
    and pid in (select pid from pg_stat_activity where datname = current_database())`.execute(db);
  return found.rows.length;
}

it.each([
  ['postgres://me:secret@db.example:6543/zoo', 'db.example:6543/zoo'],
  ['postgresql://me:secret@db.example/zoo?sslmode=disable', 'db.example/zoo'],
  ['postgres://me:secret@[::1]:5432/zoo', '[::1]:5432/zoo'],
])('%s is shown with host and database only', (url, location) => {
  expect(parsePostgresUrl(url).location).toBe(location);
});
