import { type BigIntStats, statSync } from 'node:fs';
import { storageError } from './storage-fault.ts';

interface Identity {
  path: string;
  dev: bigint;
  ino: bigint;
  size: bigint;
}

/**
 * Tells whether the open files are still the ones that their paths name. SQLite keeps writing to a file that was deleted or
 * replaced, and what it writes is gone. An inode that is open cannot be given to another file, so comparing its number is sound.
 * The database file is never opened here: closing it would drop SQLite's locks (POSIX locks belong to the process).
 */
export class FileGuard {
  readonly #place: string;
  readonly #database: Identity;
  readonly #wal: Identity;
  readonly #index: Identity;
  /** The size in bytes that SQLite knows of. */
  readonly #expectedSize: () => number;

  /** Call it when SQLite has opened the file, with its `-wal` and `-shm` files beside it. */
  constructor(file: string, options: { place: string; expectedSize: () => number }) {
    this.#place = options.place;
    this.#expectedSize = options.expectedSize;
    this.#database = identityOf(file);
    this.#wal = identityOf(`${file}-wal`);
    this.#index = identityOf(`${file}-shm`);
  }

  /** Throws STORAGE_FAILED when a file is gone or another one. Returns a text that changes with each commit of any process. */
  check(): string {
    const now = this.#same(this.#database);
    if (now.size < this.#database.size && Number(now.size) !== this.#expectedSize())
      throw storageError('replaced', this.#place);
    this.#database.size = now.size;
    this.#same(this.#index);
    const wal = this.#same(this.#wal);
    return `${wal.size} ${wal.mtimeNs}`;
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
