import { readFileSync } from 'node:fs';

export interface Pauses {
  /** The longest turn of the event loop, by the clock. */
  pauseMs: number;
  /** The same without the time that the thread, ready to run, waited for other processes. What it waits for itself, such as the disk, is in both. */
  ownMs: number;
}

/** Watches the event loop of the main thread. */
export function watchPauses(): { stop(): Pauses } {
  let pauseMs = 0;
  let ownMs = 0;
  let last = { at: performance.now(), queued: queuedMs() };
  const look = () => {
    const now = { at: performance.now(), queued: queuedMs() };
    const turn = now.at - last.at;
    pauseMs = Math.max(pauseMs, turn);
    ownMs = Math.max(ownMs, turn - (now.queued - last.queued));
    last = now;
  };
  const timer = setInterval(look, 1);
  return {
    stop() {
      look();
      clearInterval(timer);
      return { pauseMs, ownMs };
    },
  };
}

/** How long the main thread has waited for a processor; 0 where the system does not tell. */
function queuedMs(): number {
  try {
    const [, queued] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
    return Number(queued) / 1e6;
  } catch {
    return 0;
  }
}
