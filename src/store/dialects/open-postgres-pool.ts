import pg from 'pg';
import { HubError } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';

const connectMs = 10_000;
/** Longer than a migration of a large table may wait for another process; a hung server is noticed all the same. */
const statementMs = 60_000;
const mostRepeats = 3;
const int8 = 20;
const bytea = 17;

export interface PostgresAddress {
  /** Host and database name; the only part of the address that may be shown. */
  place: string;
  config: pg.ClientConfig;
}

/** Throws INVALID_CONFIG without repeating the address, which holds a password. */
export function parsePostgresUrl(url: string): PostgresAddress {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^postgres(ql)?:$/.test(parsed.protocol)) {
    throw new HubError(
      'INVALID_CONFIG',
      'The address of the database is not a PostgreSQL URL. Set [db] url to postgres://USER:PASSWORD@HOST:PORT/DATABASE.',
    );
  }
  const host = parsed.host || parsed.searchParams.get('host') || 'localhost';
  return {
    place: `${host}${parsed.pathname}`,
    config: {
      connectionString: url,
      connectionTimeoutMillis: connectMs,
      statement_timeout: statementMs,
      query_timeout: statementMs + connectMs,
      keepAlive: true,
      application_name: 'agent-zoo',
      types: { getTypeParser: typeParser },
    },
  };
}

export function openPostgresPool(address: PostgresAddress, logger: Logger): pg.Pool {
  const pool = new pg.Pool({ ...address.config, max: 10, idleTimeoutMillis: 30_000, allowExitOnIdle: true });
  // Without a listener a stopped server would end this process.
  pool.on('error', (error) => logger.warn({ err: error, place: address.place }, 'a database connection was lost'));
  return pool;
}

/** Counters and times fit in a number; pg would give them as text. Bytes are plain ones, as SQLite gives them. */
const typeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') => {
  if (oid === int8) return Number;
  if (oid === bytea) return parseBytes;
  return pg.types.getTypeParser(oid, format as 'text');
};

/** A copy, because a Buffer may begin anywhere in memory that others share. */
function parseBytes(value: string): Uint8Array {
  return new Uint8Array(pg.types.getTypeParser(bytea, 'text')(value));
}

/** True when the server or the way to it is at fault, and not the statement. */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined) return error instanceof Error && /connection|timeout|timed out/i.test(error.message);
  return /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|08|57P0|53)/.test(code);
}

/** PostgreSQL ends one of two transactions that wait for each other; the other is done soon, so the first may try again. */
export async function repeatAfterDeadlock<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt === mostRepeats || !['40P01', '40001'].includes(codeOf(error) ?? '')) throw error;
    }
  }
}

/** After the start: it may be back at the next attempt. Whether a commit under way arrived is not known. */
export function connectionLost(error: unknown, place: string): HubError {
  const code = codeOf(error);
  const message = `The connection to PostgreSQL at ${place} was lost${code ? ` (${code})` : ''}. Try again.`;
  return new HubError('TRANSIENT_ERROR', message, { cause: error });
}

/** One sentence for a person. pg's own messages name the user at most, never the password. */
export function describePostgresFailure(error: unknown, place: string): HubError {
  const code = codeOf(error) ?? '';
  if (code === '3D000') {
    return new HubError('INVALID_CONFIG', `The PostgreSQL database ${place} does not exist. Create it first.`);
  }
  if (code.startsWith('28')) {
    return new HubError('INVALID_CONFIG', `PostgreSQL at ${place} refused the user or password of [db] url.`);
  }
  if (code === '42501') {
    return new HubError('INVALID_CONFIG', `The user of [db] url may not create tables in ${place}.`, { cause: error });
  }
  if (code === '42P07') {
    return new HubError(
      'INVALID_CONFIG',
      `The PostgreSQL database ${place} holds tables of another program. Give Agent Zoo a database of its own.`,
      { cause: error },
    );
  }
  return new HubError('UNAVAILABLE', `PostgreSQL at ${place} cannot be reached${code ? ` (${code})` : ''}.`, {
    cause: error,
  });
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
