import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The steps of runs, and what each sent to the model besides the messages. Processes of older versions record none. */
export const runSteps: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const key = db.getExecutor().adapter instanceof SqliteAdapter ? sql`text` : sql`text collate "C"`;
    await db.schema
      .createTable('run_steps')
      .addColumn('run_id', key, (column) => column.notNull())
      .addColumn('step', 'integer', (column) => column.notNull())
      .addColumn('prompt', key)
      .addColumn('data', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('run_steps_key', ['run_id', 'step'])
      .execute();
    await db.schema
      .createIndex('run_steps_by_prompt')
      .on('run_steps')
      .column('prompt')
      .where(sql.ref('prompt'), 'is not', sql.lit(null))
      .execute();
    await db.schema
      .createTable('run_prompts')
      .addColumn('hash', key, (column) => column.primaryKey().notNull())
      .addColumn('used_at', 'bigint', (column) => column.notNull())
      .addColumn('system', 'text', (column) => column.notNull())
      .addColumn('tools', 'text', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('runs_by_status').on('runs').columns(['status', 'started_at', 'id']).execute();
  },
};
