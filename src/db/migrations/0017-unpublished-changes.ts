import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * What was committed and not yet told to other processes. PostgreSQL only: SQLite has counters for it. A crash of the server may
 * empty the table, because every process reads everything again when it has connected anew; so it needs no log of its own.
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
