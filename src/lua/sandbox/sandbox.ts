import { HubError } from '../../base/hub-error.ts';
import { compileGlue } from './glue-module.ts';
import { startClock } from './job-clock.ts';
import type { LuaItem, LuaJob, LuaSandbox } from './lua-job.ts';
import { type LuaThread, startLuaThread } from './lua-thread.ts';

export interface LuaSandboxOptions {
  /** The number of permanent threads. Default: 2. Up to as many more are started while long runs block these. */
  threads?: number;
  /** The memory limit of a script. Default: 64 MB; minimum: 20 MB. */
  memoryBytes?: number;
}

const megabyte = 1024 * 1024;
const maxWaiting = 2000;
const maxWaitingOfOne = 1000;
/** How long a job waits before an extra thread is started. */
const extraThreadDelayMs = 50;

/**
 * Runs scripts in order of arrival. While others wait, each script gets one thread at a time, and connectors, whose scans take
 * long, leave one permanent thread free. The time limit of a job includes waiting; a job that gets a thread in time keeps at
 * least half of its limit, and a job that does not fails.
 */
export function createLuaSandbox(options: LuaSandboxOptions = {}): LuaSandbox {
  const { threads = 2, memoryBytes = 64 * megabyte } = options;
  return new ThreadPool(Math.max(threads, 1), Math.max(memoryBytes, 20 * megabyte));
}

interface Waiting {
  job: LuaJob;
  start(thread: LuaThread): void;
  fail(error: unknown): void;
}

class ThreadPool implements LuaSandbox {
  readonly #size: number;
  readonly #memoryBytes: number;
  readonly #threads = new Set<LuaThread>();
  readonly #running = new Map<LuaThread, LuaJob>();
  readonly #ending = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  /** The thread that has been idle longest is first, so that each has time to prepare for its next job. */
  #idle: LuaThread[] = [];
  #waiting: Waiting[] = [];
  #compiled: Promise<WebAssembly.Module> | undefined;
  #extraThreadTimer: NodeJS.Timeout | undefined;

  constructor(size: number, memoryBytes: number) {
    this.#size = size;
    this.#memoryBytes = memoryBytes;
  }

  async run(job: LuaJob): Promise<unknown> {
    const clock = startClock(job, this.#closing.signal);
    try {
      this.#compiled ??= compileGlue();
      const module = await this.#compiled;
      const thread = await this.#thread(job, module, clock.signal);
      if (clock.signal.aborted) {
        // The job was cancelled after it got its thread, so no later abort would reach it.
        this.#giveBack(thread, module, false);
        throw clock.signal.reason;
      }
      clock.begin();
      try {
        const { takeItems } = job;
        const timed = takeItems
          ? { ...job, takeItems: (items: readonly LuaItem[]) => clock.suspended(() => takeItems(items)) }
          : job;
        return await thread.run(timed, clock.signal);
      } finally {
        this.#giveBack(thread, module, clock.signal.aborted);
      }
    } finally {
      clock.stop();
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new HubError('UNAVAILABLE', 'The hub is closing; scripts no longer run.'));
    clearTimeout(this.#extraThreadTimer);
    for (const thread of this.#threads) this.#drop(thread);
    await Promise.all(this.#ending);
  }

  /** Resolves to a thread for the job when it is its turn. */
  async #thread(job: LuaJob, module: WebAssembly.Module, signal: AbortSignal): Promise<LuaThread> {
    signal.throwIfAborted();
    this.#refuseWhenFull(job);
    const { promise, resolve, reject } = Promise.withResolvers<LuaThread>();
    const waiting: Waiting = { job, start: resolve, fail: reject };
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

  #refuseWhenFull(job: LuaJob): void {
    const waitingRuns = this.#waiting.filter((each) => each.job.file === job.file).length;
    if (waitingRuns < maxWaitingOfOne && this.#waiting.length < maxWaiting) return;
    const who = waitingRuns < maxWaitingOfOne ? `${maxWaiting} runs of scripts` : `${maxWaitingOfOne} of its runs`;
    throw new HubError('UNAVAILABLE', `${job.shown} cannot start: ${who} are already waiting.`);
  }

  #dispatch(module: WebAssembly.Module): void {
    if (this.#closing.signal.aborted) return;
    for (let next = this.#next(); next && this.#idle.length > 0; next = this.#next()) {
      const thread = this.#idle.shift();
      const chosen = next;
      if (!thread) break;
      this.#waiting = this.#waiting.filter((each) => each !== chosen);
      this.#running.set(thread, chosen.job);
      chosen.start(thread);
    }
    while (this.#threads.size < this.#size && this.#waiting.length > this.#starting()) this.#start(module);
    if (!this.#next()) return;
    this.#extraThreadTimer ??= setTimeout(() => {
      this.#extraThreadTimer = undefined;
      if (this.#next() && this.#starting() === 0 && this.#threads.size < 2 * this.#size) this.#start(module);
    }, extraThreadDelayMs).unref();
  }

  /** The number of starting threads. */
  #starting(): number {
    return this.#threads.size - this.#idle.length - this.#running.size;
  }

  #next(): Waiting | undefined {
    const running = [...this.#running.values()];
    const scans = running.filter(({ table }) => table === 'connector').length;
    const mayScan = scans < Math.max(this.#size - 1, 1);
    const files = new Set(running.map(({ file }) => file));
    let first: Waiting | undefined;
    for (const waiting of this.#waiting) {
      if (!mayScan && waiting.job.table === 'connector') continue;
      if (!files.has(waiting.job.file)) return waiting;
      first ??= waiting;
    }
    return first;
  }

  #giveBack(thread: LuaThread, module: WebAssembly.Module, isStopped: boolean): void {
    this.#running.delete(thread);
    const isUsedUp = isStopped || thread.isHeavy() || !thread.isAlive();
    if (isUsedUp) this.#drop(thread);
    else this.#rest(thread);
    // Starts a replacement for the discarded thread, ready for the next job.
    if (isUsedUp && !this.#closing.signal.aborted && this.#threads.size < this.#size) this.#start(module);
    this.#dispatch(module);
  }

  #rest(thread: LuaThread): void {
    const isSpare = this.#threads.size > this.#size && this.#waiting.length === 0;
    if (isSpare) this.#drop(thread);
    else this.#idle.push(thread);
  }

  #start(module: WebAssembly.Module): void {
    const thread = startLuaThread({ module, memoryBytes: this.#memoryBytes });
    this.#threads.add(thread);
    void thread.ready.then((isReady) => {
      if (!this.#threads.has(thread)) return;
      if (isReady) this.#rest(thread);
      else this.#failToStart(thread);
      this.#dispatch(module);
    });
  }

  /** Fails all waiting jobs if no thread can be started, instead of retrying forever. */
  #failToStart(thread: LuaThread): void {
    this.#drop(thread);
    if (this.#threads.size > 0) return;
    const error = new HubError('INTERNAL_ERROR', 'Internal error', {
      cause: new Error('No Lua thread can be started.'),
    });
    for (const waiting of this.#waiting.splice(0)) waiting.fail(error);
  }

  #drop(thread: LuaThread): void {
    this.#threads.delete(thread);
    this.#idle = this.#idle.filter((each) => each !== thread);
    const ending = thread.stop().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}
