import { close, fdatasync, fdatasyncSync, open } from 'node:fs';
import { promisify } from 'node:util';

const openFile = promisify(open);
const closeFile = promisify(close);
const syncFile = promisify(fdatasync);
/** Leaves one of the four threads in Node's pool free for others. */
const maxAtOnce = 3;
/** A sync that takes less is done on the event loop, because handing it to a thread and back takes longer. */
const quickMs = 0.4;
/** The same limit, measured through a thread. */
const quickInThreadMs = 0.8;

/**
 * Syncs committed transactions to the disk without blocking the event loop for more than a moment. With `synchronous=NORMAL`, SQLite
 * writes a commit to the `-wal` file and leaves it to the operating system; one fdatasync of that file makes every earlier commit as
 * durable as `synchronous=FULL` would. On a fast disk this runs on the event loop, because a thread would cost twice as much;
 * otherwise on threads of Node's pool, several at once: a disk that takes 250 µs for one sync takes 350 µs for three (measured). A
 * checkpoint by another process syncs the file before it moves pages, so nothing is missed.
 */
export class WalSync {
  readonly #file: string;
  readonly #running = new Set<Promise<void>>();
  #handle: Promise<number> | undefined;
  #opened: number | undefined;
  #isQuick = false;
  #next: Promise<void> | undefined;

  constructor(databaseFile: string) {
    this.#file = `${databaseFile}-wal`;
  }

  /**
   * Resolves when every commit made before this call is on the disk. Rejects with the file system's error. `isShort`: there is little
   * to sync, so the event loop may wait for a fast disk.
   */
  sync(isShort = false): Promise<void> {
    if (isShort && this.#isQuick && this.#opened !== undefined && this.#running.size === 0)
      return this.#syncHere(this.#opened);
    if (this.#running.size < maxAtOnce) return this.#start();
    // A running sync may have begun before the caller's commit; the next one serves everyone who waits.
    this.#next ??= Promise.race([...this.#running].map((each) => each.catch(() => {}))).then(() => {
      this.#next = undefined;
      return this.#start();
    });
    return this.#next;
  }

  /** Call it after a large commit: the next sync takes longer, so a thread does it. */
  expectSlowSync(): void {
    this.#isQuick = false;
  }

  async close(): Promise<void> {
    await this.#next?.catch(() => {});
    await Promise.allSettled(this.#running);
    const handle = await this.#handle?.catch(() => undefined);
    this.#handle = undefined;
    this.#opened = undefined;
    if (handle !== undefined) await closeFile(handle);
  }

  #start(): Promise<void> {
    const running = this.#syncNow().finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }

  async #syncNow(): Promise<void> {
    // SQLite keeps the same -wal file while a connection is open, so the handle stays valid after a failed sync.
    this.#handle ??= openFile(this.#file, 'r+').catch((error: unknown) => {
      this.#handle = undefined;
      throw error;
    });
    this.#opened = await this.#handle;
    const startedAt = performance.now();
    await syncFile(this.#opened);
    this.#isQuick = performance.now() - startedAt < quickInThreadMs;
  }

  async #syncHere(handle: number): Promise<void> {
    const startedAt = performance.now();
    fdatasyncSync(handle);
    this.#isQuick = performance.now() - startedAt < quickMs;
  }
}
