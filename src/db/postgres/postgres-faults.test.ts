import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDatabase, type RunningPostgres, startPostgres } from '../../../test/support/databases/postgres.ts';
import { openPostgresProxy, type PostgresProxy } from '../../../test/support/databases/postgres-proxy.ts';
import { newTestDatabase } from '../../../test/support/databases/test-database.ts';
import { silentLogger } from '../../base/logger.ts';
import type { Database } from '../database.ts';
import { openPostgres } from './postgres.ts';

/** Realistic limits, but shorter. */
const limits = { requestMs: 2_000, doubtMs: 500, lockMs: 500, jobMs: 10_000 };

const addAgent = (database: Database, id: string) =>
  database.write(({ db }) => db.insertInto('agents').values(agentRow(id)).execute());
const agentIds = (database: Database) =>
  database.read(async (db) => (await db.selectFrom('agents').select('id').orderBy('id').execute()).map(({ id }) => id));

describe('a PostgreSQL that fails', () => {
  let admin: pg.Client;
  let proxy: PostgresProxy;
  let database: Database;
  beforeEach(async () => {
    const { db } = await newTestDatabase('postgres');
    const url = 'url' in db ? db.url : '';
    admin = new pg.Client({ connectionString: url });
    await admin.connect();
    proxy = await openPostgresProxy(url);
    database = await openPostgres({ url: proxy.url, logger: silentLogger, limits });
  });
  afterEach(async () => {
    await database.close();
    await proxy.close();
    await admin.end();
  });
  const dropConnections = () =>
    admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
  const back = () => vi.waitFor(() => addAgent(database, 'back'));
  /** On a busy machine, a healthy server may be late, too. */
  const reads = (times: number) =>
    vi.waitFor(() => Promise.all(Array.from({ length: times }, () => agentIds(database))));

  it('if the backend is terminated in a transaction, the write fails and has no effect', async () => {
    const failing = database.write(async ({ db }) => {
      await db.insertInto('agents').values(agentRow('lost')).execute();
      await dropConnections();
      // Long enough for the end of the connection to arrive while no statement runs.
      await new Promise((resolve) => setTimeout(resolve, 50));
      await db.selectFrom('agents').select('id').execute();
    });
    await expect(failing).rejects.toMatchObject({ code: 'TRANSIENT_ERROR', details: { mayHaveRun: false } });
    await back();
    expect(await agentIds(database)).toEqual(['back']);
  });

  it('if the connection is reset in a transaction, the write fails and has no effect', async () => {
    const failing = database.write(async ({ db }) => {
      await db.insertInto('agents').values(agentRow('lost')).execute();
      proxy.reset();
      await db.selectFrom('agents').select('id').execute();
    });
    await expect(failing).rejects.toMatchObject({ code: 'TRANSIENT_ERROR', details: { mayHaveRun: false } });
    await expect(addAgent(database, 'lost')).rejects.toMatchObject({ code: 'TRANSIENT_ERROR' });
    proxy.heal();
    await back();
    expect(await agentIds(database)).toEqual(['back']);
  });

  it('if the connection is lost during the commit, the error says that the outcome is unknown', async () => {
    proxy.onSent((bytes) => {
      if (bytes.includes('commit')) proxy.swallowReplies();
    });
    const failing = addAgent(database, 'perhaps');
    await expect(failing).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { mayHaveRun: true } });
    await expect(failing).rejects.toThrow(/may have been stored/);
    proxy.onSent(() => {});
    proxy.heal();
    await back();
    expect(await agentIds(database)).toEqual(['back', 'perhaps']);
  });

  it('if the network drops everything, reads and writes time out, and later ones wait less', async () => {
    await reads(10);
    proxy.goSilent();
    await expect(agentIds(database)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(addAgent(database, 'lost')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const select = database.select({ name: 'one', text: 'select 1', values: [] });
    await expect(select).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    proxy.heal();
    await back();
    // None of the ten silent connections is used again.
    expect(await reads(10)).toEqual(Array.from({ length: 10 }, () => ['back']));
  });

  it.each([
    ['drops everything', 'goSilent'],
    ['resets every connection', 'reset'],
  ] as const)(
    'if the network %s, the next check fails, although the last one has just succeeded',
    async (_how, fail) => {
      await vi.waitFor(() => database.probe());
      proxy[fail]();
      await expect(database.probe()).rejects.toMatchObject({ code: expect.stringMatching(/UNAVAILABLE|TRANSIENT/) });
      proxy.heal();
      await vi.waitFor(() => database.probe(), { timeout: 20_000 });
    },
  );

  it('a check repeats no statement on a connection that takes writes', async () => {
    await vi.waitFor(() => database.probe());
    const asked = async () => {
      const { rows } = await admin.query(`select pid, query_start::text from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and query like '%transaction_read_only%'`);
      return rows;
    };
    const before = await asked();
    for (const _ of [1, 2, 3]) await database.probe();
    // A connection that does something else meanwhile no longer shows what was asked.
    expect(before).toEqual(expect.arrayContaining(await asked()));
  });

  it('if a table is locked, the caller gets an error, and the connection stays usable', async () => {
    await admin.query('begin; lock table agents in access exclusive mode');
    const failing = addAgent(database, 'locked-out');
    await expect(failing).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { mayHaveRun: false } });
    await expect(failing).rejects.toThrow(/locked by another session \(55P03\)/);
    await admin.query('rollback');
    await addAgent(database, 'back');
  });

  it('a statement that never ends is abandoned, and cancelled on the server', async () => {
    await admin.query(`create function stuck() returns trigger language plpgsql as
      $$ begin perform pg_sleep(600); return new; end $$`);
    await admin.query('create trigger stuck before insert on agents for each row execute function stuck()');
    await expect(addAgent(database, 'stuck')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await vi.waitFor(async () => {
      const { rows } = await admin.query(
        "select 1 from pg_stat_activity where datname = current_database() and state = 'active' and pid <> pg_backend_pid()",
      );
      expect(rows).toEqual([]);
    });
    await admin.query('drop trigger stuck on agents');
    await back();
    expect(await agentIds(database)).toEqual(['back']);
  });

  it('a slow statement does not shorten the time limit of the next ones', async () => {
    const patient = { requestMs: 8_000, doubtMs: 1_500, lockMs: 1_000, jobMs: 10_000 };
    const slow = await openPostgres({ url: proxy.url, logger: silentLogger, limits: patient });
    const sleepFor = (seconds: number) =>
      slow.read((db) => db.selectNoFrom((each) => each.fn('pg_sleep', [each.val(seconds)]).as('x')).execute());
    await expect(sleepFor(60)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(sleepFor(2)).resolves.toHaveLength(1);
    await slow.close();
  });

  it.each([
    ['transaction_timeout', '25P04'],
    ['idle_in_transaction_session_timeout', undefined],
  ])('a transaction that the server ends by its %s fails with a temporary error', async (setting, code) => {
    await admin.query(`alter database ${admin.database} set ${setting} = 300`);
    await dropConnections();
    await back();
    const failing = database.write(async ({ db }) => {
      await db.insertInto('agents').values(agentRow('lost')).execute();
      // The server ends a session that waits for its client; the error arrives while no statement runs.
      if (code === undefined) await endOfSession();
      else await db.selectNoFrom((each) => each.fn('pg_sleep', [each.val(60)]).as('x')).execute();
      await db.selectFrom('agents').select('id').execute();
    });
    const message = expect.stringContaining(code ?? 'was lost');
    await expect(failing).rejects.toMatchObject({ code: 'TRANSIENT_ERROR', message, details: { mayHaveRun: false } });
    expect(await reads(1)).toEqual([['back']]);
  });

  /** Resolves when no session of the hub is idle in a transaction. */
  const endOfSession = () =>
    vi.waitFor(async () => {
      const { rows } = await admin.query(
        "select 1 from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
      );
      expect(rows).toEqual([]);
    });

  it('a statement that the server cancels (57014) fails with a temporary error', async () => {
    const writing = database.write(({ db }) =>
      db.selectNoFrom((each) => each.fn('pg_sleep', [each.val(60)]).as('x')).execute(),
    );
    // Awaited from the start, because it may fail before the cancelling statement has its reply.
    const failing = expect(writing).rejects.toMatchObject({
      code: 'TRANSIENT_ERROR',
      message: expect.stringContaining('57014'),
    });
    await vi.waitFor(async () => {
      const { rows } = await admin.query(
        "select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and query like '%pg_sleep%' and pid <> pg_backend_pid()",
      );
      expect(rows).not.toEqual([]);
    });
    await failing;
  });

  it('after the server was read-only, the hub writes again on new connections as soon as it can', async () => {
    await admin.query(`alter database ${admin.database} set default_transaction_read_only = on`);
    await dropConnections();
    await vi.waitFor(async () => {
      const failure = await addAgent(database, 'refused').catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'TRANSIENT_ERROR', message: expect.stringContaining('25006') });
    });
    await admin.query('set default_transaction_read_only = off');
    await admin.query(`alter database ${admin.database} set default_transaction_read_only = off`);
    await back();
  });

  it('if there are too many connections, a caller without one gets an error', async () => {
    const name = `limited_${crypto.randomUUID().replaceAll('-', '')}`;
    await admin.query(`create role ${name} login password 'x' connection limit 3`);
    await admin.query(`grant all on schema public to ${name}; grant all on all tables in schema public to ${name}`);
    const url = new URL(proxy.url);
    url.username = name;
    url.password = 'x';
    await admin.query(`reassign owned by zoo to ${name}`).catch(() => {});
    const limited = await openPostgres({ url: url.href, logger: silentLogger, limits });
    const waiting = Array.from({ length: 6 }, () =>
      limited.read((db) => db.selectNoFrom((each) => each.fn('pg_sleep', [each.val(0.1)]).as('x')).execute()),
    );
    const refused = (await Promise.allSettled(waiting)).filter((each) => each.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused)
      expect(reason).toMatchObject({ code: 'TRANSIENT_ERROR', message: expect.stringContaining('53300') });
    await limited.close();
  });
});

