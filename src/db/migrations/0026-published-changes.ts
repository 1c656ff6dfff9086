import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The committed changes of the last minute, which every process looks through. PostgreSQL only; SQLite uses counters. The table is
 * unlogged: a crash of the server empties it, and the row with `tx` 0 tells processes that this has happened. Processes of the previous
 * version write only to `unpublished_changes`, from which the trigger copies.
 */
export const publishedChanges: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    if (db.getExecutor().adapter instanceof SqliteAdapter) return;
    await sql`create unlogged table recent_changes (
      tx bigint not null default txid_current(),
      id bigint generated always as identity,
      at timestamptz not null default clock_timestamp(),
      writer text not null default '',
      changes text not null,
      primary key (tx, id))`.execute(db);
    await sql`create unique index recent_changes_life on recent_changes (tx) where tx = 0`.execute(db);
    await sql`create or replace function copy_to_recent_changes() returns trigger language plpgsql as
      $$ begin insert into recent_changes (changes) values (new.changes); return null; end $$`.execute(db);
    await sql`create trigger copy_to_recent_changes after insert on unpublished_changes
      for each row execute function copy_to_recent_changes()`.execute(db);
  },
};
