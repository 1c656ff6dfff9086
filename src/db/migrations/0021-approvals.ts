import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Lasting approvals of an agent's tools, and what chats and runs have read from outside. */
export const approvals: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const key = db.getExecutor().adapter instanceof SqliteAdapter ? sql`text` : sql`text collate "C"`;
    await db.schema
      .createTable('tool_grants')
      .addColumn('agent_id', key, (column) => column.notNull())
      .addColumn('tool', key, (column) => column.notNull())
      .addColumn('definition', 'text', (column) => column.notNull())
      .addColumn('granted_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('tool_grants_key', ['agent_id', 'tool'])
      .execute();
    for (const table of ['chats', 'runs'])
      await db.schema
        .alterTable(table)
        .addColumn('outside', 'text', (column) => column.notNull().defaultTo('[]'))
        .execute();
  },
};
