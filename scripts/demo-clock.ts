import { type Clock, systemClock } from '../src/base/clock.ts';

export interface DemoClock extends Clock {
  /** Moves the clock to this many minutes ago, or as close to it as an earlier step allows. Time then passes only when something happens. */
  goBack(minutes: number, options?: { skipsSleep?: boolean }): void;
  /** Returns to the present. */
  goHome(): void;
}

/** Each reading of the past clock takes this long, so that calls have a duration. */
const readMs = 4;
/** Shorter sleeps can be skipped, so that retries do not slow down the demo. */
const maxSkippedMs = 5_000;

/** A clock that replays the demo's last day in a few seconds. */
export function demoClock(): DemoClock {
  const start = Date.now();
  let past: number | null = null;
  /** False while servers and models work, whose deadlines must not pass at once. */
  let isSkipping = false;
  return {
    goBack(minutes, { skipsSleep = false } = {}) {
      isSkipping = skipsSleep;
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
