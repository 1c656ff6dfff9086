import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The agents that the user chose for folders. */
export const workspaces: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('workspaces')
      .ifNotExists()
      .addColumn('folder', 'text', (column) => column.primaryKey())
      .addColumn('agent_id', 'text', (column) => column.notNull())
      .addColumn('chosen_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
