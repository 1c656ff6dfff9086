import { setTimeout as sleep } from 'node:timers/promises';
import type { HubErrorCode } from '../../base/error-codes.ts';
import { HubError } from '../../base/hub-error.ts';

const maxRepeats = 3;
/** How long a migration lets others have the table that it waits for. */
const giveWayMs = 200;

/** The server did not reply in time. */
export class LateError extends Error {}

export interface FailedUse {
  location: string;
  /** Whether a commit, or a statement that commits by itself, was running. */
  mayHaveRun: boolean;
}

/** Error codes that do not blame the statement, see https://www.postgresql.org/docs/current/errcodes-appendix.html. */
const causes: [codes: RegExp, code: HubErrorCode, what: string, forPerson?: string][] = [
  [/^40/, 'TRANSIENT_ERROR', 'ended the transaction because it collided with others'],
  [/^55P03$/, 'UNAVAILABLE', 'has a table or row that is locked by another session'],
  [/^570(?:00|14)$/, 'TRANSIENT_ERROR', 'cancelled the statement'],
  [/^25P0[34]$/, 'TRANSIENT_ERROR', 'ended a transaction that took longer than its own settings allow'],
  [/^25006$/, 'TRANSIENT_ERROR', 'takes no writes at the moment; it may be a standby'],
  [/^53300$/, 'TRANSIENT_ERROR', 'has too many connections'],
  [/^53100$/, 'STORAGE_FULL', 'has no disk space left; free some'],
  [/^53/, 'TRANSIENT_ERROR', 'is short of resources'],
  [/^57P03$/, 'TRANSIENT_ERROR', 'is starting up or shutting down'],
  [/^57P04$/, 'UNAVAILABLE', 'no longer has the database of [db] url', 'Restore the database.'],
  [/^(?:28|3D000)/, 'UNAVAILABLE', 'refuses the user, the password or the database of [db] url', 'Correct them.'],
  [/^(?:58|XX00[12])/, 'STORAGE_FAILED', 'has a problem with its files; see its own log'],
];

/**
 * Returns the error for a caller when PostgreSQL or the connection to it fails. Undefined if the statement itself is at fault.
 * `details.mayHaveRun` tells whether the write may have been stored anyway.
 */
export function toStoreError(error: unknown, use: FailedUse): HubError | undefined {
  const code = codeOf(error);
  const cause = code === undefined ? undefined : causes.find(([codes]) => codes.test(code));
  // The server replied, so the transaction is rolled back.
  if (cause) {
    const [, kind, what, advice = 'Try again.'] = cause;
    const failure = `PostgreSQL at ${use.location} ${what} (${code}). ${advice}`;
    return storeError(kind, failure, error, { mayHaveRun: false, ...(cause[3] !== undefined && { retryable: false }) });
  }
  const isLate = error instanceof LateError;
  if (!isConnectionLoss(error)) return undefined;
  const reason = isLate
    ? `PostgreSQL at ${use.location} did not reply in time`
    : `The connection to PostgreSQL at ${use.location} was lost${code ? ` (${code})` : ''}`;
  if (use.mayHaveRun) {
    const message = `${reason} during a commit. The change may have been stored: check before you try again.`;
    return storeError('UNAVAILABLE', message, error, { mayHaveRun: true });
  }
  return storeError(isLate ? 'UNAVAILABLE' : 'TRANSIENT_ERROR', `${reason}. Try again.`, error, { mayHaveRun: false });
}

function storeError(
  code: HubErrorCode,
  message: string,
  cause: unknown,
  details: { mayHaveRun: boolean; retryable?: false },
): HubError {
  return new HubError(code, message, { cause, details });
}

/** Tells whether the server or the connection is at fault, not the statement. */
export function isConnectionLoss(error: unknown): boolean {
  if (error instanceof LateError) return true;
  const code = codeOf(error);
  if (code === undefined) {
    return (
      error instanceof Error && /connection|timeout|timed out|client was closed|not queryable/i.test(error.message)
    );
  }
  return /^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|08|25P0[34]|57P0)/.test(code);
}

/** Tells whether the server is read-only: its connections are useless, and new ones may reach another server. */
export function isReadOnlyServer(error: unknown): boolean {
  return codeOf(error) === '25006';
}

/** Tells whether a pooler refuses a parameter of the session, such as a time limit. */
export function isRefusedParameter(error: unknown): boolean {
  return codeOf(error) === '08P01' && error instanceof Error && /startup parameter/i.test(error.message);
}

/** Tells whether a statement was prepared on another connection than the one that it reached. */
export function isForeignPreparation(error: unknown): boolean {
  return ['26000', '42P05'].includes(codeOf(error) ?? '');
}

/** Repeats a transaction that PostgreSQL ended because of a deadlock. The other transaction finishes soon. */
export async function repeatAfterDeadlock<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt === maxRepeats || !['40P01', '40001'].includes(codeOf(error) ?? '')) throw error;
    }
  }
}

/** Repeats a transaction that gave up on a lock, until `limitMs` have passed. Passes it the number of the attempt, from 0. */
export async function repeatWhileLocked<T>(run: (attempt: number) => Promise<T>, limitMs: number): Promise<T> {
  const endsAt = performance.now() + limitMs;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await run(attempt);
    } catch (error) {
      if (codeOf(error) !== '55P03' || performance.now() > endsAt) throw error;
      await sleep(giveWayMs);
    }
  }
}

/** Describes a failed connection for people. pg's messages may name the user, never the password. */
export function describePostgresFailure(error: unknown, location: string): HubError {
  const code = codeOf(error) ?? '';
  if (code === '3D000') {
    return new HubError('INVALID_CONFIG', `The PostgreSQL database ${location} does not exist. Create it first.`);
  }
  if (code.startsWith('28')) {
    return new HubError(
      'INVALID_CONFIG',
      `PostgreSQL at ${location} rejected the user or password in [db] url. Correct them.`,
    );
  }
  if (code === '42501') {
    return new HubError(
      'INVALID_CONFIG',
      `The user in [db] url may not create tables in ${location}. Grant it the right to create tables.`,
      {
        cause: error,
      },
    );
  }
  if (code === '42P07') {
    return new HubError(
      'INVALID_CONFIG',
      `The PostgreSQL database ${location} contains tables of another program. Create a separate database for Agent Zoo.`,
      { cause: error },
    );
  }
  if (code === '55P03') {
    return new HubError(
      'UNAVAILABLE',
      `The tables in ${location} could not be brought up to date, because another session kept one of them locked, or because another hub is still upgrading them. End long transactions there, such as a dump, or wait for that hub. Then start again.`,
      { cause: error },
    );
  }
  return new HubError('UNAVAILABLE', `PostgreSQL at ${location} cannot be reached${code ? ` (${code})` : ''}.`, {
    cause: error,
  });
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
