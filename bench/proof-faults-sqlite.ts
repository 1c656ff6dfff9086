import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../src/base/clock.ts';
import { isStorageError } from '../src/base/hub-error.ts';
import { silentLogger } from '../src/base/logger.ts';
import { openSqlite } from '../src/db/sqlite/open-sqlite.ts';
import type { SqliteStoreDatabase } from '../src/db/sqlite/sqlite.ts';
import { openStore } from '../src/store/open-store.ts';
import { decision } from '../test/support/databases/test-decision.ts';
import type { ProveFault } from './proof-faults.ts';
import { killDuringSaves } from './proofs/store-proofs.ts';

export const sqliteFaults: readonly ProveFault[] = [
  killWriters,
  (folder) =>
    refuseWrites(folder, 'the disk is full', {
      begin: 'pragma max_page_count = 1',
      end: 'pragma max_page_count = 1000000',
    }),
  (folder) =>
    refuseWrites(folder, 'the file is read-only', { begin: 'pragma query_only = on', end: 'pragma query_only = off' }),
  (folder) => loseFile(folder, 'the file is deleted', (file) => rm(file)),
  (folder) => loseFile(folder, 'the file is replaced', replace),
  (folder) => loseFile(folder, 'the -wal file is deleted', (file) => rm(`${file}-wal`)),
  stepClock,
];

async function killWriters(folder: string): ReturnType<ProveFault> {
  const times = 50;
  const { acknowledged, stored } = await killDuringSaves({ path: join(folder, 'zoo.db'), rounds: times });
  return { fault: 'kill -9 of the writer', database: 'SQLite', times, acknowledged, lost: acknowledged - stored };
}

/** Writes before, during and after the fault. Each acknowledged write must be in the file afterwards. */
async function refuseWrites(
  folder: string,
  fault: string,
  { begin, end }: { begin: string; end: string },
): ReturnType<ProveFault> {
  const times = 50;
  const file = join(folder, 'zoo.db');
  const database = await openSqlite({ path: file, logger: silentLogger });
  const acknowledged: string[] = [];
  let slowestErrorMs = 0;
  let backAfterMs = 0;
  for (let time = 0; time < times; time += 1) {
    for (let count = 0; count < 4; count += 1) acknowledged.push(await save(database));
    database.connection.exec(begin);
    for (let count = 0; count < 4; count += 1) {
      const asked = performance.now();
      const id = await save(database).catch(storageErrorOnly);
      if (id !== undefined) acknowledged.push(id);
      slowestErrorMs = Math.max(slowestErrorMs, performance.now() - asked);
    }
    database.connection.exec(end);
    const ended = performance.now();
    acknowledged.push(await save(database));
    backAfterMs = Math.max(backAfterMs, performance.now() - ended);
  }
  await database.close();
  const kept = new Set(idsIn(file));
  const lost = acknowledged.filter((id) => !kept.has(id)).length;
  return { fault, database: 'SQLite', times, acknowledged: acknowledged.length, lost, slowestErrorMs, backAfterMs };
}

/** No write after the loss of the file may be acknowledged. */
async function loseFile(folder: string, fault: string, lose: (file: string) => Promise<void>): ReturnType<ProveFault> {
  const times = 20;
  let acknowledged = 0;
  let lost = 0;
  let slowestErrorMs = 0;
  for (let time = 0; time < times; time += 1) {
    const file = join(folder, `zoo${time}.db`);
    const database = await openSqlite({ path: file, logger: silentLogger });
    for (let count = 0; count < 20; count += 1) {
      await save(database);
      acknowledged += 1;
    }
    await lose(file);
    for (let count = 0; count < 10; count += 1) {
      const asked = performance.now();
      if ((await save(database).catch(storageErrorOnly)) !== undefined) lost += 1;
      slowestErrorMs = Math.max(slowestErrorMs, performance.now() - asked);
    }
    await database.close();
  }
  return { fault, database: 'SQLite', times, acknowledged, lost, slowestErrorMs };
}

async function replace(file: string): Promise<void> {
  await writeFile(`${file}.other`, 'another file');
  await rename(`${file}.other`, file);
}

/** Each log entry must be found by its time, however the clock was set. */
async function stepClock(folder: string): ReturnType<ProveFault> {
  const times = 40;
  const store = await openStore({ db: { path: join(folder, 'zoo.db') }, clock: systemClock, logger: silentLogger });
  const entries: { callId: string; at: number }[] = [];
  let now = Date.now();
  for (let time = 0; time < times; time += 1) {
    now += Math.round((Math.random() - 0.5) * 60 * 60_000);
    for (let count = 0; count < 25; count += 1) {
      now += Math.round(Math.random() * 2_000);
      const entry = { callId: `call_${entries.length}`, at: now };
      await store.decisions.append(decision(entry.callId, entry));
      entries.push(entry);
    }
  }
  let lost = 0;
  for (const { callId, at } of entries) {
    const page = await store.decisions.page({ since: at, until: at });
    if (!page.entries.some((entry) => entry.callId === callId)) lost += 1;
  }
  await store.close();
  const fault = 'the clock is set back or forward by minutes';
  return { fault, database: 'SQLite', times, acknowledged: entries.length, lost };
}

let saved = 0;

/** Saves a row that needs new pages. */
async function save(database: SqliteStoreDatabase): Promise<string> {
  saved += 1;
  const id = `agent${saved}`;
  const row = { id, revision: 1, change_number: saved, data: 'x'.repeat(20_000), created_at: 1, updated_at: 1 };
  await database.write(({ db }) => db.insertInto('agents').values(row).execute());
  return id;
}

function storageErrorOnly(error: unknown): undefined {
  if (!isStorageError(error)) throw error;
}

function idsIn(file: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare('select id from agents').all();
  database.close();
  return rows.map(({ id }) => String(id));
}
