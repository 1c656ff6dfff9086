import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Files in messages of chats. Each content is stored once, by its hash. A process of an older version that deletes a chat leaves its rows
 * here; they are deleted with the next chat that has the same file.
 */
export const chatAttachments: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
    const key = isSqlite ? sql`text` : sql`text collate "C"`;
    await db.schema
      .createTable('attachments')
      .addColumn('hash', key, (column) => column.primaryKey().notNull())
      .addColumn('mime_type', 'text', (column) => column.notNull())
      .addColumn('bytes', 'integer', (column) => column.notNull())
      .addColumn('data', isSqlite ? sql`blob` : sql`bytea`, (column) => column.notNull())
      .addColumn('text', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('chat_attachments')
      .addColumn('chat_id', key, (column) => column.notNull())
      .addColumn('hash', key, (column) => column.notNull())
      .addPrimaryKeyConstraint('chat_attachments_key', ['chat_id', 'hash'])
      .execute();
    await db.schema.createIndex('chat_attachments_by_hash').on('chat_attachments').column('hash').execute();
  },
};
