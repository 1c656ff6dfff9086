import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { HubError } from '../../base/hub-error.ts';
import { closeToOthers, isFolder, makePrivateFile, makePrivateFolder } from '../../base/private-files.ts';
import { isBusy, primaryCode } from './sqlite-busy.ts';

/** "AZOO" in the file's header tells our databases from those of other programs. */
export const applicationId = 0x415a4f4f;

/** SQLite itself may hold up the event loop for so long; longer waits are asynchronous. */
const busyTimeoutMs = 2;

/** Opens or creates the file. Throws INVALID_CONFIG with one sentence, or SQLite's own error when the file is busy. */
export function openSqliteFile(path: string): DatabaseSync {
  const place = placeOf(path);
  if (path !== ':memory:') prepareFolder(place);
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(path === ':memory:' ? path : place, { timeout: busyTimeoutMs });
    connection.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on;');
    connection.exec('pragma journal_size_limit = 67108864; pragma cache_size = -32768');
    // A checkpoint runs on the event loop, in the middle of someone's commit: many small ones hold up fewer calls than a large one.
    connection.exec('pragma wal_autocheckpoint = 1000');
    refuseForeign(connection, place);
    return connection;
  } catch (error) {
    connection?.close();
    throw describe(error, place);
  }
}

export function placeOf(path: string): string {
  return path === ':memory:' ? 'in memory' : resolve(path);
}

function prepareFolder(file: string): void {
  try {
    makePrivateFolder(dirname(file));
  } catch (error) {
    throw invalid(`The folder ${dirname(file)} for the database cannot be made: ${reason(error)}.`, error);
  }
  if (isFolder(file)) {
    throw invalid(`The database ${file} is a folder. Set [db] path to a file.`);
  }
  makePrivateFile(file);
  // SQLite gives new ones the mode of the database.
  for (const suffix of ['-wal', '-shm']) closeToOthers(file + suffix);
}

function refuseForeign(connection: DatabaseSync, place: string): void {
  const id = connection.prepare('pragma application_id').get()?.application_id;
  if (id === applicationId) return;
  const tables = connection.prepare("select count(*) as count from sqlite_master where type = 'table'").get()?.count;
  if (id !== 0 || tables !== 0) {
    throw invalid(`The file ${place} is a database of another program. Set [db] path to another file.`);
  }
}

/** SQLite's words for a person; a busy file stays as it is, because trying again helps. */
function describe(error: unknown, place: string): unknown {
  if (error instanceof HubError || isBusy(error)) return error;
  switch (primaryCode(error)) {
    case 26:
      return invalid(
        `The file ${place} is not a SQLite database. Set [db] path to another file, or move it away.`,
        error,
      );
    case 11:
      return invalid(`The database ${place} is damaged. Restore a backup with "zoo restore".`, error);
    case 14:
      return invalid(
        `The database ${place} cannot be opened. Check that you may write to the file and its folder.`,
        error,
      );
    case 8:
      return invalid(
        `The database ${place} cannot be written. Check the permissions of the file and its folder.`,
        error,
      );
    default:
      return invalid(`The database ${place} cannot be opened: ${reason(error)}.`, error);
  }
}

function invalid(message: string, cause?: unknown): HubError {
  return new HubError('INVALID_CONFIG', message, { cause });
}

function reason(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'EACCES') return 'permission denied';
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
}
