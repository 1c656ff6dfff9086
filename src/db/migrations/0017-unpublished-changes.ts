import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Committed changes that were not yet announced to other processes. PostgreSQL only; SQLite uses counters. The table is unlogged: a
 * crash of the server may empty it, because every process reads everything again after it reconnects.
 */
export const unpublishedChanges: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    if (db.getExecutor().adapter instanceof SqliteAdapter) return;
    await sql`create unlogged table unpublished_changes (
      id bigint generated always as identity primary key,
      at timestamptz not null default clock_timestamp(),
      changes text not null)`.execute(db);
  },
};
