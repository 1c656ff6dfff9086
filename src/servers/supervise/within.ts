import type { Clock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';

export interface WithinOptions {
  clock: Clock;
  milliseconds: number;
  /** Creates the error to throw on a timeout. */
  timeoutError: () => HubError;
  signal?: AbortSignal | undefined;
  /** What is waited for, used in the message if the signal aborts: `the connection to "x"`. */
  subject: string;
}

/**
 * Waits for the work, but no longer than the given time, even if the work ignores its signal. A result that comes too late is dropped:
 * the work must clean up after itself.
 */
export async function within<T>(options: WithinOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, milliseconds, timeoutError, signal, subject } = options;
  const end = new AbortController();
  const cancelled = () => new HubError('CANCELLED', `Waiting for ${subject} was cancelled.`);
  if (signal?.aborted) throw cancelled();
  return new Promise<T>((resolve, reject) => {
    const abort = () => giveUp(cancelled());
    signal?.addEventListener('abort', abort, { once: true });
    clock.sleep(milliseconds, end.signal).then(
      () => giveUp(timeoutError()),
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
      // Stops the timer, and tells work that is still running that nobody waits for it.
      end.abort();
    }
  });
}
