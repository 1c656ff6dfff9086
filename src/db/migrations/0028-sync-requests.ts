import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Requested syncs, one row each, and the running sync of a source, which any process can cancel. */
export const syncRequests: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const key = db.getExecutor().adapter instanceof SqliteAdapter ? sql`text` : sql`text collate "C"`;
    await db.schema
      .createTable('sync_requests')
      .addColumn('id', key, (column) => column.primaryKey().notNull())
      .addColumn('source', key, (column) => column.notNull())
      .addColumn('is_full', 'integer', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('requesters', 'integer', (column) => column.notNull())
      .addColumn('holder', 'text', (column) => column.notNull())
      .addColumn('requested_at', 'bigint', (column) => column.notNull())
      .addColumn('sync_id', 'text')
      .addColumn('finished_at', 'bigint')
      .addColumn('outcome', 'text')
      .addColumn('report', 'text')
      .execute();
    await db.schema.createIndex('sync_requests_by_source').on('sync_requests').columns(['source', 'state']).execute();
    for (const column of ['sync_id', 'cancelled_id'])
      await db.schema.alterTable('knowledge_source_states').addColumn(column, 'text').execute();
  },
};
