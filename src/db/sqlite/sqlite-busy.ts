import { setTimeout as sleep } from 'node:timers/promises';
import { HubError } from '../../base/hub-error.ts';

const busyCode = 5;
const longestDelayMs = 25;
const busyDeadlineMs = 15_000;

/**
 * Runs again while another process holds the lock, with growing random pauses in which the event loop is free. The deadline
 * counts from `since`, when the caller arrived: whoever waits behind others does not wait longer for it.
 * Real time on purpose: the other process does not follow our clock. Throws TRANSIENT_ERROR at the deadline.
 */
export async function retryWhileBusy<T>(
  place: string,
  run: () => Promise<T> | T,
  { since = performance.now(), deadlineMs = busyDeadlineMs }: { since?: number; deadlineMs?: number } = {},
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() - since > deadlineMs) {
        throw new HubError(
          'TRANSIENT_ERROR',
          `The database ${place} stayed locked by another process for ${Math.round(deadlineMs / 1000)} seconds. Try again.`,
          { cause: error, details: { hasWaited: true } },
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
