import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { EventChannel } from '../base/events.ts';
import type { Logger } from '../base/logger.ts';
import { makePrivateFolder } from '../base/private-files.ts';
import { type Anchors, type Head, noAnchors, readLines, toLines } from './anchor-lines.ts';

/** How long the end of a chain waits before it is written. After a crash, newer entries could be cut off unnoticed. */
const flushMs = 1_000;
/** The file is rewritten, with one line per chain, when it exceeds this size and has doubled since the last rewrite. */
const maxBytes = 16 * 1024 * 1024;
/** How long another process may have held the old file open. */
const lateMs = 200;
const staleLockMs = 60_000;

export interface AnchorFileOptions {
  path: string;
  clock: Pick<Clock, 'now'>;
  logger: Logger;
  /** Returns the ends of all chains in the database, for the first line of the file. */
  allHeads(): Promise<Head[]>;
}

/**
 * A file outside the database that remembers how far each chain goes, so that a deleted chain, an emptied table and a cut end are noticed.
 * Processes append to it; a line counts only when it is complete. Calls do not wait for the writes, and a failed write never fails a call.
 */
export class AnchorFile {
  readonly path: string;
  readonly #options: AnchorFileOptions;
  readonly #flushed: EventChannel<readonly Head[]>;
  #waiting = new Map<string, Head>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();
  #hasStart = false;
  #hasFailed = false;
  #limit = maxBytes;
  /** The key of this process, named in each line. */
  keyId: string | null = null;

  constructor(options: AnchorFileOptions) {
    this.path = options.path;
    this.#options = options;
    this.#flushed = new EventChannel((error) =>
      options.logger.error({ err: error }, 'a listener of the anchors failed'),
    );
  }

  /** Notes the end of a chain that has been synced to disk. Takes a few hundred nanoseconds. */
  note(head: Omit<Head, 'at'>): void {
    this.#waiting.set(head.chain, { ...head, at: this.#options.clock.now() });
    this.#timer ??= setTimeout(() => void this.flush(), flushMs).unref();
  }

  /** Calls back with ends of chains that were written to the file. */
  onFlushed(listener: (heads: readonly Head[]) => void): () => void {
    return this.#flushed.on(listener);
  }

  /** Writes what was noted so far. Never rejects: if the file cannot be written, the next flush tries again. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushing = this.#flushing.then(() => this.#flush());
    return this.#flushing;
  }

  /** Records that a restore replaced all chains. Rejects if the file cannot be written. */
  async restored(heads: readonly Head[]): Promise<void> {
    await append(this.path, toLines(heads, { at: this.#options.clock.now(), key: this.keyId, event: 'restore' }));
  }

  /**
   * Takes over the anchors of a log that was copied here, whole. Anchors that are already here are about a log that is gone, and are
   * kept under another name. Rejects if the files cannot be read and written.
   */
  async continueFrom(other: Pick<AnchorFile, 'path'>): Promise<void> {
    const text = await readFile(other.path, 'utf8').catch(absent);
    const old = `${this.path}.before-move-${this.#options.clock.now()}`;
    await rename(this.path, old).catch(absent);
    if (text !== '') await append(this.path, text);
  }

  /** Returns what the file says. An absent file says nothing. */
  async read(): Promise<Anchors> {
    return readLines(await readFile(this.path, 'utf8').catch(absent));
  }

  async #flush(): Promise<void> {
    const heads = this.#waiting;
    if (heads.size === 0) return;
    this.#waiting = new Map();
    try {
      const start = await this.#start();
      const at = Math.min(...[...heads.values()].map((head) => head.at));
      const size = await append(this.path, start + toLines([...heads.values()], { at, key: this.keyId }));
      this.#hasStart = true;
      this.#hasFailed = false;
      this.#flushed.emit([...heads.values()]);
      if (size > this.#limit) this.#limit = Math.max(maxBytes, 2 * (await compact(this.path)));
    } catch (error) {
      // A newer end may have been noted meanwhile.
      for (const [chain, head] of heads) if (!this.#waiting.has(chain)) this.#waiting.set(chain, head);
      if (!this.#hasFailed)
        this.#options.logger.warn({ err: error, path: this.path }, 'the anchors of the log were not written');
      this.#hasFailed = true;
    }
  }

  /** Returns the first lines of a new file: the ends of all chains, including those that are older than the key. */
  async #start(): Promise<string> {
    if (this.#hasStart || ((await stat(this.path).catch(() => undefined))?.size ?? 0) > 0) return '';
    const at = this.#options.clock.now();
    return toLines(await this.#options.allHeads(), { at, key: this.keyId, event: 'start' });
  }
}

function absent(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}

/** Appends in one write, so that lines of several processes do not mix. Returns the size of the file. */
async function append(path: string, text: string): Promise<number> {
  makePrivateFolder(dirname(path));
  const file = await open(path, 'a', 0o600);
  try {
    await file.write(text);
    await file.datasync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

/** Rewrites the file with the last end of each chain. Returns its size. Does nothing if another process is already rewriting it. */
async function compact(path: string): Promise<number> {
  const lock = `${path}.lock`;
  const held = await open(lock, 'wx', 0o600).catch(() => undefined);
  if (!held) {
    const { mtimeMs } = await stat(lock).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > staleLockMs) await rm(lock, { force: true });
    return maxBytes;
  }
  await held.close();
  const whole = `${path}.${process.pid}`;
  try {
    const old = await open(path, 'r');
    try {
      const before = await readFile(old);
      const text = asOneFile(before.toString('utf8'));
      const made = await open(whole, 'w', 0o600);
      await made.writeFile(text);
      await made.sync();
      await made.close();
      await rename(whole, path);
      // A process that opened the old file just before may still append to it.
      await delay(lateMs);
      const { size } = await old.stat();
      if (size > before.length) {
        const late = Buffer.alloc(size - before.length);
        await old.read(late, 0, late.length, before.length);
        await append(path, `\n${late.toString('utf8')}\n`);
      }
      return text.length;
    } finally {
      await old.close();
    }
  } finally {
    await rm(whole, { force: true });
    await rm(lock, { force: true });
  }
}

function asOneFile(text: string): string {
  const { heads, keys, since = 0, lastAt = 0 } = readLines(text, noAnchors());
  const named = [...keys].map((key) => toLines([], { at: since, key, event: 'start' }));
  return [...named, toLines([...heads.values()], { at: lastAt, key: null })].join('');
}
