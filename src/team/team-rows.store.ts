import type { Kysely, Transaction } from 'kysely';
import { toIso } from '../base/clock.ts';
import type { Write } from '../db/database.ts';
import { cleanText } from '../db/rows.ts';
import type { SqlDialect } from '../db/sql-dialect.ts';
import type { Tables } from '../db/tables.ts';

/** How a store reads the team's rows: one statement at a time, or all within one transaction. */
export interface TeamRows {
  run<T>(query: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** In a transaction, locks a row that is read by its id until the transaction ends. */
  lockRows: SqlDialect['lockRows'];
  dialect: Pick<SqlDialect, 'mentions'>;
}

export interface TeamWrite extends TeamRows {
  db: Transaction<Tables>;
  dialect: SqlDialect;
  changed: Write['changed'];
}

export function isoOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : toIso(milliseconds);
}

export function msOrNull(moment: string | null): number | null {
  return moment === null ? null : Date.parse(moment);
}

export function cleanOrNull(text: string | null): string | null {
  return text === null ? null : cleanText(text);
}
