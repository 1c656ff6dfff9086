import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import { EventChannel } from '../../base/events.ts';
import { HubError } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';
import { bumpRevision } from '../bump-revision.ts';
import type { BulkInsert, Database, PreparedQuery, RevisionKey, Write } from '../database.ts';
import type { DecisionBatch } from '../decisions-chain.ts';
import { compareMigrations, migrate, migrationTable } from '../migrate.ts';
import type { Tables } from '../tables.ts';
import { FileGuard } from './file-guard.ts';
import { nodeSqliteDialect } from './node-sqlite-dialect.ts';
import { applicationId, openSqliteFile, placeOf } from './open-sqlite-file.ts';
import { SameContent } from './same-content.ts';
import { isBusy, retryWhileBusy } from './sqlite-busy.ts';
import { SqliteDecisions } from './sqlite-decisions.ts';
import { SqliteStatements } from './sqlite-statements.ts';
import { SqliteUpkeep } from './sqlite-upkeep.ts';
import { toStorageError } from './storage-fault.ts';
import { StorageHealth } from './storage-health.ts';
import { WalSync } from './wal-sync.ts';
import { WriteQueue } from './write-queue.ts';

/** How long a look for news of other processes counts. */
const lookCountsMs = 0.1;
const pollMs = 150;

/** Opens, and brings the tables up to date. Throws INVALID_CONFIG, TRANSIENT_ERROR. */
export async function openSqlite(options: { path: string; logger: Logger }): Promise<SqliteStoreDatabase> {
  const place = placeOf(options.path);
  const connection = await retryWhileBusy(place, () => openSqliteFile(options.path));
  const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(connection) });
  try {
    await retryWhileBusy(place, () => bringUpToDate(connection, db, place)).catch((error: unknown) => {
      throw toStorageError(error, place) ?? error;
    });
    const wal = walOf(connection);
    // From here on commits are synced by WalSync, off the event loop.
    if (wal) connection.exec('pragma synchronous = normal');
    const guard = wal && guardOf(connection, place);
    return new SqliteStoreDatabase({ connection, db, place, wal, guard, logger: options.logger });
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Undefined in memory, and on a file system that cannot share a WAL: there SQLite itself syncs each commit. */
function walOf(connection: DatabaseSync): WalSync | undefined {
  const isWal = connection.prepare('pragma journal_mode').get()?.journal_mode === 'wal';
  // SQLite's own name of the file: where the path is a link, the WAL is beside the file it leads to.
  const file = connection.location();
  return isWal && file !== null ? new WalSync(file) : undefined;
}

function guardOf(connection: DatabaseSync, place: string): FileGuard | undefined {
  const file = connection.location();
  if (file === null) return undefined;
  const size = connection.prepare('select page_count * page_size as bytes from pragma_page_count, pragma_page_size');
  // The first read makes the files beside the database.
  size.get();
  const content = new SameContent(connection, file);
  const expectedSize = () => Number(size.get()?.bytes);
  return new FileGuard(file, { place, expectedSize, isSameContent: () => content.compare() });
}

async function bringUpToDate(connection: DatabaseSync, db: Kysely<Tables>, place: string): Promise<void> {
  const table = connection.prepare('select name from sqlite_master where name = ?').get(migrationTable);
  if (table && compareMigrations(appliedIn(connection), place) === 'current') return;
  await db.transaction().execute(async (transaction) => {
    await migrate(transaction, place);
    connection.exec(`pragma application_id = ${applicationId}`);
  });
}

function appliedIn(connection: DatabaseSync): string[] {
  const rows = connection.prepare(`select name from ${migrationTable}`).all();
  return rows.map((row) => String(row.name));
}

interface SqliteParts {
  connection: DatabaseSync;
  db: Kysely<Tables>;
  place: string;
  wal: WalSync | undefined;
  guard: FileGuard | undefined;
  logger: Logger;
}

/**
 * One connection. Transactions of Kysely run one after another in a queue; groups of decisions are written in one
 * go on the same connection when the queue is free, so that the two never mix. A read never sees an open
 * transaction: Kysely lets it wait, and the quick check of a counter steps back.
 */
export class SqliteStoreDatabase implements Database {
  readonly kind = 'sqlite';
  readonly place: string;
  /** For backups, which SQLite makes from a connection. */
  readonly connection: DatabaseSync;
  readonly health: StorageHealth;
  readonly #db: Kysely<Tables>;
  readonly #queue = new WriteQueue();
  readonly #guard: FileGuard | undefined;
  readonly #upkeep: SqliteUpkeep | undefined;
  readonly #wal: WalSync | undefined;
  readonly #changes: EventChannel<void>;
  readonly #decisions: SqliteDecisions;
  readonly #statements: SqliteStatements;
  readonly #dataVersion: StatementSync;
  readonly #readRevision: StatementSync;
  /** What is known of the counters, as long as nobody else has written. */
  readonly #known = new Map<RevisionKey, number>();
  #seenDataVersion: unknown;
  #freshUntil = 0;
  #polledDataVersion: unknown;
  #timer: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: SqliteParts) {
    this.connection = parts.connection;
    this.place = parts.place;
    this.#db = parts.db;
    this.#wal = parts.wal;
    this.#guard = parts.guard;
    this.health = new StorageHealth(parts);
    const { connection, guard } = parts;
    const isFree = () => this.#queue.isFree && !connection.isTransaction;
    const probe = () => this.probe();
    this.#upkeep = guard && new SqliteUpkeep({ connection, guard, health: this.health, isFree, probe });
    this.#changes = new EventChannel((error) => parts.logger.error({ err: error }, 'a listener of the store failed'));
    this.#decisions = new SqliteDecisions(parts.connection);
    this.#statements = new SqliteStatements(parts.connection);
    this.#dataVersion = parts.connection.prepare('pragma data_version');
    // A list costs less than an object, and this is asked for often.
    this.#dataVersion.setReturnArrays(true);
    this.#readRevision = parts.connection.prepare('select value from revisions where key = ?');
  }

  read<T>(run: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return retryWhileBusy(this.place, async () => {
      this.#refuseClosed();
      try {
        return await run(this.#db);
      } catch (error) {
        if (!(error instanceof HubError)) this.#refuseClosed();
        throw this.health.failed(error);
      }
    });
  }

  async write<T>(run: (write: Write) => Promise<T>, { isDurable = true } = {}): Promise<T> {
    const result = await this.#inTurn(() =>
      this.#db.transaction().execute((db) => run({ db, bump: (key) => bumpRevision(db, key) })),
    );
    this.#known.clear();
    this.#changes.emit();
    if (isDurable) await this.sync();
    else {
      await nextTurn();
      this.#acknowledge();
    }
    return result;
  }

  revision(key: RevisionKey): number | undefined {
    if (this.#closing !== undefined || this.connection.isTransaction) return undefined;
    const now = performance.now();
    if (now >= this.#freshUntil) this.#lookForNews(now);
    return this.#known.get(key) ?? this.#learn(key);
  }

  watch(onChange: () => void): () => void {
    const stop = this.#changes.on(onChange);
    if (!this.#timer) {
      this.#polledDataVersion = this.#readDataVersion();
      this.#timer = setInterval(() => this.#poll(), pollMs).unref();
    }
    return () => {
      stop();
      if (this.#changes.size === 0) this.#stopPolling();
    };
  }

  insertDecisions(
    take: () => DecisionBatch,
    since = performance.now(),
  ): Promise<number | undefined> | number | undefined {
    this.#refuseLost();
    if (this.#queue.isFree) {
      try {
        return this.#decisions.insert(take());
      } catch (error) {
        if (!isBusy(error)) throw this.health.failed(error);
      }
    }
    return this.#inTurn(() => this.#decisions.insert(take()), since);
  }

  select<Row>(query: PreparedQuery): Promise<Row[]> {
    const select = () => this.#statements.select<Row>(query);
    return this.read((db) =>
      this.connection.isTransaction ? db.connection().execute(async () => select()) : Promise.resolve(select()),
    );
  }

  async fillSegment(segment: number, inserts: readonly BulkInsert[]): Promise<boolean> {
    const isDone = await this.#inTurn(() => this.#statements.fillSegment(segment, inserts));
    this.#wal?.holdsMuch();
    await nextTurn();
    this.#acknowledge();
    return isDone;
  }

  /** Also lets others in: nothing else in a write waits for the outside. */
  async sync(isShort?: boolean): Promise<void> {
    try {
      await (this.#wal ? this.#wal.sync(isShort) : nextTurn());
    } catch (error) {
      const fault = this.health.failed(error);
      if (fault instanceof HubError) throw fault;
      throw new HubError('UNAVAILABLE', `The database ${this.place} could not be written to the disk.`, {
        cause: error,
      });
    }
    this.#acknowledge();
  }

  async probe(): Promise<void> {
    this.#refuseClosed();
    if (this.health.fault === undefined) {
      await this.#tryLock();
      this.#acknowledge();
      return;
    }
    await this.write(async ({ db }) => {
      // Needs new pages, as a full disk or a limit refuses them, and leaves nothing behind.
      await sql`create table zoo_probe (content blob)`.execute(db);
      await sql`insert into zoo_probe values (zeroblob(65536))`.execute(db);
      await sql`drop table zoo_probe`.execute(db);
    });
    if (this.health.fault) throw this.health.fault;
  }

  /** A file that another process is writing to can be written. */
  async #tryLock(): Promise<void> {
    if (!this.#queue.isFree || this.connection.isTransaction) return;
    try {
      this.connection.exec('begin immediate');
      this.connection.exec('rollback');
    } catch (error) {
      if (!isBusy(error)) throw this.health.failed(error);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stopPolling();
    this.#upkeep?.close();
    await this.#queue.drain();
    await this.#wal?.close();
    this.connection.close();
  }

  /** One write at a time. Waits for other processes no longer than the caller may, counted from `since`. */
  async #inTurn<T>(run: () => Promise<T> | T, since = performance.now()): Promise<T> {
    this.#refuseLost();
    return this.#queue.run(async () => {
      try {
        return await retryWhileBusy(this.place, run, { since });
      } catch (error) {
        throw this.health.failed(error);
      }
    });
  }

  /** To be called between a write and the reply to it: what went into a file that is gone must not be called saved. */
  #acknowledge(): void {
    this.#lookAtFiles();
    this.health.wrote();
  }

  /** Spares a write that could not be acknowledged. After a rest, a write hides what happened to the files: this looks first. */
  #refuseLost(): void {
    this.#refuseClosed();
    if (this.health.fault?.details?.fault === 'replaced' || this.#guard?.isDue) this.#lookAtFiles();
  }

  #lookAtFiles(): void {
    try {
      this.#guard?.check();
    } catch (error) {
      if (error instanceof HubError) this.health.refused(error);
      throw error;
    }
  }

  #poll(): void {
    const dataVersion = this.#readDataVersion();
    if (dataVersion === undefined || dataVersion === this.#polledDataVersion) return;
    this.#polledDataVersion = dataVersion;
    this.#changes.emit();
  }

  /**
   * A look costs more than all that a call computes. Another process acknowledges a write only when it is on the disk, which
   * takes longer than a look counts: nobody can have heard of a write that an earlier look has missed.
   */
  #lookForNews(now: number): void {
    const dataVersion = this.#readDataVersion();
    if (dataVersion !== this.#seenDataVersion) this.#known.clear();
    this.#seenDataVersion = dataVersion;
    this.#freshUntil = now + lookCountsMs;
  }

  #learn(key: RevisionKey): number | undefined {
    try {
      const value = Number(this.#readRevision.get(key)?.value ?? 0);
      this.#known.set(key, value);
      return value;
    } catch {
      return undefined;
    }
  }

  /** Changes with each commit of another connection. Undefined when it cannot be told now. */
  #readDataVersion(): unknown {
    try {
      const row: unknown = this.#dataVersion.get();
      return Array.isArray(row) ? row[0] : undefined;
    } catch {
      // Busy or worse: whoever reads next waits, or hears what is wrong.
      return undefined;
    }
  }

  #stopPolling(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #refuseClosed(): void {
    if (this.#closing !== undefined) throw new HubError('UNAVAILABLE', `The database ${this.place} is closed.`);
  }
}
