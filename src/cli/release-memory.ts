import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface MemoryParts {
  /** Whether requests are running. */
  isBusy(): boolean;
  /** The share of time since the last check in which the event loop was busy. */
  utilization(): number;
  residentBytes(): number;
  collect(): void;
}

const checkMs = 2_500;
const quietShare = 0.01;
const worthBytes = 8 * 1024 * 1024;

/**
 * Releases memory while the hub is idle. V8 collects garbage only while a program allocates, so after a burst of calls the
 * memory would stay in use. A full collection stops the process for 50 to 100 ms, so it waits for an idle moment and for
 * enough memory to release. Returns a function that stops the checks.
 */
export function releaseMemoryWhenIdle(isBusy: () => boolean): () => void {
  let seen = performance.eventLoopUtilization();
  const utilization = () => {
    const before = seen;
    seen = performance.eventLoopUtilization();
    return performance.eventLoopUtilization(seen, before).utilization;
  };
  const residentBytes = () => process.memoryUsage.rss();
  const check = memoryRelease({ isBusy, utilization, residentBytes, collect: collectGarbage });
  const timer = setInterval(check, checkMs).unref();
  return () => clearInterval(timer);
}

/** Returns the function to call at each check. */
export function memoryRelease({ isBusy, utilization, residentBytes, collect }: MemoryParts): () => void {
  /** The memory in use after the last collection. */
  let needed = 0;
  return () => {
    const isQuiet = utilization() < quietShare && !isBusy();
    if (!isQuiet || residentBytes() - needed < worthBytes) return;
    collect();
    needed = residentBytes();
  };
}

/** Collects all garbage, including V8's caches, and returns free pages to the operating system. */
export function collectGarbage(): void {
  // The function `gc` exists only in contexts created while the flag is set.
  setFlagsFromString('--expose-gc');
  const collect: (options: object) => void = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
