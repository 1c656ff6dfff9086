import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Saved conversations: their events, the messages sent to the model, and the words for searching them. */
export const chats: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
    const key = isSqlite ? sql`text` : sql`text collate "C"`;
    await db.schema
      .createTable('chats')
      .addColumn('id', key, (column) => column.primaryKey().notNull())
      .addColumn('agent_id', key, (column) => column.notNull())
      .addColumn('title', 'text', (column) => column.notNull())
      .addColumn('model', 'text')
      .addColumn('origin', 'text', (column) => column.notNull())
      .addColumn('tool', 'text')
      .addColumn('parameters', 'text')
      .addColumn('arguments', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('usage', 'text', (column) => column.notNull())
      .addColumn('cost', 'double precision')
      .addColumn('last_seq', 'bigint', (column) => column.notNull())
      .addColumn('messages', 'integer', (column) => column.notNull())
      .addColumn('run_id', 'text')
      .addColumn('message_id', 'text')
      .addColumn('start_seq', 'bigint')
      .addColumn('holder', key)
      .addColumn('leased_until', 'bigint')
      .addColumn('stop_run_id', 'text')
      .execute();
    await db.schema.createIndex('chats_by_time').on('chats').columns(['updated_at', 'id']).execute();
    await db.schema.createIndex('chats_by_agent').on('chats').columns(['agent_id', 'updated_at', 'id']).execute();
    await db.schema
      .createIndex('chats_by_holder')
      .on('chats')
      .column('holder')
      .where(sql.ref('holder'), 'is not', null)
      .execute();

    await db.schema
      .createTable('chat_events')
      .addColumn('chat_id', key, (column) => column.notNull())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('event', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('chat_events_key', ['chat_id', 'seq'])
      .execute();
    await db.schema
      .createTable('chat_messages')
      .addColumn('chat_id', key, (column) => column.notNull())
      .addColumn('ordinal', 'integer', (column) => column.notNull())
      .addColumn('message_id', 'text', (column) => column.notNull())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('message', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('chat_messages_key', ['chat_id', 'ordinal'])
      .execute();
    await db.schema
      .createTable('chat_approvals')
      .addColumn('chat_id', key, (column) => column.notNull())
      .addColumn('run_id', 'text', (column) => column.notNull())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('tool_use_id', 'text', (column) => column.notNull())
      .addColumn('answer', 'text')
      .addPrimaryKeyConstraint('chat_approvals_key', ['chat_id', 'seq'])
      .execute();
    await db.schema
      .createTable('chat_texts')
      .addColumn('chat_id', key, (column) => column.notNull())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('chat_texts_key', ['chat_id', 'seq'])
      .execute();
    const words = db.schema
      .createTable('chat_words')
      .addColumn('chat_id', key, (column) => column.notNull())
      .addColumn('word', key, (column) => column.notNull())
      .addPrimaryKeyConstraint('chat_words_key', ['chat_id', 'word']);
    // The table is its own index and keeps the words of a chat together. Sorted by word, each answer would change hundreds of pages.
    await (isSqlite ? words.modifyEnd(sql`without rowid`) : words).execute();
  },
};
