import { type BigIntStats, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { HubError } from '../../base/hub-error.ts';
import { primaryCode, type StorageHealth, storageError } from './sqlite-errors.ts';

interface Identity {
  path: string;
  dev: bigint;
  ino: bigint;
  size: bigint;
}

/** How long a check stays valid for the next write. */
const freshMs = 5;
/** The minimum time between two comparisons: a busy hub checkpoints often, and each checkpoint changes the file's time. */
const compareAgainMs = 200;

interface GuardOptions {
  location: string;
  /** The size in bytes that SQLite expects. */
  expectedSize: () => number;
  /** Whether the file still holds what SQLite has read from it; undefined if that cannot be determined now. */
  isSameContent: () => boolean | undefined;
}

/**
 * Checks that the open files are still the ones at their paths. SQLite keeps writing to a file that was deleted or replaced, and
 * those writes are lost. The inode of an open file is never reused, so comparing inode numbers is reliable. A file that was
 * overwritten in place keeps its inode, so its content is compared when its time has changed. The database file is never opened
 * here, because closing it would drop SQLite's locks (POSIX locks belong to the process).
 */
export class FileGuard {
  readonly #database: Identity;
  readonly #wal: Identity;
  readonly #index: Identity;
  readonly #options: GuardOptions;
  /** The database file's modification time when its content was last compared. */
  #comparedTime: bigint;
  #comparedAt = performance.now();
  #isOverwritten = false;
  #checkedAt = performance.now();

  /** Call it after SQLite has opened the file and created the `-wal` and `-shm` files. */
  constructor(file: string, options: GuardOptions) {
    this.#options = options;
    this.#database = identityOf(file);
    this.#wal = identityOf(`${file}-wal`);
    this.#index = identityOf(`${file}-shm`);
    this.#comparedTime = statSync(file, { bigint: true }).mtimeNs;
  }

  /** Whether the next write should wait for a new check. */
  get isDue(): boolean {
    return performance.now() - this.#checkedAt > freshMs;
  }

  /** Throws STORAGE_FAILED if a file is gone or was replaced. Returns a text that changes with each commit of any process. */
  check(): string {
    const looksAgain = this.isDue;
    this.#checkedAt = performance.now();
    const now = this.#same(this.#database);
    if (now.size < this.#database.size && Number(now.size) !== this.#options.expectedSize()) throw this.#replaced();
    this.#database.size = now.size;
    this.#compare(now.mtimeNs, looksAgain);
    this.#same(this.#index);
    const wal = this.#same(this.#wal);
    return `${wal.size} ${wal.mtimeNs}`;
  }

  #compare(time: bigint, looksAgain: boolean): void {
    if (this.#isOverwritten) throw this.#replaced();
    const shouldCompare = looksAgain || this.#checkedAt - this.#comparedAt > compareAgainMs;
    if (time === this.#comparedTime || !shouldCompare) return;
    const isSame = this.#options.isSameContent();
    if (isSame === undefined) return;
    this.#comparedTime = time;
    this.#comparedAt = this.#checkedAt;
    this.#isOverwritten = !isSame;
    if (this.#isOverwritten) throw this.#replaced();
  }

  #replaced(): HubError {
    return storageError('replaced', this.#options.location);
  }

  #same(known: Identity): BigIntStats {
    const now = statSync(known.path, { bigint: true, throwIfNoEntry: false });
    if (now?.ino !== known.ino || now.dev !== known.dev) throw this.#replaced();
    return now;
  }
}

function identityOf(path: string): Identity {
  const { dev, ino, size } = statSync(path, { bigint: true });
  return { path, dev, ino, size };
}

/** SQLITE_ERROR (no such table), SQLITE_CORRUPT, SQLITE_NOTADB: see sqlite.org/rescode.html. */
const foreignCodes: ReadonlySet<number> = new Set([1, 11, 26]);

/** Differs after nearly every write of the hub, and in every other database. */
const markSql = `select (select schema_version from pragma_schema_version) || ' ' ||
  (select coalesce(max(seq), 0) from decision_groups) || ' ' ||
  (select coalesce(group_concat(key || '=' || value, ' '), '') from (select key, value from revisions order by key)) as mark`;

/**
 * Compares what a connection sees with what a new connection reads from the file. A connection caches pages, so it does not notice
 * that its file was overwritten in place; a new one does. SQLite must open and close the file: our own descriptor would drop its locks.
 */
export class SameContent {
  readonly #connection: DatabaseSync;
  readonly #file: string;
  #statement: StatementSync | undefined;

  constructor(connection: DatabaseSync, file: string) {
    this.#connection = connection;
    this.#file = file;
  }

  /** Undefined if it cannot be determined now: a transaction is open, or another process is writing. */
  compare(): boolean | undefined {
    if (this.#connection.isTransaction) return undefined;
    const before = this.#readOwn();
    if (before === undefined) return undefined;
    const fresh = this.#readFresh();
    if (fresh === undefined) return undefined;
    if (fresh === before) return true;
    return this.#readOwn() === before ? false : undefined;
  }

  /** Undefined if the connection itself cannot read: that is a separate fault, reported elsewhere. */
  #readOwn(): unknown {
    try {
      this.#statement ??= this.#connection.prepare(markSql);
      return this.#statement.get()?.mark;
    } catch {
      return undefined;
    }
  }

  /** Null if the file is no longer an Agent Zoo database; undefined if it cannot be read now. */
  #readFresh(): unknown {
    let connection: DatabaseSync | undefined;
    try {
      connection = new DatabaseSync(this.#file, { readOnly: true, timeout: 2 });
      return connection.prepare(markSql).get()?.mark;
    } catch (error) {
      return foreignCodes.has(primaryCode(error) ?? -1) ? null : undefined;
    } finally {
      connection?.close();
    }
  }
}

const tickMs = 250;
/** The `-wal` file counts as idle after this time without a commit by any process. */
const idleMs = 1_500;
const probeAgainMs = 5_000;

interface UpkeepParts {
  connection: DatabaseSync;
  guard: FileGuard;
  health: StorageHealth;
  /** Whether no transaction of this connection is open or waiting. */
  isFree: () => boolean;
  /** Checks whether a fault has passed. */
  probe: () => Promise<void>;
}

/** While nobody writes, notices a deleted or replaced file, and checkpoints. */
export class SqliteUpkeep {
  readonly #parts: UpkeepParts;
  readonly #timer: NodeJS.Timeout;
  #walState = '';
  #changedAt = performance.now();
  #isCheckpointed = false;
  #probedAt = 0;

  constructor(parts: UpkeepParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#tick(), tickMs).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const { guard, health } = this.#parts;
    try {
      const walState = guard.check();
      const now = performance.now();
      if (walState !== this.#walState) {
        this.#walState = walState;
        this.#changedAt = now;
        // Empty if another process has checkpointed.
        this.#isCheckpointed = walState.startsWith('0 ');
      } else if (!this.#isCheckpointed && now - this.#changedAt >= idleMs) this.#checkpoint(now);
      if (health.fault && now - this.#probedAt >= probeAgainMs) this.#probe(now);
    } catch (error) {
      if (error instanceof HubError) health.refused(error);
      else health.failed(error);
    }
  }

  #probe(now: number): void {
    this.#probedAt = now;
    // A failure is the fault that is already known.
    this.#parts.probe().catch(() => {});
  }

  /**
   * Moves all commits into the database file, so that a copy of the file is complete, and empties the `-wal` file, which would
   * otherwise be applied to a backup that someone copies over the database. Gives up at once if another connection is in the way.
   */
  #checkpoint(now: number): void {
    if (!this.#parts.isFree()) return;
    const row = this.#parts.connection.prepare('pragma wal_checkpoint(truncate)').get();
    this.#isCheckpointed = row?.busy === 0 && row.log === row.checkpointed;
    // A reader of an older state was in the way: try again later.
    if (!this.#isCheckpointed) this.#changedAt = now;
    // Emptying the `-wal` file changes it without a commit.
    this.#walState = this.#parts.guard.check();
  }
}
