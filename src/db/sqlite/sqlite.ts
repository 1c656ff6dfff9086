import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { HubError } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';
import type { CommittedChange } from '../change-bus.ts';
import type { BulkInsert, Database, DecisionBatch, PreparedQuery, WaitingStep, Write } from '../database.ts';
import { GatheredChanges } from '../gathered-changes.ts';
import { migrate } from '../migrate.ts';
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
 * A SQLite file with one connection. Kysely's transactions run one after another in a queue. Groups of decisions are written
 * synchronously on the same connection while the queue is free, so that the two never mix. A read never sees an open
 * transaction: Kysely makes it wait, and the quick check of a counter reports nothing.
 */
export class SqliteStoreDatabase implements Database {
  readonly kind = 'sqlite';
  readonly dialect: SqlDialect = sqliteSql;
  readonly location: string;
  readonly folder: string | undefined;
  /** For backups, which SQLite takes from a connection. */
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
      this.#rejectIfClosed();
      try {
        return await run(this.#db);
      } catch (error) {
        if (!(error instanceof HubError)) this.#rejectIfClosed();
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

  execute<T>(run: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.write(({ db }) => run(db), { isDurable: false });
  }

  migrate(options?: { isForced?: boolean }): Promise<WaitingStep[]> {
    return this.write(({ db }) => migrate(db, this.location, options));
  }

  insertDecisions(
    take: () => DecisionBatch,
    since = performance.now(),
  ): Promise<number | undefined> | number | undefined {
    this.#rejectIfLost();
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
    this.#wal?.expectSlowSync();
    await nextTurn();
    this.#acknowledge();
    return isDone;
  }

  /** Also yields to the event loop, because nothing else in a write does. */
  async sync(isShort?: boolean): Promise<void> {
    try {
      await (this.#wal ? this.#wal.sync(isShort) : nextTurn());
    } catch (error) {
      const fault = this.health.failed(error);
      if (fault instanceof HubError) throw fault;
      throw new HubError(
        'UNAVAILABLE',
        `The database ${this.location} could not be synced to the disk. Check the disk, then try again.`,
        {
          cause: error,
        },
      );
    }
    this.#acknowledge();
  }

  async probe(): Promise<void> {
    this.#rejectIfClosed();
    if (this.health.fault === undefined) {
      await this.#tryLock();
      this.#acknowledge();
      return;
    }
    await this.write(async ({ db }) => {
      // Needs new pages, which a full disk or a quota would refuse, and leaves nothing behind.
      await sql`create table zoo_probe (content blob)`.execute(db);
      await sql`insert into zoo_probe values (zeroblob(65536))`.execute(db);
      await sql`drop table zoo_probe`.execute(db);
    });
    if (this.health.fault) throw this.health.fault;
  }

  /** Checks that the file can be locked for writing. A lock held by another process is fine. */
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

  /** Runs one write at a time. The time limit for other processes' locks counts from `since`. */
  async #inTurn<T>(run: () => Promise<T> | T, since = performance.now()): Promise<T> {
    this.#rejectIfLost();
    return this.#queue.run(async () => {
      try {
        return await retryWhileBusy(this.location, run, { since });
      } catch (error) {
        throw this.health.failed(error);
      }
    });
  }

  /** Call it between a write and its reply: a write to a file that is gone must not be reported as saved. */
  #acknowledge(): void {
    this.#checkFiles();
    this.health.wrote();
  }

  /** Throws if the files are known to be gone. After a pause, it checks them first, because a write would hide what happened. */
  #rejectIfLost(): void {
    this.#rejectIfClosed();
    if (this.health.fault?.details?.fault === 'replaced' || this.#guard?.isDue) this.#checkFiles();
  }

  #checkFiles(): void {
    try {
      this.#guard?.check();
    } catch (error) {
      if (error instanceof HubError) this.health.refused(error);
      throw error;
    }
  }

  #rejectIfClosed(): void {
    if (this.#closing !== undefined) throw new HubError('UNAVAILABLE', `The database ${this.location} is closed.`);
  }
}

/** Runs one write at a time, in the order of arrival. */
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

  /** Resolves when everything queued so far is done. */
  async drain(): Promise<void> {
    await this.#last;
  }
}
