import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { HubError } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';
import { closeToOthers, isFolder, makePrivateFile, makePrivateFolder } from '../../base/private-files.ts';
import type { WaitingStep } from '../database.ts';
import {
  type AppliedSteps,
  additionTable,
  compareMigrations,
  migrate,
  migrationTable,
  waitingSentence,
} from '../migrate.ts';
import type { Tables } from '../tables.ts';
import { FileGuard, SameContent } from './file-guard.ts';
import { SqliteStoreDatabase } from './sqlite.ts';
import { nodeSqliteDialect } from './sqlite-dialect.ts';
import { isBusy, primaryCode, retryWhileBusy, toStorageError } from './sqlite-errors.ts';
import { WalSync } from './wal-sync.ts';

/** "AZOO" in the file's header marks the databases of Agent Zoo. */
export const applicationId = 0x415a4f4f;

/** How long SQLite itself may block the event loop; longer waits are asynchronous. */
const busyTimeoutMs = 2;

/** Opens the database and brings its tables up to date. Throws INVALID_CONFIG, TRANSIENT_ERROR. */
export async function openSqlite(options: { path: string; logger: Logger }): Promise<SqliteStoreDatabase> {
  const location = locationOf(options.path);
  const connection = await retryWhileBusy(location, () => openSqliteFile(options.path));
  const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(connection) });
  try {
    const bringing = retryWhileBusy(location, () => bringUpToDate(connection, db, location));
    const waiting = await bringing.catch((error: unknown) => {
      throw toStorageError(error, location) ?? error;
    });
    if (waiting.length > 0) options.logger.warn({ waiting }, waitingSentence);
    const wal = walOf(connection);
    // From now on, WalSync syncs commits off the event loop.
    if (wal) connection.exec('pragma synchronous = normal');
    const guard = wal && guardOf(connection, location);
    return new SqliteStoreDatabase({ connection, db, location, wal, guard, logger: options.logger });
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Undefined in memory and on a file system without WAL support, where SQLite itself syncs each commit. */
function walOf(connection: DatabaseSync): WalSync | undefined {
  const isWal = connection.prepare('pragma journal_mode').get()?.journal_mode === 'wal';
  // SQLite's name for the file: if the path is a link, the WAL is beside the link's target.
  const file = connection.location();
  return isWal && file !== null ? new WalSync(file) : undefined;
}

function guardOf(connection: DatabaseSync, location: string): FileGuard | undefined {
  const file = connection.location();
  if (file === null) return undefined;
  const size = connection.prepare('select page_count * page_size as bytes from pragma_page_count, pragma_page_size');
  // The first read creates the files beside the database.
  size.get();
  const content = new SameContent(connection, file);
  const expectedSize = () => Number(size.get()?.bytes);
  return new FileGuard(file, { location, expectedSize, isSameContent: () => content.compare() });
}

async function bringUpToDate(connection: DatabaseSync, db: Kysely<Tables>, location: string): Promise<WaitingStep[]> {
  const pending = compareMigrations(appliedIn(connection), location);
  if (pending.migrations.length + pending.contracts.length === 0) return [];
  return db.transaction().execute(async (transaction) => {
    const waiting = await migrate(transaction, location);
    connection.exec(`pragma application_id = ${applicationId}`);
    return waiting;
  });
}

/** Returns the steps that a file has behind it; none if it is not a database of Agent Zoo. */
export function appliedIn(connection: DatabaseSync): AppliedSteps {
  const tables = connection.prepare('select name from sqlite_master where name in (?, ?)');
  const existing = new Set(tables.all(migrationTable, additionTable).map(({ name }) => name));
  const names = (table: string) =>
    existing.has(table)
      ? connection
          .prepare(`select name from ${table}`)
          .all()
          .map(({ name }) => String(name))
      : [];
  return { migrations: names(migrationTable), additions: names(additionTable) };
}

/** Opens or creates the file. Throws INVALID_CONFIG, or SQLite's own error if the file is busy. */
function openSqliteFile(path: string): DatabaseSync {
  const location = locationOf(path);
  if (path !== ':memory:') prepareFolder(location);
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(path === ':memory:' ? path : location, { timeout: busyTimeoutMs });
    connection.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on;');
    connection.exec('pragma journal_size_limit = 67108864; pragma cache_size = -32768');
    // A checkpoint runs on the event loop, within a commit: many small ones delay fewer calls than a large one.
    connection.exec('pragma wal_autocheckpoint = 1000');
    refuseForeign(connection, location);
    return connection;
  } catch (error) {
    connection?.close();
    throw describe(error, location);
  }
}

function locationOf(path: string): string {
  return path === ':memory:' ? 'in memory' : resolve(path);
}

function prepareFolder(file: string): void {
  try {
    makePrivateFolder(dirname(file));
  } catch (error) {
    throw invalid(`The folder ${dirname(file)} for the database cannot be created: ${reason(error)}.`, error);
  }
  if (isFolder(file)) {
    throw invalid(`The database ${file} is a folder. Set [db] path to a file.`);
  }
  makePrivateFile(file);
  // SQLite creates these files with the mode of the database.
  for (const suffix of ['-wal', '-shm']) closeToOthers(file + suffix);
}

function refuseForeign(connection: DatabaseSync, location: string): void {
  const id = connection.prepare('pragma application_id').get()?.application_id;
  if (id === applicationId) return;
  const tables = connection.prepare("select count(*) as count from sqlite_master where type = 'table'").get()?.count;
  if (id !== 0 || tables !== 0) {
    throw invalid(`The file ${location} belongs to another program. Set [db] path to another file.`);
  }
}

/** Describes SQLite's error for people. Returns a busy error unchanged, because a retry helps. */
function describe(error: unknown, location: string): unknown {
  if (error instanceof HubError || isBusy(error)) return error;
  switch (primaryCode(error)) {
    case 26:
      return invalid(
        `The file ${location} is not a SQLite database. Set [db] path to another file, or move this one away.`,
        error,
      );
    case 11:
      return invalid(`The database ${location} is damaged. Restore a backup with "zoo restore".`, error);
    case 14:
      return invalid(
        `The database ${location} cannot be opened. Check that you may write to the file and its folder.`,
        error,
      );
    case 8:
      return invalid(
        `The database ${location} cannot be written. Check the permissions of the file and its folder.`,
        error,
      );
    default:
      return invalid(`The database ${location} cannot be opened: ${reason(error)}.`, error);
  }
}

function invalid(message: string, cause?: unknown): HubError {
  return new HubError('INVALID_CONFIG', message, { cause });
}

function reason(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'EACCES') return 'permission denied';
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
}
