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
const maxWaiting = 2000;
const maxWaitingOfOne = 1000;
/** A run that takes longer marks its function as long, until a run is short again. */
const longRunMs = 1000;
const maxRemembered = 1000;
/** How long a job waits before another thread is started for it. */
const patienceMs = 50;

/**
 * The time of a job begins when it is handed over, so waiting counts; one that gets its turn in time keeps at least half of
 * its limit, and one that gets none by then fails. Of those who wait, the script with the fewest runs goes first, then the
 * one whose turn was longest ago, so a script that is asked often does not push others back. Connectors, and scripts whose
 * last run was long, leave one of the threads that stay to the others. The last of all threads is for a script whose last
 * run was short and that has none going, so those that never end cannot keep out those that are known to be quick.
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
  readonly #long = new Set<string>();
  readonly #quick = new Set<string>();
  readonly #ending = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  /** The one that rested longest is first, so that each has time to prepare for its next job. */
  #idle: LuaThread[] = [];
  #waiting: Waiting[] = [];
  /** When each script that waits had its last turn, counted up. */
  readonly #turns = new Map<string, number>();
  #turn = 0;
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
      const thread = await this.#thread(job, module, clock.signal);
      if (clock.signal.aborted) {
        // Called off between its turn and now: no later abort would reach it.
        this.#giveBack(thread, module, false);
        throw clock.signal.reason;
      }
      clock.begin();
      const start = performance.now();
      try {
        return await thread.run(job, clock.signal);
      } finally {
        this.#remember(job, performance.now() - start, clock.signal.aborted);
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
    const own = this.#waiting.filter((each) => each.job.file === job.file).length;
    if (own < maxWaitingOfOne && this.#waiting.length < maxWaiting) return;
    const who = own < maxWaitingOfOne ? `${maxWaiting} runs of scripts` : `${maxWaitingOfOne} of its runs`;
    throw new HubError('UNAVAILABLE', `${job.shown} cannot start: ${who} are waiting already.`);
  }

  #dispatch(module: WebAssembly.Module): void {
    if (this.#closing.signal.aborted) return;
    for (let next = this.#next(); next && this.#idle.length > 0; next = this.#next()) {
      const thread = this.#idle.shift();
      const chosen = next;
      if (!thread) break;
      this.#waiting = this.#waiting.filter((each) => each !== chosen);
      this.#running.set(thread, chosen.job);
      this.#turn += 1;
      this.#turns.set(chosen.job.file, this.#turn);
      chosen.start(thread);
    }
    if (this.#waiting.length === 0) this.#turns.clear();
    while (this.#threads.size < this.#size && this.#waiting.length > this.#starting()) this.#start(module);
    if (!this.#next()) return;
    this.#patience ??= setTimeout(() => {
      this.#patience = undefined;
      if (this.#next() && this.#starting() === 0 && this.#threads.size < 2 * this.#size) this.#start(module);
    }, patienceMs).unref();
  }

  /** Threads that will be idle soon. */
  #starting(): number {
    return this.#threads.size - this.#idle.length - this.#running.size;
  }

  #next(): Waiting | undefined {
    const running = [...this.#running.values()];
    const longRunning = running.filter((job) => this.#isLong(job)).length;
    const mayRunLong = longRunning < Math.max(this.#size - 1, 1);
    const isLastThread = running.length >= 2 * this.#size - 1;
    let best: Waiting | undefined;
    let bestRank = Number.POSITIVE_INFINITY;
    for (const waiting of this.#waiting) {
      const { file } = waiting.job;
      if (!mayRunLong && this.#isLong(waiting.job)) continue;
      const own = running.filter((job) => job.file === file).length;
      if (isLastThread && (own > 0 || !this.#quick.has(functionOf(waiting.job)))) continue;
      const rank = own * 2 ** 40 + (this.#turns.get(file) ?? 0);
      if (rank >= bestRank) continue;
      best = waiting;
      bestRank = rank;
    }
    return best;
  }

  #isLong(job: LuaJob): boolean {
    return job.table === 'connector' || this.#long.has(functionOf(job));
  }

  #remember(job: LuaJob, durationMs: number, isStopped: boolean): void {
    const name = functionOf(job);
    this.#long.delete(name);
    this.#quick.delete(name);
    if (durationMs > longRunMs) keep(this.#long, name);
    else if (!isStopped) keep(this.#quick, name);
  }

  #giveBack(thread: LuaThread, module: WebAssembly.Module, isStopped: boolean): void {
    this.#running.delete(thread);
    const isUsedUp = isStopped || thread.isHeavy() || !thread.isAlive();
    if (isUsedUp) this.#drop(thread);
    else this.#rest(thread);
    // The next job finds a warm thread in place of the one that is used up.
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

  /** Trying again for ever would help nobody: who waits is told. */
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

/** Reading the metadata of a script says nothing about how long its function takes. */
function functionOf({ file, call }: LuaJob): string {
  return `${file}\0${call?.name ?? ''}`;
}

function keep(names: Set<string>, name: string): void {
  names.add(name);
  const [oldest] = names;
  if (names.size > maxRemembered && oldest !== undefined) names.delete(oldest);
}
