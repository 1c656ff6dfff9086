import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../../test/support/databases/test-database.ts';
import { testAgent, testClock } from '../../test/support/databases/test-store.ts';
import { mailRow } from '../../test/support/team/team-rows.ts';
import { toAgentData } from '../agents/agent-data.ts';
import { StoredAgents } from '../agents/agents.store.ts';
import { silentLogger } from '../base/logger.ts';
import { openDatabase } from '../store/open-store.ts';
import { openTeam } from '../team/team.store.ts';
import { type Change, countedTopics, topics } from './change-bus.ts';
import type { Database } from './database.ts';
import { Leases } from './leases.ts';

let test: TestDatabase;
let opened: Database[];

async function open(): Promise<Database> {
  const database = await openDatabase(test.db, silentLogger);
  opened.push(database);
  return database;
}

afterEach(async () => {
  await Promise.all(opened.map((database) => database.close()));
  await test.remove();
});

describe.each(databaseKinds)('changes in %s', (kind) => {
  beforeEach(async () => {
    opened = [];
    test = await newTestDatabase(kind);
  });

  it('are visible here when the write returns, and reach every process with the affected ids', async () => {
    const [here, there] = [await open(), await open()];
    const told: Record<'here' | 'there', Change[]> = { here: [], there: [] };
    here.changes.on((change) => told.here.push(change));
    there.changes.on((change) => told.there.push(change));
    const before = { here: here.changes.version('brain'), there: there.changes.version('brain') };
    await here.write(async (write) => {
      write.changed('brain', 'one');
      write.changed('brain', 'two');
      write.changed('mail');
    });
    expect(here.changes.version('brain')).not.toBe(before.here);
    const changes = [
      { topic: 'brain', ids: ['one', 'two'] },
      { topic: 'mail', ids: [] },
    ];
    expect(told.here).toEqual(changes);
    await vi.waitFor(() => expect(told.there).toEqual(changes), { timeout: 10_000 });
    expect(there.changes.version('brain')).not.toBe(before.there);
    expect(told.here).toEqual(changes);
  });

  it('are not reported if nothing changed or the transaction was rolled back', async () => {
    const database = await open();
    const told: Change[] = [];
    database.changes.on((change) => told.push(change));
    const before = database.changes.version('work');
    await database.write(async () => {});
    const givenUp = database.write(async (write) => {
      write.changed('work');
      throw new Error('given up');
    });
    await expect(givenUp).rejects.toThrow('given up');
    expect(database.changes.version('work')).toBe(before);
    expect(told).toEqual([]);
  });

  it('reach other processes even if the writer is killed right after its commit', async () => {
    const survivor = await open();
    const told: Change[] = [];
    survivor.changes.on((change) => told.push(change));
    const before = survivor.changes.version('members');
    await writeAndDie('killed');
    await vi.waitFor(() => expect(told).toContainEqual({ topic: 'members', ids: [] }), { timeout: 20_000 });
    expect(survivor.changes.version('members')).not.toBe(before);
    expect(await membersOf(survivor)).toEqual(['killed']);
  });
});

