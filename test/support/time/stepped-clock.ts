import type { Clock } from '../../../src/base/clock.ts';

export interface SteppedClock extends Clock {
  time: number;
  /** Advances the clock and ends the sleeps that are over by then. */
  advance(milliseconds: number): void;
  /** Sets the clock, back or forward, without time passing. */
  jump(milliseconds: number): void;
  /** The requested durations of the current sleeps. */
  sleeps(): number[];
}

/** A clock that advances only when the test says so. */
export function steppedClock(time = Date.UTC(2026, 10, 15, 12)): SteppedClock {
  const sleepers = new Set<{ wanted: number; until: number; wake: () => void }>();
  return {
    time,
    now() {
      return this.time;
    },
    advance(milliseconds) {
      this.time += milliseconds;
      for (const sleeper of [...sleepers]) if (sleeper.until <= this.time) sleeper.wake();
    },
    jump(milliseconds) {
      this.time += milliseconds;
      for (const sleeper of sleepers) sleeper.until += milliseconds;
    },
    sleeps: () => [...sleepers].map(({ wanted }) => wanted),
    sleep(milliseconds, signal) {
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const sleeper = { wanted: milliseconds, until: this.time + milliseconds, wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', abort, { once: true });
        function wake() {
          end();
          resolve();
        }
        function abort() {
          end();
          reject(signal?.reason);
        }
        function end() {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', abort);
        }
      });
    },
  };
}
