import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The arguments of the prompt that a run began with. A table of its own, because a new column would lock the runs while processes serve. */
export const runArguments: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const key = db.getExecutor().adapter instanceof SqliteAdapter ? sql`text` : sql`text collate "C"`;
    await db.schema
      .createTable('run_arguments')
      .addColumn('run_id', key, (column) => column.primaryKey().notNull())
      .addColumn('arguments', 'text', (column) => column.notNull())
      .execute();
  },
};
