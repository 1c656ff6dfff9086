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
import type { Change } from './change-bus.ts';
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

  const unpublished = async () => (await admin.query('select 1 from unpublished_changes')).rows.length;

  it('changes that a killed process could not publish are published once by the next process', async () => {
    await writeAndDie('killed');
    expect(await unpublished()).toBe(1);
    const [one, other] = [await open(), await open()];
    const told = vi.fn();
    one.changes.on(told);
    other.changes.on(told);
    await vi.waitFor(async () => expect(await unpublished()).toBe(0), { timeout: 20_000 });
    await vi.waitFor(() => expect(told.mock.calls.length).toBeGreaterThanOrEqual(2), { timeout: 20_000 });
    expect(new Set(told.mock.calls.map(([change]) => change.topic))).toEqual(new Set(['members']));
  });

  it('nothing is left to publish once a process has closed its database', async () => {
    const writer = await open();
    const team = teamOf(writer);
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => team.write((rows) => rows.addMail(mailRow(`m${index}`)))),
    );
    await writer.close();
    expect(await unpublished()).toBe(0);
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
      const data = toAgentData(testAgent('earlier'));
      const row = { id: 'earlier', data, revision: 1, created_at: 1, updated_at: 1 };
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
