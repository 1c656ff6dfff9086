import { copyFile, mkdtemp, open, rename, rm, stat, truncate, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Logger } from '../../base/logger.ts';
import type { Write } from '../database.ts';
import { openSqlite } from './open-sqlite.ts';
import type { SqliteStoreDatabase } from './sqlite.ts';
import { toStorageError } from './sqlite-errors.ts';

let folder: string;
let file: string;
let database: SqliteStoreDatabase;
let logged: string[];
let count = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-fault-'));
  file = join(folder, 'zoo.db');
  logged = [];
  database = await openSqlite({ path: file, logger: noting(logged) });
});
afterEach(async () => {
  await database.close().catch(() => {});
  await rm(folder, { recursive: true, force: true });
});

function noting(lines: string[]): Logger {
  const note = (_: object, message?: string) => void lines.push(message ?? '');
  return { debug: () => {}, info: note, warn: note, error: note };
}

/** Adds a row that needs new pages. */
async function addRow({ db }: Pick<Write, 'db'>): Promise<void> {
  count += 1;
  const agent = {
    id: `a${count}`,
    revision: 1,
    change_number: count,
    data: 'x'.repeat(200_000),
    created_at: 1,
    updated_at: 1,
  };
  await db.insertInto('agents').values(agent).execute();
}
const save = () => database.write(addRow);

it('a full disk is STORAGE_FULL until there is space again', async () => {
  database.connection.exec('pragma max_page_count = 1');
  const refused = await save().catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: 'STORAGE_FULL',
    message: expect.stringMatching(/zoo\.db cannot grow because the disk is full.*Free some space/),
    details: { fault: 'full' },
  });
  expect(database.health.fault).toBe(refused);
  database.connection.exec('pragma max_page_count = 1000000');
  await save();
  expect(database.health.fault).toBeUndefined();
  expect(logged).toEqual([expect.stringContaining('disk is full'), expect.stringContaining('can be written again')]);
});

it('a database that cannot be written is STORAGE_FAILED and says so', async () => {
  database.connection.exec('pragma query_only = on');
  await expect(save()).rejects.toMatchObject({
    code: 'STORAGE_FAILED',
    message: expect.stringMatching(/is read-only.*Make the file, its folder and its disk writable/),
    details: { fault: 'read_only' },
  });
});

it('a damaged database is STORAGE_FAILED, and stays so even if other writes succeed', async () => {
  await save();
  const page = database.connection.prepare("select rootpage from sqlite_master where name = 'agents'").get()?.rootpage;
  await database.close();
  const bytes = Buffer.alloc(4096, 0xff);
  const handle = await open(file, 'r+');
  await handle.write(bytes, 0, bytes.length, (Number(page) - 1) * 4096);
  await handle.close();
  database = await openSqlite({ path: file, logger: noting(logged) });
  const read = () => database.read((db) => db.selectFrom('agents').selectAll().execute());
  await expect(read()).rejects.toMatchObject({
    code: 'STORAGE_FAILED',
    message: expect.stringMatching(/is damaged.*zoo restore/),
    details: { fault: 'corrupt' },
  });
  await database.write(async (write) => write.changed('brain'));
  expect(database.health.fault).toMatchObject({ details: { fault: 'corrupt' } });
});

it('a fault is logged once, however many requests run into it', async () => {
  database.connection.exec('pragma query_only = on');
  for (let index = 0; index < 20; index += 1) await save().catch(() => {});
  expect(logged).toHaveLength(1);
});

it.each([
  ['ENOSPC', 'full', 'STORAGE_FULL'],
  ['EDQUOT', 'full', 'STORAGE_FULL'],
  ['EIO', 'io_error', 'STORAGE_FAILED'],
  ['EROFS', 'read_only', 'STORAGE_FAILED'],
  ['EACCES', 'read_only', 'STORAGE_FAILED'],
])('the file system’s %s is the fault "%s"', (code, fault, expected) => {
  const error = Object.assign(new Error(`${code}: some words`), { code });
  expect(toStorageError(error, 'x.db')).toMatchObject({ code: expected, details: { fault } });
});

it('an error that does not come from the storage stays as it is', async () => {
  await save();
  count -= 1;
  await expect(save()).rejects.toThrow(/UNIQUE/);
  expect(database.health.fault).toBeUndefined();
});

const replacements: [what: string, replace: () => Promise<unknown>][] = [
  ['deleted', () => rm(file)],
  ['renamed', () => rename(file, `${file}.old`)],
  ['replaced by another database', replaceByAnother],
  ['truncated', () => truncate(file, 0)],
  ['overwritten by a larger copy of another database', overwriteInPlace],
  ['deleted with its folder', () => rm(folder, { recursive: true })],
  ['left without its -wal file', () => rm(`${file}-wal`)],
];

/** Runs a checkpoint and the check of the files that follows it. */
async function checkpoint(): Promise<void> {
  database.connection.exec('pragma wal_checkpoint(passive)');
  await database.sync();
}

