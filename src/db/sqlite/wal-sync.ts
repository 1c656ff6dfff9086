import { close, fdatasync, fdatasyncSync, open } from 'node:fs';
import { promisify } from 'node:util';

const openFile = promisify(open);
const closeFile = promisify(close);
const syncFile = promisify(fdatasync);
/** Of the four threads in Node's pool one stays free for others. */
const maxAtOnce = 3;
/** A disk that is done within this time is waited for: to hand the work to a thread and back takes longer, and more of both cores. */
const quickMs = 0.4;
/** By way of a thread. */
const quickThereMs = 0.8;

/**
 * Brings committed transactions onto the disk, and stops the event loop for a moment at most. SQLite with `synchronous=NORMAL` writes
 * a commit to the `-wal` file and leaves it to the operating system; one fdatasync of that file makes every commit before it as
 * durable as `synchronous=FULL` would. On a disk that is quick that happens on the spot, because a thread and the way there and back
 * cost twice as much; otherwise on a thread of Node's pool, several at once: a disk that takes 250 µs for one takes 350 for three
 * (measured). (A checkpoint of another process in between syncs the file itself before it moves the pages, so nothing is missed.)
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
   * Resolves when every commit made before this call is on the disk. Rejects with the file system's error. `isShort`: there
   * is little to bring there, so the event loop may stand still for the moment that a quick disk needs.
   */
  sync(isShort = false): Promise<void> {
    if (isShort && this.#isQuick && this.#opened !== undefined && this.#running.size === 0)
      return this.#syncHere(this.#opened);
    if (this.#running.size < maxAtOnce) return this.#start();
    // Those that run may have begun before the caller's commit; the next one serves everybody who waits.
    this.#next ??= Promise.race([...this.#running].map((each) => each.catch(() => {}))).then(() => {
      this.#next = undefined;
      return this.#start();
    });
    return this.#next;
  }

  /** What was committed without a sync takes longer than a moment: the next one is done by a thread. */
  holdsMuch(): void {
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
    // SQLite keeps one -wal file for as long as a connection is open, so the handle stays good after a failed sync.
    this.#handle ??= openFile(this.#file, 'r+').catch((error: unknown) => {
      this.#handle = undefined;
      throw error;
    });
    this.#opened = await this.#handle;
    const begun = performance.now();
    await syncFile(this.#opened);
    this.#isQuick = performance.now() - begun < quickThereMs;
  }

  async #syncHere(handle: number): Promise<void> {
    const begun = performance.now();
    fdatasyncSync(handle);
    this.#isQuick = performance.now() - begun < quickMs;
  }
}
