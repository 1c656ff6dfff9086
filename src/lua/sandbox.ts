import { HubError } from '../base/hub-error.ts';
import { compileGlue } from './glue-module.ts';
import { startClock } from './job-clock.ts';
import type { LuaJob, LuaSandbox } from './lua-job.ts';
import { type LuaThread, startLuaThread } from './lua-thread.ts';

export interface LuaSandboxOptions {
  /** Threads that stay, 2 by default; as many more come for a while when long runs hold these. */
  threads?: number;
  /** What one script may use, 64 MB by default, at least 20. */
  memoryBytes?: number;
}

const megabyte = 1024 * 1024;
const maxWaiting = 1000;
/** A run that takes longer marks its script as long, until a run is short again. */
const longRunMs = 1000;
const maxRemembered = 1000;
/** How long a job waits before another thread is started for it. */
const patienceMs = 50;

/**
 * The time of a job begins when it is handed over, so waiting counts; one that gets its turn in time keeps at least half of
 * its limit, and one that gets none by then fails. Of those who wait, the script with the fewest runs goes first, then the
 * oldest. Connectors, and scripts whose last run was long, leave one of the threads that stay to the others.
 */
export function createLuaSandbox(options: LuaSandboxOptions = {}): LuaSandbox {
  const { threads = 2, memoryBytes = 64 * megabyte } = options;
  return new ThreadPool(Math.max(threads, 1), Math.max(memoryBytes, 20 * megabyte));
}

interface Waiting {
  job: LuaJob;
  start(thread: LuaThread): void;
}

class ThreadPool implements LuaSandbox {
  readonly #size: number;
  readonly #memoryBytes: number;
  readonly #threads = new Set<LuaThread>();
  readonly #running = new Map<LuaThread, LuaJob>();
  readonly #long = new Set<string>();
  readonly #ending = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  /** The one that rested longest is first, so that each has time to prepare for its next job. */
  #idle: LuaThread[] = [];
  #waiting: Waiting[] = [];
  #compiled: Promise<WebAssembly.Module> | undefined;
  #patience: NodeJS.Timeout | undefined;

  constructor(size: number, memoryBytes: number) {
    this.#size = size;
    this.#memoryBytes = memoryBytes;
  }

  async run(job: LuaJob): Promise<unknown> {
    const clock = startClock(job, this.#closing.signal);
    try {
      this.#compiled ??= compileGlue();
      const module = await this.#compiled;
      const thread = await this.#turn(job, module, clock.signal);
      clock.begin();
      const start = performance.now();
      try {
        return await thread.run(job, clock.signal);
      } finally {
        this.#remember(job, performance.now() - start);
        this.#giveBack(thread, module, clock.signal.aborted);
      }
    } finally {
      clock.stop();
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new HubError('UNAVAILABLE', 'The hub is closing; scripts no longer run.'));
    clearTimeout(this.#patience);
    for (const thread of this.#threads) this.#drop(thread);
    await Promise.all(this.#ending);
  }

  /** A thread of its own for the job, when it is its turn. */
  async #turn(job: LuaJob, module: WebAssembly.Module, signal: AbortSignal): Promise<LuaThread> {
    signal.throwIfAborted();
    if (this.#waiting.length >= maxWaiting) {
      throw new HubError(
        'UNAVAILABLE',
        `${job.shown} cannot start: ${maxWaiting} runs of scripts are waiting already.`,
      );
    }
    const { promise, resolve, reject } = Promise.withResolvers<LuaThread>();
    const waiting: Waiting = { job, start: resolve };
    const onAbort = () => {
      this.#waiting = this.#waiting.filter((each) => each !== waiting);
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.push(waiting);
    this.#dispatch(module);
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #dispatch(module: WebAssembly.Module, isPatient = true): void {
    if (this.#closing.signal.aborted) return;
    for (let next = this.#next(); next; next = this.#next()) {
      const mayStart = this.#threads.size < (isPatient ? this.#size : 2 * this.#size);
      const thread = this.#idle.shift() ?? (mayStart ? this.#start(module) : undefined);
      if (!thread) break;
      const chosen = next;
      this.#waiting = this.#waiting.filter((each) => each !== chosen);
      this.#running.set(thread, chosen.job);
      chosen.start(thread);
    }
    if (this.#next() && this.#threads.size < 2 * this.#size) {
      this.#patience ??= setTimeout(() => {
        this.#patience = undefined;
        this.#dispatch(module, false);
      }, patienceMs).unref();
    }
  }

  #next(): Waiting | undefined {
    const running = [...this.#running.values()];
    const longRunning = running.filter((job) => this.#isLong(job)).length;
    const mayRunLong = longRunning < Math.max(this.#size - 1, 1);
    const runs = (file: string) => running.filter((job) => job.file === file).length;
    let best: Waiting | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const waiting of this.#waiting) {
      if (!mayRunLong && this.#isLong(waiting.job)) continue;
      const count = runs(waiting.job.file);
      if (count >= fewest) continue;
      best = waiting;
      fewest = count;
    }
    return best;
  }

  #isLong(job: LuaJob): boolean {
    return job.table === 'connector' || this.#long.has(job.file);
  }

  #remember(job: LuaJob, durationMs: number): void {
    this.#long.delete(job.file);
    if (durationMs <= longRunMs) return;
    this.#long.add(job.file);
    const [oldest] = this.#long;
    if (this.#long.size > maxRemembered && oldest !== undefined) this.#long.delete(oldest);
  }

  #giveBack(thread: LuaThread, module: WebAssembly.Module, isStopped: boolean): void {
    this.#running.delete(thread);
    const isSpare = this.#threads.size > this.#size && this.#waiting.length === 0;
    const isUsedUp = isStopped || thread.isHeavy();
    if (isUsedUp || !thread.isAlive() || isSpare) this.#drop(thread);
    else this.#idle.push(thread);
    // The next job finds a warm thread in place of the one that is used up.
    if (isUsedUp && !this.#closing.signal.aborted && this.#threads.size < this.#size)
      this.#idle.push(this.#start(module));
    this.#dispatch(module);
  }

  #start(module: WebAssembly.Module): LuaThread {
    const thread = startLuaThread({ module, memoryBytes: this.#memoryBytes });
    this.#threads.add(thread);
    return thread;
  }

  #drop(thread: LuaThread): void {
    this.#threads.delete(thread);
    this.#idle = this.#idle.filter((each) => each !== thread);
    const ending = thread.stop().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}
