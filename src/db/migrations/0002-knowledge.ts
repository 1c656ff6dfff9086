import { type Kysely, type RawBuilder, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Only documents are visible; texts and chunks belong to one version of a document, by its number. The content of
 * index segments is opaque here. Keys compare by bytes on both databases, so that both have the same order.
 */
export const knowledgeTables: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const { key, blob, number, withoutRowid } = typesOf(db);
    await db.schema
      .createTable('knowledge_documents')
      .addColumn('id', key, (column) => column.primaryKey().notNull())
      .addColumn('doc_no', 'bigint', (column) => column.notNull().unique())
      .addColumn('source', key, (column) => column.notNull())
      .addColumn('source_id', key, (column) => column.notNull())
      .addColumn('folded', 'text', (column) => column.notNull())
      .addColumn('title', 'text', (column) => column.notNull())
      .addColumn('url', 'text')
      .addColumn('content_type', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('version', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('indexed_at', 'bigint', (column) => column.notNull())
      .addColumn('chunks', 'integer', (column) => column.notNull())
      .addColumn('size', 'bigint', (column) => column.notNull())
      .addColumn('touched', 'integer', (column) => column.notNull())
      .addColumn('tags', 'text', (column) => column.notNull())
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addUniqueConstraint('knowledge_documents_item', ['source', 'source_id'])
      .execute();
    // Covers the query for the sums by source.
    await db.schema
      .createIndex('knowledge_documents_sums')
      .on('knowledge_documents')
      .columns(['source', 'chunks', 'size', 'updated_at'])
      .execute();
    await db.schema
      .createIndex('knowledge_documents_touched')
      .on('knowledge_documents')
      .columns(['doc_no', 'updated_at'])
      .where(sql.ref('touched'), '=', sql.lit(1))
      .execute();

    await db.schema
      .createTable('knowledge_texts')
      .addColumn('doc_no', number, (column) => column.primaryKey().notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .execute();

    // The hash is part of the key, so that the key's index covers the query for chunks without a vector. A separate index of
    // hashes would be written at random positions with each chunk, and cost more than everything else together.
    // The long text comes last, so that SQLite reads the other columns without loading it.
    await db.schema
      .createTable('knowledge_chunks')
      .addColumn('doc_no', 'bigint', (column) => column.notNull())
      .addColumn('ordinal', 'integer', (column) => column.notNull())
      .addColumn('hash', key, (column) => column.notNull())
      .addColumn('start_line', 'integer', (column) => column.notNull())
      .addColumn('end_line', 'integer', (column) => column.notNull())
      .addColumn('tokens', 'integer', (column) => column.notNull())
      .addColumn('heading', 'text', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('knowledge_chunks_key', ['doc_no', 'ordinal', 'hash'])
      .execute();

    await db.schema
      .createTable('knowledge_segments')
      .addColumn('id', number, (column) => column.primaryKey().notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('opened_at', 'bigint', (column) => column.notNull())
      .addColumn('first_doc_no', 'bigint', (column) => column.notNull())
      .addColumn('documents', 'integer', (column) => column.notNull())
      .addColumn('chunks', 'integer', (column) => column.notNull())
      .addColumn('header', blob)
      .execute();

    await db.schema
      .createTable('knowledge_postings')
      .addColumn('segment', 'bigint', (column) => column.notNull())
      .addColumn('term', key, (column) => column.notNull())
      .addColumn('data', blob, (column) => column.notNull())
      .addPrimaryKeyConstraint('knowledge_postings_key', ['segment', 'term'])
      .modifyEnd(withoutRowid)
      .execute();

    await db.schema
      .createTable('knowledge_removed')
      .addColumn('doc_no', number, (column) => column.primaryKey().notNull())
      .execute();

    await db.schema
      .createTable('knowledge_vectors')
      .addColumn('model', key, (column) => column.notNull())
      .addColumn('hash', key, (column) => column.notNull())
      .addColumn('data', blob, (column) => column.notNull())
      .addPrimaryKeyConstraint('knowledge_vectors_key', ['model', 'hash'])
      .execute();

    await db.schema
      .createTable('knowledge_sources')
      .addColumn('source', key, (column) => column.primaryKey().notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('settings', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();

    // No foreign key: sources in config files also have a state.
    await db.schema
      .createTable('knowledge_source_states')
      .addColumn('source', key, (column) => column.primaryKey().notNull())
      .addColumn('holder', 'text')
      .addColumn('leased_at', 'bigint')
      .addColumn('leased_until', 'bigint')
      .addColumn('started_at', 'bigint')
      .addColumn('finished_at', 'bigint')
      .addColumn('outcome', 'text')
      .addColumn('message', 'text')
      .addColumn('report', 'text')
      .execute();
  },
};

/** In SQLite, a column is an alias for the row id only if its type is exactly `integer`. */
function typesOf(db: Kysely<unknown>): Record<'key' | 'blob' | 'number' | 'withoutRowid', RawBuilder<unknown>> {
  return db.getExecutor().adapter instanceof SqliteAdapter
    ? { key: sql`text`, blob: sql`blob`, number: sql`integer`, withoutRowid: sql`without rowid` }
    : { key: sql`text collate "C"`, blob: sql`bytea`, number: sql`bigint`, withoutRowid: sql`` };
}
