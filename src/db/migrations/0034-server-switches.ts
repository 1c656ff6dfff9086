import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What the user last wanted of a server's connections, for all processes. Those of older versions connect and disconnect for themselves. */
export const serverSwitches: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const key = db.getExecutor().adapter instanceof SqliteAdapter ? sql`text` : sql`text collate "C"`;
    await db.schema
      .createTable('server_switches')
      .addColumn('server', key, (column) => column.primaryKey().notNull())
      .addColumn('wish', 'text', (column) => column.notNull())
      .addColumn('number', 'bigint', (column) => column.notNull())
      .addColumn('process', 'text', (column) => column.notNull())
      .execute();
  },
};
