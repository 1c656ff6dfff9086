import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databaseKinds, newTestDatabase } from '../../test/support/databases/test-database.ts';
import { openTestStores, testAgent } from '../../test/support/databases/test-store.ts';
import { systemClock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import type { DecisionEntry } from '../tools/decision-log.ts';
import { openDatabase, openStore, type StoreAddress } from './open-store.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-open-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (db: StoreAddress) => openStore({ db, clock: systemClock, logger: silentLogger });

describe.each(databaseKinds)('opening %s', (kind) => {
  it('many at once on an empty database all succeed', async () => {
    const { db, remove } = await newTestDatabase(kind, { isEmpty: true });
    const stores = await Promise.all(Array.from({ length: 6 }, () => open(db)));
    await Promise.all(stores.map((store, index) => store.agents.create(testAgent(`agent-${index}`))));
    const last = await open(db);
    expect((await last.agents.source.snapshot()).entries).toHaveLength(6);
    await Promise.all([...stores, last].map((store) => store.close()));
    await remove();
  });

  it('a database of a newer version is refused with its location and the way out', async () => {
    const { db, store, remove } = await openTestStores(kind);
    const database = await openDatabase(db, silentLogger);
    await database.write(async (write) => {
      const row = { name: '9999-later', timestamp: '2030-01-01' };
      await write.db.withTables<{ zoo_migrations: typeof row }>().insertInto('zoo_migrations').values(row).execute();
    });
    await database.close();
    const sentence = expect.stringMatching(/newer version of Agent Zoo\. Update Agent Zoo/);
    await expect(open(db)).rejects.toMatchObject({ code: 'INVALID_CONFIG', message: sentence });
    await expect(open(db)).rejects.toThrow(store.location);
    await remove();
  });

  it('the location says where the data is without credentials', async () => {
    const { db, store, remove } = await openTestStores(kind);
    expect(store.kind).toBe(kind);
    expect('path' in db ? db.path : db.url).toContain(store.location);
    expect(store.location).not.toMatch(/zoo-test|@/);
    await remove();
  });

  it('closing twice is harmless', async () => {
    const { store, remove } = await openTestStores(kind);
    await store.close();
    await store.close();
    await remove();
  });
});

describe('a SQLite path', () => {
  it('may name folders that do not exist yet', async () => {
    const path = join(folder, 'a', 'b', 'zoo.db');
    const store = await open({ path });
    expect(store.location).toBe(path);
    await store.close();
  });

  it('may be a link to the file', async () => {
    await mkdir(join(folder, 'disk'));
    await symlink(join(folder, 'disk', 'zoo.db'), join(folder, 'zoo.db'));
    const store = await open({ path: join(folder, 'zoo.db') });
    await store.decisions.append(invocation);
    await store.agents.create(testAgent('a'));
    expect((await store.decisions.page()).entries).toHaveLength(1);
    await store.close();
  });

  it('is closed also when its disk fails at the end', async () => {
    const path = join(folder, 'zoo.db');
    const store = await open({ path });
    await rm(`${path}-wal`);
    await expect(store.decisions.append(invocation)).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    // Fails when something was written and cannot be synced.
    const [closed] = await Promise.allSettled([store.close()]);
    if (closed.status === 'rejected') expect(closed.reason).toMatchObject({ code: 'STORAGE_FAILED' });
    await expect(store.decisions.page()).rejects.toThrow('is closed');
  });

  it('may be in memory', async () => {
    const store = await open({ path: ':memory:' });
    await store.agents.create(testAgent('a'));
    await store.decisions.page();
    expect((await store.agents.source.snapshot()).entries).toHaveLength(1);
    await store.close();
  });

  it.each([
    ['a text file', (path: string) => writeFile(path, 'hello '.repeat(1000)), /is not a SQLite database/],
    ['a folder', (path: string) => mkdir(path), /is a folder/],
    ['a database of another program', makeForeign, /belongs to another program/],
  ])('that is %s is refused with one sentence', async (_name, make, sentence) => {
    const path = join(folder, 'zoo.db');
    await make(path);
    const failure = await open({ path }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'INVALID_CONFIG', message: expect.stringMatching(sentence) });
    expect(failure).toMatchObject({ message: expect.stringContaining(path) });
  });

  it('below a file is refused with one sentence', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(open({ path: join(folder, 'file', 'zoo.db') })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(join(folder, 'file')),
    });
  });
});

describe('a PostgreSQL address', () => {
  it.each([
    ['not a URL', 'secret words', 'INVALID_CONFIG'],
    ['another protocol', 'mysql://me:secret@127.0.0.1/zoo', 'INVALID_CONFIG'],
    ['nobody listening', 'postgres://me:secret@127.0.0.1:1/zoo', 'UNAVAILABLE'],
    ['an unknown host', 'postgres://me:secret@nowhere.invalid/zoo', 'UNAVAILABLE'],
  ])('%s is one sentence that keeps the secret', async (_name, url, code) => {
    const failure = await open({ url }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code });
    expect(failure instanceof Error ? `${failure.stack} ${JSON.stringify(failure)}` : '').not.toContain('secret');
  });

  it('a wrong password or a missing database is named, without the password', async () => {
    const { db } = await newTestDatabase('postgres', { isEmpty: true });
    const url = new URL('url' in db ? db.url : '');
    const missing = Object.assign(new URL(url), { pathname: '/absent' });
    await expect(open({ url: missing.href })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('/absent does not exist'),
    });
    url.password = 'wrong-secret';
    const failure = await open({ url: url.href }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('rejected the user or password'),
    });
    expect(failure instanceof Error ? failure.message : '').not.toContain('wrong-secret');
  });
});

const invocation: DecisionEntry = {
  callId: 'call',
  kind: 'invocation',
  at: 1,
  surface: 'cli',
  agentId: null,
  persona: null,
  taskId: null,
  tool: 't',
  decision: 'd',
  reasoning: 'r',
  context: '{}',
};

async function makeForeign(path: string): Promise<void> {
  const database = new DatabaseSync(path);
  database.exec('create table recipes (name text)');
  database.close();
}
