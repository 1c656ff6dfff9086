import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Which run started which by calling an agent. A table of its own, because a new column would lock the runs while processes serve. */
export const runCalls: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const key = db.getExecutor().adapter instanceof SqliteAdapter ? sql`text` : sql`text collate "C"`;
    await db.schema
      .createTable('run_calls')
      .addColumn('run_id', key, (column) => column.primaryKey().notNull())
      .addColumn('parent_id', key, (column) => column.notNull())
      .addColumn('root_id', key, (column) => column.notNull())
      .addColumn('call_id', 'text', (column) => column.notNull())
      .addColumn('tick', 'integer', (column) => column.notNull())
      .addColumn('arguments', 'text', (column) => column.notNull())
      .execute();
    for (const column of ['parent_id', 'root_id'])
      await db.schema
        .createIndex(`run_calls_by_${column.slice(0, -3)}`)
        .on('run_calls')
        .column(column)
        .execute();
  },
};
