import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The use of models, added up by hour. Processes of older versions record none. */
export const modelUsage: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const key = db.getExecutor().adapter instanceof SqliteAdapter ? sql`text` : sql`text collate "C"`;
    await db.schema
      .createTable('model_usage')
      .addColumn('hour', 'bigint', (column) => column.notNull())
      .addColumn('agent_id', key, (column) => column.notNull())
      .addColumn('model', key, (column) => column.notNull())
      .addColumn('client', key, (column) => column.notNull())
      .addColumn('member_id', key, (column) => column.notNull())
      .addColumn('bucket', 'integer', (column) => column.notNull())
      .addColumn('calls', 'integer', (column) => column.notNull())
      .addColumn('errors', 'integer', (column) => column.notNull())
      .addColumn('unpriced', 'integer', (column) => column.notNull())
      .addColumn('input_tokens', 'bigint', (column) => column.notNull())
      .addColumn('output_tokens', 'bigint', (column) => column.notNull())
      .addColumn('cached_tokens', 'bigint', (column) => column.notNull())
      .addColumn('reasoning_tokens', 'bigint', (column) => column.notNull())
      .addColumn('cost', 'double precision', (column) => column.notNull())
      .addPrimaryKeyConstraint('model_usage_key', ['hour', 'agent_id', 'model', 'client', 'member_id', 'bucket'])
      .execute();
  },
};
