import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Several versions of one external server, each with its own list of tools, and sign-ins that any process can finish. Only adds:
 * processes of older versions keep using `tool_pins` and `held_tools`. They know nothing of the new tables, so when they forget a
 * server, they leave its rows there. `server_lists.memory` tells such rows apart: it goes with the row that they delete.
 */
export const pinsByVersion: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const key = db.getExecutor().adapter instanceof SqliteAdapter ? sql`text` : sql`text collate "C"`;
    await db.schema.alterTable('server_lists').addColumn('memory', 'text').execute();
    // A tool's name is in no index, because external servers choose it and PostgreSQL cannot index a long one.
    await db.schema
      .createTable('tool_definitions')
      .addColumn('memory', key, (column) => column.notNull())
      .addColumn('server', key, (column) => column.notNull())
      .addColumn('tool', key, (column) => column.notNull())
      .addColumn('hash', key, (column) => column.notNull())
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .addColumn('accepted_at', 'bigint')
      .addColumn('definition', 'text', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('tool_definitions_by_server').on('tool_definitions').column('server').execute();
    await db.schema
      .createTable('tool_lists')
      .addColumn('memory', key, (column) => column.notNull())
      .addColumn('server', key, (column) => column.notNull())
      .addColumn('id', key, (column) => column.notNull())
      .addColumn('version', 'text', (column) => column.notNull())
      .addColumn('listed_at', 'bigint', (column) => column.notNull())
      .addColumn('tools', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('tool_lists_key', ['server', 'memory', 'id'])
      .execute();
    await db.schema
      .createTable('server_replicas')
      .addColumn('memory', key, (column) => column.notNull())
      .addColumn('server', key, (column) => column.notNull())
      .addColumn('holder', key, (column) => column.notNull())
      .addColumn('list_id', key, (column) => column.notNull())
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('server_replicas_key', ['server', 'memory', 'holder'])
      .execute();
    await db.schema
      .createTable('pending_sign_ins')
      .addColumn('state_hash', key, (column) => column.primaryKey().notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .execute();
  },
};
