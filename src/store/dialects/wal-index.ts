import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** As much of the `-shm` file as is read: two copies of its header, then what checkpoints note (sqlite.org/walformat.html). */
const headBytes = 136;
const saltsAt = 32;
const backfilledAt = 96;
const attemptedAt = 128;

interface SharedDescriptor {
  descriptor: number;
  users: number;
}

/**
 * By inode. POSIX locks belong to the process: closing any descriptor of the file would drop the locks of every connection to it, so one
 * descriptor serves all of them and is closed with the last.
 */
const shared = new Map<string, SharedDescriptor>();

/** Reads how far checkpoints have come, from the index that all processes share. */
export class WalIndex {
  readonly #key: string;
  readonly #shared: SharedDescriptor;
  readonly #head = Buffer.alloc(headBytes);
  #isOpen = true;

  constructor(path: string) {
    const { dev, ino } = statSync(path, { bigint: true });
    this.#key = `${dev} ${ino}`;
    this.#shared = shared.get(this.#key) ?? { descriptor: openSync(path, 'r'), users: 0 };
    this.#shared.users += 1;
    shared.set(this.#key, this.#shared);
  }

  /**
   * A text that stays the same while no checkpoint writes to the database file; undefined while one is under way. A checkpoint notes its
   * goal before its first write, and that it was reached after its last.
   */
  settled(): string | undefined {
    const bytes = readSync(this.#shared.descriptor, this.#head, 0, headBytes, 0);
    if (bytes < headBytes) return undefined;
    const attempted = this.#head.subarray(attemptedAt, attemptedAt + 4);
    if (!attempted.equals(this.#head.subarray(backfilledAt, backfilledAt + 4))) return undefined;
    return this.#head.toString('hex', saltsAt, saltsAt + 8) + attempted.toString('hex');
  }

  /** To be called when the connection is closed. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#shared.users -= 1;
    if (this.#shared.users > 0) return;
    shared.delete(this.#key);
    closeSync(this.#shared.descriptor);
  }
}
