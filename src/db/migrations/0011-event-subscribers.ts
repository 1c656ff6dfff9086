import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Event handlers register here, and the process that delivers events marks that it is active. */
export const eventSubscribers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const key = db.getExecutor().adapter instanceof SqliteAdapter ? sql`text` : sql`text collate "C"`;
    await db.schema
      .createTable('event_subscribers')
      .addColumn('target', key, (column) => column.primaryKey().notNull())
      .addColumn('type', key, (column) => column.notNull())
      .addColumn('holder', 'text', (column) => column.notNull())
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.alterTable('deliveries').addColumn('lease_by', 'text').execute();
    await db.schema
      .alterTable('deliveries')
      .addColumn('lease_no', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
