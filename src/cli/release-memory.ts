import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface MemoryParts {
  /** Requests are under way. */
  isBusy(): boolean;
  /** The share of time, since the last look, in which the event loop had something to do. */
  utilization(): number;
  residentBytes(): number;
  collect(): void;
}

const lookMs = 2_500;
const quietShare = 0.01;
const worthBytes = 8 * 1024 * 1024;

/**
 * Gives memory back when a hub has nothing to do. V8 collects while a program allocates, so after a burst of calls it would keep what
 * they needed for as long as nobody calls. A full collection stops the process for 50 to 100 ms: it waits for a quiet moment, and
 * for memory that is worth it. Returns a function that stops it.
 */
export function releaseMemoryWhenIdle(isBusy: () => boolean): () => void {
  let seen = performance.eventLoopUtilization();
  const utilization = () => {
    const before = seen;
    seen = performance.eventLoopUtilization();
    return performance.eventLoopUtilization(seen, before).utilization;
  };
  const residentBytes = () => process.memoryUsage.rss();
  const look = memoryRelease({ isBusy, utilization, residentBytes, collect: collectGarbage });
  const timer = setInterval(look, lookMs).unref();
  return () => clearInterval(timer);
}

/** Returns what is done at each look. */
export function memoryRelease({ isBusy, utilization, residentBytes, collect }: MemoryParts): () => void {
  /** What was left after the last collection. */
  let needed = 0;
  return () => {
    const isQuiet = utilization() < quietShare && !isBusy();
    if (!isQuiet || residentBytes() - needed < worthBytes) return;
    collect();
    needed = residentBytes();
  };
}

/** Collects everything that nobody needs, caches of V8 included, and returns free pages to the operating system. */
export function collectGarbage(): void {
  // The function exists only in contexts that are made while the flag is set.
  setFlagsFromString('--expose-gc');
  const collect: (options: object) => void = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
