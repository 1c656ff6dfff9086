import { HubError } from './hub-error.ts';
import { Slots } from './slots.ts';

/** The limit for a whole request, unless something it calls has its own limit. Waits for the database are much shorter. */
export const requestMs = 30_000;
const sweepsPerLimit = 30;

export interface Due {
  /** By `performance.now()`. Infinity while there is no deadline. */
  readonly dueAt: number;
  /** Called by every sweep after `dueAt`, until it is changed or the item is removed. */
  onDue(): void;
}

/** Watches many deadlines with one timer, because a timer for each call would add noticeable cost. */
export class Deadlines {
  readonly limitMs: number;
  readonly #waiting = new Slots<Due>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limitMs = requestMs) {
    this.limitMs = limitMs;
  }

  /** Returns the slot, which `remove` needs. */
  add(due: Due): number {
    this.#arm();
    return this.#waiting.add(due);
  }

  remove(slot: number): void {
    this.#waiting.remove(slot);
  }

  /** Rejects if the work is not done in time. The work itself continues. */
  within<T>(work: Promise<T>, toError: (limitMs: number) => HubError): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let slot: number | undefined = this.add({
      dueAt: performance.now() + this.limitMs,
      onDue: () => {
        leave();
        reject(toError(this.limitMs));
      },
    });
    const leave = () => {
      if (slot !== undefined) this.remove(slot);
      slot = undefined;
    };
    work.finally(leave).then(resolve, reject);
    return promise;
  }

  /** Starts the timer, which stops when nothing is waiting. */
  #arm(): void {
    this.#timer ??= setTimeout(() => this.#sweep(), this.limitMs / sweepsPerLimit).unref();
  }

  #sweep(): void {
    this.#timer = undefined;
    if (this.#waiting.size === 0) return;
    this.#arm();
    const now = performance.now();
    for (const due of this.#waiting) if (due.dueAt <= now) due.onDue();
  }
}

export function tooLate(what: string, { limitMs, mayHaveRun }: { limitMs: number; mayHaveRun: boolean }): HubError {
  const advice = mayHaveRun ? 'It may still take effect: check before you try again.' : 'Try again later.';
  const message = `${what} did not finish within ${limitMs / 1000} s. ${advice}`;
  return new HubError('UNAVAILABLE', message, { details: { mayHaveRun } });
}
