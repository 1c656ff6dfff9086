import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { HubError } from '../base/hub-error.ts';
import type { Database } from './database.ts';
import { appliedMigrations, compareMigrations } from './migrate.ts';
import { readMounts, remoteKindOf } from './remote-folder.ts';

/** A check that takes longer counts as failed. */
const deadlineMs = 2_000;
/** Tables that fit are checked again after this time: only a restored copy, or a forced step of a newer version, changes that. */
const keepTablesMs = 60_000;
const minFreeBytes = 64 * 1024 * 1024;

export interface ReadyCheck {
  name: 'database' | 'migrations' | 'disk';
  ok: boolean;
  /** What is wrong and what to do; empty if nothing is. */
  message: string;
}

/** Returns a function that checks whether the hub can work with its database now. It never throws. */
export function readinessOf(database: Database, dataDir: string | undefined): () => Promise<ReadyCheck[]> {
  const { location } = database;
  let tablesFitUntil = 0;
  const checkTables = async () => {
    if (performance.now() < tablesFitUntil) return;
    await checkMigrations(database);
    tablesFitUntil = performance.now() + keepTablesMs;
  };
  return async () => {
    const [reached, migrations, disk] = await Promise.all([
      check('database', location, () => database.probe()),
      check('migrations', location, checkTables),
      check('disk', location, () => checkDisk(database.folder ?? dataDir)),
    ]);
    if (reached.ok) return [reached, migrations, disk];
    // Nothing is known about the tables of a database that cannot be reached.
    tablesFitUntil = 0;
    return [reached, disk];
  };
}

/** Returns warnings about a setup that works now but may lose data later. */
export async function storageWarnings(database: Database): Promise<string[]> {
  const kind = database.folder && remoteKindOf(database.folder, await readMounts());
  if (!kind) return [];
  return [
    `The database ${database.location} is ${kind}. SQLite can lose data there. Set [db] path to a local disk, or use PostgreSQL.`,
  ];
}

async function check(name: ReadyCheck['name'], location: string, run: () => Promise<void>): Promise<ReadyCheck> {
  const late = new AbortController();
  try {
    await Promise.race([run(), sleep(deadlineMs, undefined, { signal: late.signal, ref: false }).then(tooLate)]);
    return { name, ok: true, message: '' };
  } catch (error) {
    return { name, ok: false, message: error instanceof HubError ? forReader(error) : `The ${name} check failed.` };
  } finally {
    late.abort();
  }

  function tooLate(): never {
    throw new HubError('TIMEOUT', `The ${name} check of ${location} took longer than ${deadlineMs / 1000} seconds.`);
  }
}

/** Replaces "Try again": the reader of a readiness check has nothing to retry. */
function forReader({ message }: HubError): string {
  return message.replace(/ Try again\.$/, ' The hub continues on its own once the database is back.');
}

async function checkMigrations(database: Database): Promise<void> {
  const pending = compareMigrations(await database.read(appliedMigrations), database.location);
  if (pending.migrations.length > 0)
    throw new HubError(
      'UNAVAILABLE',
      `The tables of ${database.location} are from an older version. Restart the hub to update them.`,
    );
}

async function checkDisk(folder: string | undefined): Promise<void> {
  if (folder === undefined) return;
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: Number.POSITIVE_INFINITY, bsize: 1 }));
  const free = bavail * bsize;
  if (free < minFreeBytes)
    throw new HubError(
      'STORAGE_FULL',
      `Less than ${minFreeBytes / 1024 / 1024} MB is free on the disk of ${folder}. Free some space.`,
    );
}
