import { type Kysely, type RawBuilder, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const firstTables: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('agents')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('data', 'text', (column) => column.notNull())
      .addColumn('revision', 'integer', (column) => column.notNull())
      .addColumn('change_number', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('deleted_at', 'bigint')
      .execute();
    await db.schema.createIndex('agents_by_change').on('agents').column('change_number').execute();

    await db.schema
      .createTable('agent_versions')
      .addColumn('agent_id', 'text', (column) => column.notNull().references('agents.id'))
      .addColumn('revision', 'integer', (column) => column.notNull())
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('data', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('agent_versions_key', ['agent_id', 'revision'])
      .execute();

    // No foreign key: entries may also belong to agents that are defined in files.
    await db.schema
      .createTable('brain_entries')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('agent_id', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('content', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('pinned', 'integer', (column) => column.notNull())
      .addColumn('tags', 'text', (column) => column.notNull())
      .addColumn('metadata', 'text', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('brain_entries_by_agent').on('brain_entries').columns(['agent_id', 'at']).execute();

    await db.schema
      .createTable('decisions')
      .addColumn('seq', sequenceType(db), (column) => column.primaryKey())
      .addColumn('call_id', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('surface', 'text', (column) => column.notNull())
      .addColumn('agent_id', 'text')
      .addColumn('tool', 'text', (column) => column.notNull())
      .addColumn('decision', 'text', (column) => column.notNull())
      .addColumn('reasoning', 'text', (column) => column.notNull())
      .addColumn('context', 'text', (column) => column.notNull())
      .execute();

    await db.schema
      .createTable('revisions')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('value', 'bigint', (column) => column.notNull())
      .execute();
  },
};

/** SQLite numbers rows automatically only if the key is exactly `integer primary key`. */
function sequenceType(db: Kysely<unknown>): RawBuilder<unknown> {
  return db.getExecutor().adapter instanceof SqliteAdapter ? sql`integer` : sql`bigserial`;
}
