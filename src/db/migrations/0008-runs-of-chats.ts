import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A chat's run stores only the messages it added, and names the run that has the rest. Older runs contain the whole conversation. */
export const runsOfChats: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const key = db.getExecutor().adapter instanceof SqliteAdapter ? sql`text` : sql`text collate "C"`;
    await db.schema.alterTable('runs').addColumn('chat_id', key).execute();
    await db.schema.alterTable('runs').addColumn('base_id', key).execute();
    await db.schema
      .alterTable('runs')
      .addColumn('base_messages', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createIndex('runs_by_chat')
      .on('runs')
      .columns(['chat_id', 'started_at', 'id'])
      .where(sql.ref('chat_id'), 'is not', null)
      .execute();
    await db.schema
      .createIndex('runs_by_base')
      .on('runs')
      .column('base_id')
      .where(sql.ref('base_id'), 'is not', null)
      .execute();
  },
};
