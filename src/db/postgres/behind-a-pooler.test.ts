import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openPostgresPooler, type PostgresPooler } from '../../../test/support/databases/postgres-pooler.ts';
import { newTestDatabase } from '../../../test/support/databases/test-database.ts';
import { silentLogger } from '../../base/logger.ts';
import type { Change } from '../change-bus.ts';
import type { Database } from '../database.ts';
import { openPostgres } from './postgres.ts';

let url: string;
let pooler: PostgresPooler;
let opened: Database[];
beforeEach(async () => {
  const { db } = await newTestDatabase('postgres');
  url = 'url' in db ? db.url : '';
  pooler = await openPostgresPooler(url);
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((database) => database.close()));
  await pooler.close();
});

async function open(options: Partial<Parameters<typeof openPostgres>[0]> = {}): Promise<Database> {
  const database = await openPostgres({ url: pooler.url, logger: silentLogger, ...options });
  opened.push(database);
  return database;
}

function changesOf(database: Database): Change[] {
  const told: Change[] = [];
  database.changes.on((change) => told.push(change));
  return told;
}

const announce = (database: Database, ...ids: string[]) =>
  database.write(async ({ changed }) => changed('members', ...ids));

describe('behind a pooler in transaction mode', () => {
  it('the hub says that notices do not arrive, and finds changes by looking', async () => {
    const warn = vi.fn();
    const [here, there] = [await open(), await open({ logger: { ...silentLogger, warn } })];
    const problems = vi.fn();
    there.changes.arrival?.watch(problems);
    await there.changes.arrival?.check();
    expect(there.changes.arrival).toMatchObject({ way: 'poll', problem: expect.stringContaining('[db] listen_url') });
    expect(problems).toHaveBeenCalledOnce();
    expect(warn.mock.calls.map(([, words]) => words)).toEqual([there.changes.arrival?.problem]);
    const told = changesOf(there);
    const before = there.changes.version('members');
    await announce(here, 'revoked');
    await expect.poll(() => told, { timeout: 20_000 }).toEqual([{ topic: 'members', ids: ['revoked'] }]);
    expect(there.changes.version('members')).not.toBe(before);
  });

  it('notices arrive through [db] listen_url', async () => {
    const [here, there] = [await open({ listenUrl: url }), await open({ listenUrl: url })];
    for (const each of [here, there]) await each.changes.arrival?.check();
    expect(there.changes.arrival).toMatchObject({ way: 'listen', problem: undefined });
    const told = changesOf(there);
    await announce(here, 'revoked');
    await expect.poll(() => told).toEqual([{ topic: 'members', ids: ['revoked'] }]);
  });

  it('a listen_url that leads elsewhere is reported', async () => {
    const { db } = await newTestDatabase('postgres');
    const database = await open({ listenUrl: 'url' in db ? db.url : '' });
    await database.changes.arrival?.check();
    await expect
      .poll(() => database.changes.arrival?.problem, { timeout: 20_000 })
      .toContain('Correct [db] listen_url');
  });

  it('the hub listens as soon as the pooler gives it a connection of its own', async () => {
    const database = await open();
    await database.changes.arrival?.check();
    expect(database.changes.arrival?.way).toBe('poll');
    pooler.mode = 'session';
    // As the hub does every half minute.
    await database.changes.arrival?.check();
    expect(database.changes.arrival).toMatchObject({ way: 'listen', problem: undefined });
  });

  it('statements work without a session: prepared ones, transactions with their limits, and many at once', async () => {
    const database = await open({ limits: { requestMs: 30_000, doubtMs: 10_000, lockMs: 2_000, jobMs: 60_000 } });
    const numbers = await Promise.all(
      Array.from({ length: 60 }, (_, value) =>
        database.select<{ value: number }>({ name: 'same', text: 'select $1::int as value', values: [value] }),
      ),
    );
    expect(numbers.map(([row]) => row?.value)).toEqual(Array.from({ length: 60 }, (_, value) => value));
    const setting = (name: string) => `current_setting('${name}')`;
    const limits = await database.write(async ({ db }) =>
      db
        .selectNoFrom((each) => [
          each.fn<string>('current_setting', [each.val('lock_timeout')]).as('lock'),
          each.fn<string>('current_setting', [each.val('statement_timeout')]).as('statement'),
        ])
        .executeTakeFirst(),
    );
    expect(limits).toEqual({ lock: '2s', statement: '1min' });
    // Nothing is left behind for the next user of the connection.
    const direct = new pg.Client({ connectionString: pooler.url });
    await direct.connect();
    for (const _ of [1, 2, 3, 4]) {
      const { rows } = await direct.query(
        `select ${setting('lock_timeout')} as lock, ${setting('synchronous_commit')} as sync`,
      );
      expect(rows).toEqual([{ lock: '0', sync: 'on' }]);
    }
    await direct.end();
  });

  it('prepared statements that a pooler loses are given up, if nothing else shows that there is one', async () => {
    const database = await open({ prepare: true });
    const values = Array.from({ length: 20 }, (_, value) => value);
    const read = (value: number) =>
      database.select<{ value: number }>({ name: 'same', text: 'select $1::int as value', values: [value] });
    for (const value of values) expect(await read(value)).toEqual([{ value }]);
  });

  it('a statement that nobody waits for any more is cancelled', async () => {
    const limits = { requestMs: 1_000, doubtMs: 500, lockMs: 500, jobMs: 10_000 };
    const database = await open({ limits });
    const sleeping = database.read((db) =>
      db.selectNoFrom((each) => each.fn('pg_sleep', [each.val(600)]).as('x')).execute(),
    );
    await expect(sleeping).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    const running =
      "select 1 from pg_stat_activity where datname = current_database() and query like '%pg_sleep%' and state = 'active' and pid <> pg_backend_pid()";
    await expect.poll(async () => (await admin.query(running)).rows, { timeout: 20_000 }).toEqual([]);
    await admin.end();
  });
});

it('behind a pooler in session mode, notices arrive', async () => {
  pooler.mode = 'session';
  const [here, there] = [await open(), await open()];
  for (const each of [here, there]) await each.changes.arrival?.check();
  expect(there.changes.arrival).toMatchObject({ way: 'listen', problem: undefined });
  const [own, told] = [changesOf(here), changesOf(there)];
  await announce(here, 'one');
  await expect.poll(() => told).toEqual([{ topic: 'members', ids: ['one'] }]);
  expect(own).toEqual(told);
});
