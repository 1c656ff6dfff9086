import { type Clock, systemClock } from '../src/base/clock.ts';

export interface DemoClock extends Clock {
  /** From now on it is so many minutes ago, and time goes on only by what happens. */
  goBack(minutes: number): void;
  /** Back in the present; from then on whoever waits does wait. */
  goHome(): void;
}

/** How long each look at the clock takes in the past: calls have a duration there, too. */
const lookMs = 4;
/** What is repeated does not hold up the demo; whoever waits for longer waits for something else. */
const maxSkippedMs = 5_000;

/** A clock that lives through the demo's last day in a few seconds. */
export function demoClock(): DemoClock {
  const start = Date.now();
  let past: number | null = null;
  /** Something waits for its turn by then, a lost server for one: it must not get every turn there is. */
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
      past += lookMs;
      return past;
    },
    async sleep(milliseconds, signal) {
      if (past === null || !isSkipping || milliseconds > maxSkippedMs) return systemClock.sleep(milliseconds, signal);
      past += milliseconds;
    },
  };
}
