import pg from 'pg';
import { HubError } from '../../base/hub-error.ts';

const int8 = 20;
const bytea = 17;

export interface PostgresAddress {
  /** Host and database name; the only part of the address that may be shown. */
  location: string;
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
    location: `${host}${parsed.pathname}`,
    config: {
      connectionString: url,
      keepAlive: true,
      // PGAPPNAME and the address may name it otherwise.
      fallback_application_name: 'agent-zoo',
      types: { getTypeParser: typeParser },
    },
  };
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
