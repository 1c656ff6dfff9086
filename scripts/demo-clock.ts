import { type Clock, systemClock } from '../src/base/clock.ts';

export interface DemoClock extends Clock {
  /** Moves the clock to this many minutes ago. Time then passes only when something happens. */
  goBack(minutes: number): void;
  /** Returns to the present, where sleeping takes real time. */
  goHome(): void;
}

/** Each reading of the past clock takes this long, so that calls have a duration. */
const readMs = 4;
/** Shorter sleeps are skipped, so that retries do not slow down the demo. */
const maxSkippedMs = 5_000;

/** A clock that replays the demo's last day in a few seconds. */
export function demoClock(): DemoClock {
  const start = Date.now();
  let past: number | null = null;
  /** False in the present, where background work such as reconnecting must wait for real. */
  let isSkipping = true;
  return {
    goBack(minutes) {
      past = Math.max(Math.round(start - minutes * 60_000), past ?? 0);
    },
    goHome() {
      past = null;
      isSkipping = false;
    },
    now() {
      if (past === null) return Date.now();
      past += readMs;
      return past;
    },
    async sleep(milliseconds, signal) {
      if (past === null || !isSkipping || milliseconds > maxSkippedMs) return systemClock.sleep(milliseconds, signal);
      past += milliseconds;
    },
  };
}
