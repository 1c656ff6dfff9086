import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The tools that the user approved for one chat, and indexes to find answers and runs in progress. */
export const chatApprovals: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const key = db.getExecutor().adapter instanceof SqliteAdapter ? sql`text` : sql`text collate "C"`;
    await db.schema
      .createTable('chat_grants')
      .addColumn('chat_id', key, (column) => column.notNull())
      .addColumn('tool', key, (column) => column.notNull())
      .addColumn('agent_id', 'text', (column) => column.notNull())
      .addColumn('definition', 'text', (column) => column.notNull())
      .addColumn('after_reading', 'integer', (column) => column.notNull())
      .addColumn('granted_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('chat_grants_key', ['chat_id', 'tool'])
      .execute();
    await db.schema
      .createIndex('chats_in_progress')
      .on('chats')
      .column('holder')
      .where(sql.ref('run_id'), 'is not', sql.lit(null))
      .execute();
    await db.schema
      .createIndex('runs_in_progress')
      .on('runs')
      .column('holder')
      .where(sql.ref('status'), '=', sql.lit('running'))
      .execute();
  },
};
