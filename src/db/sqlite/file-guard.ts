import { type BigIntStats, statSync } from 'node:fs';
import type { HubError } from '../../base/hub-error.ts';
import { storageError } from './storage-fault.ts';

interface Identity {
  path: string;
  dev: bigint;
  ino: bigint;
  size: bigint;
}

/** How long a look counts for the next write. */
const freshMs = 5;
/** A busy hub checkpoints often, and each one changes the file's time. */
const compareAgainMs = 200;

interface GuardOptions {
  place: string;
  /** The size in bytes that SQLite knows of. */
  expectedSize: () => number;
  /** Whether the file still holds what SQLite has read from it; undefined when that cannot be told now. */
  isSameContent: () => boolean | undefined;
}

/**
 * Tells whether the open files are still the ones that their paths name. SQLite keeps writing to a file that was deleted or
 * replaced, and what it writes is gone. An inode that is open cannot be given to another file, so comparing its number is sound.
 * A file that was overwritten in place keeps its inode, so its content is compared when its time has changed.
 * The database file is never opened here: closing it would drop SQLite's locks (POSIX locks belong to the process).
 */
export class FileGuard {
  readonly #database: Identity;
  readonly #wal: Identity;
  readonly #index: Identity;
  readonly #options: GuardOptions;
  /** When the database file had last been written to, at the last look that compared its content. */
  #comparedTime: bigint;
  #comparedAt = performance.now();
  #isOverwritten = false;
  #checkedAt = performance.now();

  /** Call it when SQLite has opened the file, with its `-wal` and `-shm` files beside it. */
  constructor(file: string, options: GuardOptions) {
    this.#options = options;
    this.#database = identityOf(file);
    this.#wal = identityOf(`${file}-wal`);
    this.#index = identityOf(`${file}-shm`);
    this.#comparedTime = statSync(file, { bigint: true }).mtimeNs;
  }

  /** The last look is so long ago that the next write should wait for another one. */
  get isDue(): boolean {
    return performance.now() - this.#checkedAt > freshMs;
  }

  /** Throws STORAGE_FAILED when a file is gone or another one. Returns a text that changes with each commit of any process. */
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
    const isTimely = looksAgain || this.#checkedAt - this.#comparedAt > compareAgainMs;
    if (time === this.#comparedTime || !isTimely) return;
    const isSame = this.#options.isSameContent();
    if (isSame === undefined) return;
    this.#comparedTime = time;
    this.#comparedAt = this.#checkedAt;
    this.#isOverwritten = !isSame;
    if (this.#isOverwritten) throw this.#replaced();
  }

  #replaced(): HubError {
    return storageError('replaced', this.#options.place);
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
