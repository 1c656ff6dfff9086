import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What the processes of a database share about MCP sessions: changes of a session, and messages from one process to another. */
export const mcpSessions: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('mcp_session_state')
      .ifNotExists()
      .addColumn('session_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('value', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('mcp_session_state_key', ['session_id', 'name'])
      .execute();
    await db.schema
      .createIndex('mcp_session_state_by_expiry')
      .ifNotExists()
      .on('mcp_session_state')
      .column('expires_at')
      .execute();
    const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
    const number = isSqlite ? 'integer primary key autoincrement' : 'bigint generated always as identity primary key';
    await sql`create table if not exists mcp_messages (
      id ${sql.raw(number)},
      session_id text not null,
      sender text not null,
      target text not null,
      body text not null,
      at bigint not null)`.execute(db);
    await db.schema
      .createIndex('mcp_messages_by_target')
      .ifNotExists()
      .on('mcp_messages')
      .columns(['target', 'session_id'])
      .execute();
    await db.schema.createIndex('mcp_messages_by_time').ifNotExists().on('mcp_messages').column('at').execute();
  },
};
