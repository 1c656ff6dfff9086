export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const timer = setTimeout(done, milliseconds);
      signal?.addEventListener('abort', abort, { once: true });
      function done() {
        signal?.removeEventListener('abort', abort);
        resolve();
      }
      function abort() {
        clearTimeout(timer);
        reject(signal?.reason);
      }
    }),
};

export const dayMs = 24 * 3_600_000;

let lastTime = Number.NaN;
let lastText = '';

/** Caches the last text, because many calls end in the same millisecond. */
export function toIso(milliseconds: number): string {
  if (milliseconds === lastTime) return lastText;
  lastText = new Date(milliseconds).toISOString();
  lastTime = milliseconds;
  return lastText;
}
