import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { newTestDatabase } from '../../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores, testAgent } from '../../../test/support/databases/test-store.ts';
import { silentLogger } from '../../base/logger.ts';
import { appliedMigrations, migrate } from '../migrate.ts';
import { migrations } from '../migrations/migrations.ts';
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
  // The repetition may get its first lock before the other session does.
  expect(attempts).toBeGreaterThan(1);
  const { rows } = await admin.query("select updated_at from agents where id = 'crossed'");
  expect(rows).toEqual([{ updated_at: '7' }]);
  await database.close();
});

/** Returns the address of a database with the tables of version 0.2.0, and a connection to it. */
async function releasedDatabase(): Promise<{ url: string; db: Kysely<Tables> }> {
  const empty = await newTestDatabase('postgres', { isEmpty: true });
  const url = 'url' in empty.db ? empty.db.url : '';
  const released = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0025'));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new pg.Pool(parsePostgresUrl(url).config) }) });
  await db
    .transaction()
    .execute((transaction) => migrate(transaction, 'here', { steps: { migrations: released, contracts: {} } }));
  return { url, db };
}

it('an upgrade that waits for one table keeps nobody from the others', async () => {
  const { url: upgraded, db } = await releasedDatabase();
  const reader = new pg.Client({ connectionString: upgraded });
  await reader.connect();
  // 0039 needs this table, and the steps before it need others.
  await reader.query('begin; lock table agents in access share mode');
  const limits = { requestMs: 30_000, doubtMs: 10_000, lockMs: 80, jobMs: 60_000 };
  const query = vi.spyOn(pg.Client.prototype, 'query');
  const opening = openPostgres({ url: upgraded, logger: silentLogger, limits });
  await vi.waitFor(async () => expect((await appliedMigrations(db)).additions).toContain('0038-inbox'), {
    timeout: 20_000,
  });
  await reader.query("set lock_timeout = '100ms'");
  for (const table of ['tasks', 'leases', 'messages', 'chats'])
    await reader.query(`lock table ${table} in row exclusive mode`);
  expect((await appliedMigrations(db)).additions).not.toContain('0039-agent-tags');
  const waits = () => {
    const sent = query.mock.calls.map(([first]: unknown[]) => String(first));
    const all = sent.flatMap((text) => /^set local lock_timeout = (\d+)$/.exec(text)?.[1] ?? []);
    return all.filter((each) => each !== String(limits.jobMs)).join();
  };
  // An eighth of `lockMs`, every fourth time three quarters: usually 250 ms and 1.5 s.
  await vi.waitFor(() => expect(waits()).toContain('10,10,10,60,10,10,10,60'), { timeout: 20_000 });
  query.mockRestore();
  await reader.query('commit');
  const database = await opening;
  expect((await appliedMigrations(db)).additions).toContain('0039-agent-tags');
  await Promise.all([database.close(), reader.end(), db.destroy()]);
});

it('an upgrade that never gets a table says so, and the next start continues after the steps before it', async () => {
  const { url: upgraded, db } = await releasedDatabase();
  const reader = new pg.Client({ connectionString: upgraded });
  await reader.connect();
  await reader.query('begin; lock table agents in access share mode');
  const limits = { requestMs: 30_000, doubtMs: 10_000, lockMs: 80, jobMs: 5_000 };
  await expect(openPostgres({ url: upgraded, logger: silentLogger, limits })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('another session kept one of them locked'),
  });
  const { additions } = await appliedMigrations(db);
  expect(additions).toContain('0038-inbox');
  expect(additions).not.toContain('0039-agent-tags');
  await reader.query('commit');
  const database = await openPostgres({ url: upgraded, logger: silentLogger });
  const after = await appliedMigrations(db);
  expect(after.additions.slice(0, additions.length)).toEqual(additions);
  expect([...after.migrations, ...after.additions].toSorted()).toEqual(Object.keys(migrations));
  await Promise.all([database.close(), reader.end(), db.destroy()]);
});

it('two processes upgrade a database at once, and each step runs once', async () => {
  const { url: upgraded, db } = await releasedDatabase();
  const open = () => openPostgres({ url: upgraded, logger: silentLogger });
  const opened = await Promise.all([open(), open()]);
  const { migrations: before, additions } = await appliedMigrations(db);
  expect([...before, ...additions].toSorted()).toEqual(Object.keys(migrations));
  for (const [index, database] of opened.entries()) {
    await database.write(({ changed }) => Promise.resolve(changed('members', `member-${index}`)));
    await database.probe();
  }
  await Promise.all([...opened.map((database) => database.close()), db.destroy()]);
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
