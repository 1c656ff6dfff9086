import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** One lease for everything that a process holds. Older writers of the log have none and count as ended after a while. */
export const leases: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const key = db.getExecutor().adapter instanceof SqliteAdapter ? sql`text` : sql`text collate "C"`;
    await db.schema
      .createTable('leases')
      .addColumn('name', key, (column) => column.primaryKey().notNull())
      .addColumn('holder', key, (column) => column.notNull())
      .addColumn('since', 'bigint', (column) => column.notNull())
      .addColumn('until', 'bigint', (column) => column.notNull())
      .execute();
    const chains = db.schema.alterTable('decision_chains');
    await chains.addColumn('holder', 'text', (column) => column.notNull().defaultTo('')).execute();
    await db.schema.dropIndex('decision_chains_unsettled').execute();
    for (const column of ['host', 'pid', 'seen_at']) await chains.dropColumn(column).execute();
    await db.schema
      .createIndex('decision_chains_unsettled')
      .on('decision_chains')
      .column('started_at')
      .where(sql.ref('settled_at'), 'is', sql.lit(null))
      .execute();
  },
};
