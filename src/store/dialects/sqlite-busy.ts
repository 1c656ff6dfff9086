import { setTimeout as sleep } from 'node:timers/promises';
import { HubError } from '../../base/hub-error.ts';

const busyCode = 5;
const longestDelayMs = 25;
const busyDeadlineMs = 15_000;

/**
 * Runs again while another process holds the lock, with growing random pauses in which the event loop is free.
 * Real time on purpose: the other process does not follow our clock. Throws TRANSIENT_ERROR at the deadline.
 */
export async function retryWhileBusy<T>(
  place: string,
  run: () => Promise<T> | T,
  deadlineMs = busyDeadlineMs,
): Promise<T> {
  const started = performance.now();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() - started > deadlineMs) {
        throw new HubError(
          'TRANSIENT_ERROR',
          `The database ${place} stayed locked by another process for ${Math.round(deadlineMs / 1000)} seconds. Try again.`,
          { cause: error },
        );
      }
    }
    await sleep(1 + Math.random() * Math.min(2 ** attempt, longestDelayMs));
  }
}

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === busyCode;
}

/** SQLite's result code without its extension, see sqlite.org/rescode.html. */
export function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff;
}