/** Does the same as `cp other.db zoo.db`: keeps the inode and replaces the content. */
async function overwriteInPlace(): Promise<void> {
  const other = join(folder, 'other.db');
  const copy = new DatabaseSync(other);
  copy.exec('create table t (x); insert into t values (zeroblob(4000000))');
  copy.close();
  await copyFile(other, file);
}

async function replaceByAnother(): Promise<void> {
  const other = join(folder, 'other.db');
  const copy = new DatabaseSync(other);
  copy.exec('create table t (x)');
  copy.close();
  await rename(other, file);
}

it.each(replacements)('no write is acknowledged after the file was %s', async (_, replace) => {
  await save();
  await checkpoint();
  const before = await database.read((db) => db.selectFrom('agents').select('id').execute());
  await replace();
  // A look counts for some milliseconds.
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (let index = 0; index < 3; index += 1)
    await expect(save()).rejects.toMatchObject({ code: 'STORAGE_FAILED', details: { fault: 'replaced' } });
  expect(before).toHaveLength(1);
  expect(logged).toHaveLength(1);
});

it.each(replacements)('the hub notices soon, without any write, that the file was %s', async (_, replace) => {
  await save();
  await checkpoint();
  await replace();
  await vi.waitFor(() => expect(database.health.fault).toMatchObject({ details: { fault: 'replaced' } }), 20_000);
});

it('checkpoints of this and other connections are not mistaken for foreign writes', async () => {
  const other = await openSqlite({ path: file, logger: noting(logged) });
  try {
    for (let round = 0; round < 20; round += 1) {
      await save();
      const mode = round % 3 === 0 ? 'truncate' : 'passive';
      (round % 2 === 0 ? other : database).connection.exec(`pragma wal_checkpoint(${mode})`);
      await other.write(addRow);
    }
  } finally {
    await other.close();
  }
  await save();
  expect([database.health.fault, other.health.fault]).toEqual([undefined, undefined]);
});

it('a changed file time alone is not a fault', async () => {
  await checkpoint();
  await utimes(file, new Date(), new Date(Date.now() + 60_000));
  await save();
  await utimes(file, new Date(), new Date(Date.now() + 120_000));
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(database.health.fault).toBeUndefined();
});

it('an older copy of the same database is also noticed', async () => {
  await checkpoint();
  await copyFile(file, join(folder, 'older.db'));
  await database.write(async (write) => write.changed('agents'));
  await checkpoint();
  await copyFile(join(folder, 'older.db'), file);
  // A look counts for some milliseconds.
  await new Promise((resolve) => setTimeout(resolve, 50));
  await expect(save()).rejects.toMatchObject({ details: { fault: 'replaced' } });
});

it('an idle hub checkpoints once, and then does not touch the files or disturb other processes', async () => {
  await save();
  await vi.waitFor(async () => expect((await stat(`${file}-wal`)).size).toBe(0), 10_000);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const { mtimeMs } = await stat(`${file}-wal`);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect((await stat(`${file}-wal`)).mtimeMs).toBe(mtimeMs);
});

it('an idle hub does not damage a backup that is copied over its file', async () => {
  await save();
  await vi.waitFor(async () => expect((await stat(`${file}-wal`)).size).toBe(0), 10_000);
  await overwriteInPlace();
  await expect(save()).rejects.toMatchObject({ details: { fault: 'replaced' } });
  await database.close();
  const restored = new DatabaseSync(file);
  expect(restored.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
  expect(restored.prepare('select length(x) as length from t').get()).toEqual({ length: 4_000_000 });
  restored.close();
});

it('entries of the decision log are not acknowledged either', async () => {
  await rm(file);
  await expect(database.sync()).rejects.toMatchObject({ details: { fault: 'replaced' } });
});

it('a file that was moved away and back is written again', async () => {
  await save();
  await rename(file, `${file}.old`);
  await expect(save()).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
  await rename(`${file}.old`, file);
  await save();
  expect(database.health.fault).toBeUndefined();
});

it('when idle, everything is moved into the database file, so a copy of it is complete', async () => {
  await save();
  const copied = join(folder, 'copy.db');
  await vi.waitFor(
    async () => {
      await copyFile(file, copied);
      const copy = new DatabaseSync(copied, { readOnly: true });
      try {
        expect(copy.prepare('select count(*) as count from agents').get()?.count).toBe(1);
      } finally {
        copy.close();
      }
    },
    { timeout: 10_000, interval: 100 },
  );
});

it('a reader of an older state delays the idle checkpoint but does not prevent it', async () => {
  const reader = new DatabaseSync(file);
  reader.exec('begin; select count(*) from agents');
  await save();
  reader.exec('commit');
  reader.close();
  await vi.waitFor(
    () => expect(database.connection.prepare('pragma wal_checkpoint(noop)').get()).toMatchObject(complete()),
    { timeout: 10_000 },
  );
});

function complete(): object {
  const row = database.connection.prepare('pragma wal_checkpoint(noop)').get();
  return { busy: 0, log: row?.log, checkpointed: row?.log };
}
