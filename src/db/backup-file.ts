import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { HubError } from '../base/hub-error.ts';
import { makePrivateFile } from '../base/private-files.ts';
import { compareMigrations, refuseUnknownAdditions } from './migrate.ts';
import { applicationId, appliedIn } from './sqlite/open-sqlite.ts';
import { primaryCode, retryWhileBusy } from './sqlite/sqlite-errors.ts';

/** One step for the whole database: smaller steps start over with each write by another process. */
const pagesPerStep = 0x7fffffff;

/** Copies a database that others may be writing to. The copy is one complete file. */
export async function copySqliteFile(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from, { readOnly: true, timeout: 1000 });
  makePrivateFile(to);
  try {
    await retryWhileBusy(from, () => backup(source, to, { rate: pagesPerStep }));
  } finally {
    source.close();
  }
}

/** Throws INVALID_CONFIG unless the file is an intact Agent Zoo database that this version can read. */
export function checkBackupFile(file: string): void {
  if (!existsSync(file)) throw new HubError('NOT_FOUND', `There is no file ${file}.`);
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(file, { readOnly: true, timeout: 1000 });
    if (connection.prepare('pragma application_id').get()?.application_id !== applicationId) {
      throw new HubError('INVALID_CONFIG', `The file ${file} is not a backup of Agent Zoo.`);
    }
    const result = connection.prepare('pragma integrity_check(1)').get()?.integrity_check;
    if (result !== 'ok') throw new HubError('INVALID_CONFIG', `The file ${file} is damaged: ${result}.`);
    const applied = appliedIn(connection);
    if (applied.migrations.length === 0)
      throw new HubError('INVALID_CONFIG', `The file ${file} is not a backup of Agent Zoo.`);
    compareMigrations(applied, file);
    refuseUnknownAdditions(applied, file);
  } catch (error) {
    if (error instanceof HubError) throw error;
    throw new HubError('INVALID_CONFIG', `The file ${file} is not a backup of Agent Zoo.`, { cause: error });
  } finally {
    connection?.close();
  }
}

/** Tells whether SQLite cannot read the file or finds it corrupt. */
export function isDamaged(path: string): boolean {
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(path, { timeout: 1000 });
    return connection.prepare('pragma integrity_check(1)').get()?.integrity_check !== 'ok';
  } catch (error) {
    const code = primaryCode(error);
    if (code === 11 || code === 26) return true;
    throw error;
  } finally {
    connection?.close();
  }
}

/**
 * Lets `make` write a database under another name and renames it only when it is complete, so that an interrupted backup is never
 * mistaken for a complete one. Throws CONFLICT if the file exists and `force` is not set.
 */
export async function writeWhole(
  options: { file: string; force: boolean },
  make: (path: string) => Promise<void>,
): Promise<void> {
  const { file } = options;
  if (existsSync(file) && !options.force) {
    throw new HubError(
      'CONFLICT',
      `The file ${file} already exists. Choose another name, or use --force to replace it.`,
    );
  }
  if (!existsSync(dirname(file))) throw new HubError('NOT_FOUND', `There is no folder ${dirname(file)}.`);
  const unfinished = `${file}.unfinished-${process.pid}`;
  try {
    await make(unfinished);
    toSingleFile(unfinished);
    checkBackupFile(unfinished);
    await syncFile(unfinished);
    await rename(unfinished, file);
  } finally {
    for (const end of ['', '-wal', '-shm', '-journal']) await rm(`${unfinished}${end}`, { force: true });
  }
}

/** Leaves WAL mode, which a copy inherits and which needs two more files beside the database. */
function toSingleFile(path: string): void {
  const connection = new DatabaseSync(path);
  try {
    connection.exec('pragma journal_mode = delete');
  } finally {
    connection.close();
  }
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
