import type { Clock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';

export interface WithinOptions {
  clock: Clock;
  milliseconds: number;
  /** What is thrown when the time is over. */
  late: () => HubError;
  signal?: AbortSignal | undefined;
  /** For the message when the signal ends it: `the connection to "x"`. */
  what: string;
}

/**
 * Waits no longer than that, however the work behaves. It is told by its own signal, and what it brings too late goes to
 * nobody: whoever begins the work sees to its end.
 */
export async function within<T>(options: WithinOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, milliseconds, late, signal, what } = options;
  const end = new AbortController();
  const cancelled = () => new HubError('CANCELLED', `Waiting for ${what} was given up.`);
  if (signal?.aborted) throw cancelled();
  return new Promise<T>((resolve, reject) => {
    const abort = () => giveUp(cancelled());
    signal?.addEventListener('abort', abort, { once: true });
    clock.sleep(milliseconds, end.signal).then(
      () => giveUp(late()),
      () => {},
    );
    work(end.signal).then(
      (value) => finish(() => resolve(value)),
      (error) => finish(() => reject(error)),
    );

    function giveUp(error: HubError): void {
      finish(() => reject(error));
    }

    function finish(settle: () => void): void {
      signal?.removeEventListener('abort', abort);
      settle();
      // Ends the timer; work that is still under way hears that nobody waits any more.
      end.abort();
    }
  });
}
