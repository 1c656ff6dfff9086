import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { HubError } from '../../base/hub-error.ts';
import { spawnGit, stopGroup } from './git-process.ts';

interface Waiting {
  id: string;
  resolve(content: Uint8Array): void;
  reject(error: HubError): void;
}

/** An idle process ends after this time. */
const idleMs = 300;

/** Reads blobs by id through one `git cat-file` process, which starts on first use. */
export class GitBlobs {
  readonly #repository: { cwd: string; gitDir: string };
  readonly #waiting: Waiting[] = [];
  #child: ChildProcessByStdio<Writable, Readable, Readable> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #parts: Buffer[] = [];
  #have = 0;
  /** The length of the current reply: header, content and final line feed. Undefined until the header has arrived. */
  #need: number | undefined;
  #headerLength = 0;

  constructor(repository: { cwd: string; gitDir: string }) {
    this.#repository = repository;
  }

  /** Throws UNAVAILABLE when the copy does not contain the blob. */
  async read(id: string, signal: AbortSignal): Promise<Uint8Array> {
    signal.throwIfAborted();
    clearTimeout(this.#idle);
    const child = this.#child ?? this.#start();
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    this.#waiting.push({ id, resolve, reject });
    child.stdin.write(`${id}\n`);
    const aborted = () => reject(signal.reason);
    signal.addEventListener('abort', aborted, { once: true });
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', aborted);
      this.#closeWhenIdle();
    }
  }

  close(): void {
    clearTimeout(this.#idle);
    const child = this.#child;
    if (!child) return;
    this.#end();
    child.stdin.end();
    stopGroup(child);
  }

  #start(): ChildProcessByStdio<Writable, Readable, Readable> {
    const child = spawnGit(['cat-file', '--batch'], this.#repository, 'pipe');
    const ended = () => {
      if (this.#child === child) this.#end();
    };
    child.on('error', ended).on('close', ended);
    child.stdin.on('error', ended);
    child.stderr.resume();
    child.stdout.on('data', (data: Buffer) => {
      if (this.#child === child) this.#take(data);
    });
    this.#child = child;
    return child;
  }

  /** Rejects all pending reads. */
  #end(): void {
    this.#child = undefined;
    this.#parts = [];
    this.#have = 0;
    this.#need = undefined;
    for (const { id, reject } of this.#waiting.splice(0)) reject(missingBlob(id));
  }

  #take(data: Buffer): void {
    this.#parts.push(data);
    this.#have += data.length;
    while (this.#waiting.length > 0) {
      if (this.#need === undefined && !this.#readHeader()) return;
      const need = this.#need ?? 0;
      if (this.#have < need) return;
      const all = this.#joined();
      const waiting = this.#waiting.shift();
      if (need === this.#headerLength) waiting?.reject(missingBlob(waiting.id));
      // Copied, because it is transferred to another thread.
      else waiting?.resolve(new Uint8Array(all.subarray(this.#headerLength, need - 1)));
      this.#parts = [all.subarray(need)];
      this.#have = all.length - need;
      this.#need = undefined;
    }
    this.#closeWhenIdle();
  }

  #closeWhenIdle(): void {
    clearTimeout(this.#idle);
    if (this.#waiting.length === 0) this.#idle = setTimeout(() => this.close(), idleMs);
  }

  /** `ID blob SIZE` or `ID missing`. */
  #readHeader(): boolean {
    const all = this.#joined();
    const end = all.indexOf(10);
    if (end < 0) return false;
    const size = / blob (\d+)$/.exec(all.toString('latin1', 0, end))?.[1];
    this.#headerLength = end + 1;
    this.#need = size === undefined ? this.#headerLength : this.#headerLength + Number(size) + 1;
    return true;
  }

  #joined(): Buffer {
    const [only] = this.#parts;
    if (this.#parts.length === 1 && only) return only;
    const all = Buffer.concat(this.#parts);
    this.#parts = [all];
    return all;
  }
}

export function missingBlob(id: string): HubError {
  return new HubError(
    'UNAVAILABLE',
    `The local copy of the repository has no content for blob ${id.slice(0, 12)}. The next sync clones it again.`,
  );
}