describe('a PostgreSQL that is told to take no writes, or killed', () => {
  let server: RunningPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  it('is noticed when it is told to take no writes, and when it takes them again', async () => {
    const url = await createDatabase(server.url);
    const database = await openPostgres({ url, logger: silentLogger });
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await database.probe();
    await admin.query('alter system set default_transaction_read_only = on');
    await admin.query('select pg_reload_conf()');
    await vi.waitFor(() => expect(database.probe()).rejects.toThrow(/is read-only/), { timeout: 20_000 });
    await admin.query('alter system reset default_transaction_read_only');
    await admin.query('select pg_reload_conf()');
    await vi.waitFor(() => database.probe(), { timeout: 20_000 });
    await Promise.all([database.close(), admin.end()]);
  });

  it('loses no acknowledged write, and is used again as soon as it is back', async () => {
    const database = await openPostgres({ url: await createDatabase(server.url), logger: silentLogger });
    const acknowledged: string[] = [];
    const codes = new Set<unknown>();
    let isOver = false;
    const writer = async (name: string) => {
      for (let count = 0; !isOver; count += 1) {
        const id = `${name}-${count}`;
        try {
          await addAgent(database, id);
          acknowledged.push(id);
        } catch (error) {
          codes.add(error instanceof Error && 'code' in error ? error.code : error);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      }
    };
    const writers = Array.from({ length: 4 }, (_, index) => writer(`writer${index}`));
    for (const signal of ['SIGKILL', 'SIGQUIT', 'SIGINT'] as const) {
      const before = acknowledged.length;
      await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(before + 5), { timeout: 20_000 });
      await server.kill(signal);
      await server.start();
    }
    const before = acknowledged.length;
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(before + 5), { timeout: 20_000 });
    isOver = true;
    await Promise.all(writers);
    const stored = new Set(await agentIds(database));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect([...codes].filter((code) => code !== 'TRANSIENT_ERROR' && code !== 'UNAVAILABLE')).toEqual([]);
    await database.close();
  });
});

function agentRow(id: string) {
  return { id, revision: 1, data: '{}', change_number: 1, created_at: 1, updated_at: 1, deleted_at: null };
}
