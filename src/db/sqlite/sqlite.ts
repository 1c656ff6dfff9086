import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { HubError } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';
import type { CommittedChange } from '../change-bus.ts';
import type { BulkInsert, Database, DecisionBatch, PreparedQuery, Write } from '../database.ts';
import { GatheredChanges } from '../gathered-changes.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { Tables } from '../tables.ts';
import { type FileGuard, SqliteUpkeep } from './file-guard.ts';
import { SqliteChanges } from './sqlite-changes.ts';
import { sqliteSql } from './sqlite-dialect.ts';
import { isBusy, retryWhileBusy, StorageHealth } from './sqlite-errors.ts';
import { SqliteDecisions, SqliteStatements } from './sqlite-statements.ts';
import type { WalSync } from './wal-sync.ts';

interface SqliteParts {
  connection: DatabaseSync;
  db: Kysely<Tables>;
  location: string;
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
  readonly dialect: SqlDialect = sqliteSql;
  readonly location: string;
  readonly folder: string | undefined;
  /** For backups, which SQLite makes from a connection. */
  readonly connection: DatabaseSync;
  readonly health: StorageHealth;
  readonly changes: SqliteChanges;
  readonly #db: Kysely<Tables>;
  readonly #queue = new WriteQueue();
  readonly #guard: FileGuard | undefined;
  readonly #upkeep: SqliteUpkeep | undefined;
  readonly #wal: WalSync | undefined;
  readonly #decisions: SqliteDecisions;
  readonly #statements: SqliteStatements;
  #closing: Promise<void> | undefined;

  constructor(parts: SqliteParts) {
    this.connection = parts.connection;
    this.location = parts.location;
    this.folder = parts.connection.location() === null ? undefined : dirname(parts.location);
    this.#db = parts.db;
    this.#wal = parts.wal;
    this.#guard = parts.guard;
    this.health = new StorageHealth(parts);
    const { connection, guard } = parts;
    const isFree = () => this.#queue.isFree && !connection.isTransaction;
    const probe = () => this.probe();
    this.#upkeep = guard && new SqliteUpkeep({ connection, guard, health: this.health, isFree, probe });
    this.changes = new SqliteChanges({ connection, logger: parts.logger, read: (run) => this.read(run) });
    this.#decisions = new SqliteDecisions(parts.connection);
    this.#statements = new SqliteStatements(parts.connection);
  }

  read<T>(run: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return retryWhileBusy(this.location, async () => {
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
    let changes: CommittedChange[] = [];
    const transact = () =>
      this.#db.transaction().execute(async (db) => {
        const gathered = new GatheredChanges();
        const result = await run(gathered.writeTo(db));
        changes = await this.changes.note(db, gathered.take());
        return result;
      });
    const result = await this.#inTurn(transact);
    this.changes.committed(changes);
    if (isDurable) await this.sync();
    else {
      await nextTurn();
      this.#acknowledge();
    }
    return result;
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
      throw new HubError('UNAVAILABLE', `The database ${this.location} could not be written to the disk.`, {
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
    this.changes.close();
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
        return await retryWhileBusy(this.location, run, { since });
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

  #refuseClosed(): void {
    if (this.#closing !== undefined) throw new HubError('UNAVAILABLE', `The database ${this.location} is closed.`);
  }
}

/** One write at a time on a connection, in the order of asking. */
class WriteQueue {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  get isFree(): boolean {
    return this.#waiting === 0;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    const result = this.#last.then(work).finally(() => {
      this.#waiting -= 1;
    });
    this.#last = result.catch(() => {});
    return result;
  }

  /** Resolves when everything asked for until now is done. */
  async drain(): Promise<void> {
    await this.#last;
  }
}
