import { type BigIntStats, statSync } from 'node:fs';
import { storageError } from './storage-fault.ts';
import { WalIndex } from './wal-index.ts';

interface Identity {
  path: string;
  dev: bigint;
  ino: bigint;
  size: bigint;
}

const freshMs = 5;

/**
 * Tells whether the open files are still the ones that their paths name. SQLite keeps writing to a file that was deleted or
 * replaced, and what it writes is gone. An inode that is open cannot be given to another file, so comparing its number is sound.
 * A file that was overwritten in place keeps its inode: only checkpoints write to it, so its time must not change without one.
 * The database file is never opened here: closing it would drop SQLite's locks (POSIX locks belong to the process).
 */
export class FileGuard {
  readonly #place: string;
  readonly #database: Identity;
  readonly #wal: Identity;
  readonly #index: Identity;
  readonly #walIndex: WalIndex;
  /** When the database file was last written, and what the checkpoints had noted at that look. */
  #written: { at: bigint; settled: string | undefined };
  #isOverwritten = false;
  #checkedAt = performance.now();
  /** The size in bytes that SQLite knows of. */
  readonly #expectedSize: () => number;

  /** Call it when SQLite has opened the file, with its `-wal` and `-shm` files beside it. */
  constructor(file: string, options: { place: string; expectedSize: () => number }) {
    this.#place = options.place;
    this.#expectedSize = options.expectedSize;
    this.#database = identityOf(file);
    this.#wal = identityOf(`${file}-wal`);
    this.#index = identityOf(`${file}-shm`);
    this.#walIndex = new WalIndex(`${file}-shm`);
    this.#written = { settled: this.#walIndex.settled(), at: statSync(file, { bigint: true }).mtimeNs };
  }

  /** The last look is so long ago that the next write should wait for another one. */
  get isDue(): boolean {
    return performance.now() - this.#checkedAt > freshMs;
  }

  /** Throws STORAGE_FAILED when a file is gone or another one. Returns a text that changes with each commit of any process. */
  check(): string {
    this.#checkedAt = performance.now();
    // Before the look at the file: a checkpoint that begins in between must not look like somebody else's write.
    const settled = this.#walIndex.settled();
    const now = this.#same(this.#database);
    if (this.#isForeignWrite(now.mtimeNs, settled)) this.#isOverwritten = true;
    if (this.#isOverwritten) throw storageError('replaced', this.#place);
    this.#written = { at: now.mtimeNs, settled };
    if (now.size < this.#database.size && Number(now.size) !== this.#expectedSize())
      throw storageError('replaced', this.#place);
    this.#database.size = now.size;
    this.#same(this.#index);
    const wal = this.#same(this.#wal);
    return `${wal.size} ${wal.mtimeNs}`;
  }

  close(): void {
    this.#walIndex.close();
  }

  #isForeignWrite(at: bigint, settled: string | undefined): boolean {
    if (at === this.#written.at || settled === undefined || settled !== this.#written.settled) return false;
    return this.#walIndex.settled() === settled;
  }

  #same(known: Identity): BigIntStats {
    const now = statSync(known.path, { bigint: true, throwIfNoEntry: false });
    if (now?.ino !== known.ino || now.dev !== known.dev) throw storageError('replaced', this.#place);
    return now;
  }
}

function identityOf(path: string): Identity {
  const { dev, ino, size } = statSync(path, { bigint: true });
  return { path, dev, ino, size };
}
