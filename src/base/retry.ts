import type { Clock } from './clock.ts';

export interface RetryOptions {
  /** How many times to try again after the first failure. */
  retries: number;
  delayMs: (attempt: number) => number;
  shouldRetry: (error: unknown) => boolean;
  clock: Clock;
  signal?: AbortSignal | undefined;
}

export async function retry<T>(options: RetryOptions, run: () => Promise<T> | T): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= options.retries || !options.shouldRetry(error)) throw error;
      await options.clock.sleep(options.delayMs(attempt), options.signal);
    }
  }
}
