import pg from 'pg';
import { HubError } from '../../base/hub-error.ts';

const int8 = 20;
const bytea = 17;

export interface PostgresAddress {
  /** Host and database name; the only part of the address that may be shown. */
  location: string;
  config: pg.ClientConfig;
}

/** Parses a PostgreSQL URL. Throws INVALID_CONFIG without repeating the URL, which contains a password. */
export function parsePostgresUrl(url: string, key = '[db] url'): PostgresAddress {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^postgres(ql)?:$/.test(parsed.protocol)) {
    throw new HubError(
      'INVALID_CONFIG',
      `${key} is not a PostgreSQL URL. Set it to postgres://USER:PASSWORD@HOST:PORT/DATABASE.`,
    );
  }
  const host = parsed.host || parsed.searchParams.get('host') || 'localhost';
  return {
    location: `${host}${parsed.pathname}`,
    config: {
      connectionString: url,
      keepAlive: true,
      // PGAPPNAME or the URL may set another name.
      fallback_application_name: 'agent-zoo',
      types: { getTypeParser: typeParser },
    },
  };
}

/** Returns bigint columns as numbers instead of text, and bytes as a Uint8Array, as SQLite does. */
const typeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') => {
  if (oid === int8) return Number;
  if (oid === bytea) return parseBytes;
  return pg.types.getTypeParser(oid, format as 'text');
};

/** Copies the bytes, because a Buffer may be part of shared memory. */
function parseBytes(value: string): Uint8Array {
  return new Uint8Array(pg.types.getTypeParser(bytea, 'text')(value));
}