describe('on PostgreSQL', () => {
  let admin: pg.Client;
  beforeEach(async () => {
    opened = [];
    test = await newTestDatabase('postgres');
    admin = new pg.Client({ connectionString: 'url' in test.db ? test.db.url : '' });
    await admin.connect();
  });
  afterEach(() => admin.end());

  /** Listens as a process of the previous version does. */
  async function hearNotices(): Promise<Change[]> {
    const heard: Change[] = [];
    admin.on('notification', ({ payload = '' }) => heard.push(...JSON.parse(payload)));
    await admin.query('listen agent_zoo_changed');
    return heard;
  }

  it('everything is published once a process has closed its database, for the previous version, too', async () => {
    const heard = await hearNotices();
    const writer = await open();
    const team = teamOf(writer);
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => team.write((rows) => rows.addMail(mailRow(`m${index}`)))),
    );
    await writer.write(async ({ changed }) =>
      changed('brain', ...Array.from({ length: 900 }, (_, id) => `entry-${id}`)),
    );
    await writer.close();
    await vi.waitFor(() => expect(heard).toContainEqual(expect.objectContaining({ topic: 'brain', ids: [] })));
    expect(new Set(heard.map(({ topic }) => topic))).toEqual(new Set(['mail', 'brain']));
  });

  it('after more changes than one look reads, everything counts as changed, and later ones are told apart again', async () => {
    const reader = await open();
    await reader.changes.arrival?.check();
    const told: Change[] = [];
    reader.changes.on((change) => told.push(change));
    const change = (id: string) => JSON.stringify([{ topic: 'brain', ids: [id] }]);
    await admin.query(
      `insert into recent_changes (writer, changes) select 'elsewhere', $1 from generate_series(1, 1500)`,
      [change('one of many')],
    );
    await admin.query(`select pg_notify('agent_zoo_changed', '[]')`);
    // The counters of the others have not changed.
    const uncounted = topics.filter((topic) => !countedTopics.some((each) => each === topic));
    await vi.waitFor(() => expect(told.map(({ topic }) => topic)).toEqual(uncounted));
    expect(told.every(({ ids }) => ids.length === 0)).toBe(true);
    told.length = 0;
    await admin.query(`insert into recent_changes (writer, changes) values ('elsewhere', $1)`, [change('the next')]);
    await admin.query(`select pg_notify('agent_zoo_changed', '[]')`);
    await vi.waitFor(() => expect(told).toEqual([{ topic: 'brain', ids: ['the next'] }]));
  });

  it('changes of the previous version arrive, with its notice and without', async () => {
    const reader = await open();
    await reader.changes.arrival?.check();
    const told: Change[] = [];
    reader.changes.on((change) => told.push(change));
    const work = '[{"topic":"work","ids":["one"]}]';
    await admin.query('insert into unpublished_changes (changes) values ($1)', [work]);
    await admin.query('select pg_notify($1, $2)', ['agent_zoo_changed', work]);
    await vi.waitFor(() => expect(told).toEqual([{ topic: 'work', ids: ['one'] }]));
    await admin.query('insert into unpublished_changes (changes) values ($1)', ['[{"topic":"mail","ids":["two"]}]']);
    await admin.query('delete from unpublished_changes');
    await vi.waitFor(() => expect(told).toContainEqual({ topic: 'mail', ids: ['two'] }), { timeout: 30_000 });
    expect(told).toHaveLength(2);
  });

  it('a number that is no counter freezes no version', async () => {
    const reader = await open();
    const told: Change[] = [];
    reader.changes.on((change) => told.push(change));
    const add = (changes: object[]) =>
      admin.query("insert into recent_changes (writer, changes) values ('other', $1)", [JSON.stringify(changes)]);
    await add([
      { topic: 'keys', ids: ['one'], number: 2 ** 40 },
      { topic: 'vault', ids: [], number: 2 ** 53 },
    ]);
    await vi.waitFor(() => expect(told).toHaveLength(2), { timeout: 30_000 });
    const before = { keys: reader.changes.version('keys'), vault: reader.changes.version('vault') };
    await add([
      { topic: 'keys', ids: ['two'], number: 1 },
      { topic: 'vault', ids: [], number: 7 },
    ]);
    await vi.waitFor(() => expect(told).toHaveLength(4), { timeout: 30_000 });
    expect(reader.changes.version('keys')).not.toBe(before.keys);
    expect(reader.changes.version('vault')).toBe(7);
  });

  it('after a crash of the server has emptied the rows, everything counts as changed', async () => {
    const reader = await open();
    const told = vi.fn();
    reader.changes.on(told);
    const before = reader.changes.version('members');
    await admin.query('truncate recent_changes');
    await vi.waitFor(() => expect(told).toHaveBeenCalledWith({ topic: 'members', ids: [] }), { timeout: 30_000 });
    expect(reader.changes.version('members')).not.toBe(before);
  });

  it('a transaction that commits late is found, whatever was committed meanwhile', async () => {
    const reader = await open();
    const told: Change[] = [];
    reader.changes.on((change) => told.push(change));
    const write = "insert into recent_changes (writer, changes) values ('other', $1)";
    await admin.query('begin');
    await admin.query(write, ['[{"topic":"work","ids":["late"]}]']);
    const other = new pg.Client({ connectionString: 'url' in test.db ? test.db.url : '' });
    await other.connect();
    await other.query(write, ['[{"topic":"work","ids":["early"]}]']);
    await other.end();
    await vi.waitFor(() => expect(told).toEqual([{ topic: 'work', ids: ['early'] }]), { timeout: 30_000 });
    await admin.query('commit');
    await vi.waitFor(() => expect(told).toHaveLength(2), { timeout: 30_000 });
    expect(told[1]).toEqual({ topic: 'work', ids: ['late'] });
  });

  it('an open transaction does not block others', async () => {
    const database = await open();
    const team = teamOf(database);
    const agents = new StoredAgents({ database, clock: testClock(), logger: silentLogger });
    const hasWritten = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const slow = database.write(async (write) => {
      for (const topic of ['agents', 'brain', 'members', 'mail', 'work', 'chats'] as const) write.changed(topic);
      await write.db.updateTable('agents').set({ updated_at: 1 }).where('id', '=', 'nobody').execute();
      hasWritten.resolve();
      await mayEnd.promise;
    });
    await hasWritten.promise;
    await team.write((rows) => rows.addMail(mailRow('quick')));
    await agents.create(testAgent('quick'));
    mayEnd.resolve();
    await slow;
  });

  it('agents that are saved concurrently are all in the next snapshot, in any order of commits', async () => {
    const [writer, reader] = [await open(), await open()];
    const clock = testClock();
    const agents = new StoredAgents({ database: writer, clock, logger: silentLogger });
    const { source } = new StoredAgents({ database: reader, clock, logger: silentLogger });
    const ids = async () => (await source.snapshot()).entries.map(({ agent }) => agent.id);
    await agents.create(testAgent('first'));
    expect(await ids()).toEqual(['first']);
    // Gets its number before `later` does, but commits after it.
    const hasNumber = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const slow = writer.write(async (write) => {
      const { rows } = await sql<{ number: number }>`select txid_current() as number`.execute(write.db);
      hasNumber.resolve();
      await mayEnd.promise;
      const row = { id: 'earlier', ...toAgentData(testAgent('earlier')), revision: 1, created_at: 1, updated_at: 1 };
      await write.db
        .insertInto('agents')
        .values({ ...row, change_number: rows[0]?.number ?? 0, deleted_at: null })
        .execute();
      write.changed('agents', 'earlier');
    });
    await hasNumber.promise;
    await agents.create(testAgent('later'));
    await vi.waitFor(async () => expect(await ids()).toEqual(['first', 'later']), { timeout: 10_000 });
    mayEnd.resolve();
    await slow;
    await vi.waitFor(async () => expect(await ids()).toEqual(['earlier', 'first', 'later']), { timeout: 10_000 });
  });

  it('if many processes create the same agent, one succeeds', async () => {
    const stores = [await open(), await open()].map(
      (database) => new StoredAgents({ database, clock: testClock(), logger: silentLogger }),
    );
    const results = await Promise.allSettled(
      stores.flatMap((each) => [1, 2, 3].map(() => each.create(testAgent('raced')))),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await stores[0]?.versions('raced')).toHaveLength(1);
  });
});

async function writeAndDie(memberId: string): Promise<void> {
  const script = fileURLToPath(new URL('../../test/support/databases/dying-writer.ts', import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify(test.db), memberId], { stdio: 'inherit' });
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
}

function teamOf(database: Database) {
  return openTeam({ database, leases: new Leases({ database, clock: testClock(), logger: silentLogger }) });
}

async function membersOf(database: Database): Promise<string[]> {
  return (await teamOf(database).members()).map(({ id }) => id);
}
