import type { Database } from '../../db/database.ts';
import { type KnowledgeChunkRow, type KnowledgeDocumentRow, toChunk, toDocument } from './document-rows.store.ts';
import type { ChunkKey, StoredPassage } from './knowledge-store.ts';

type Row = Omit<KnowledgeChunkRow, 'hash'> & Omit<KnowledgeDocumentRow, 'folded' | 'version' | 'touched'>;

const columns = `chunk.doc_no, chunk.ordinal, chunk.start_line, chunk.end_line, chunk.tokens, chunk.heading, chunk.text,
  document.id, document.source, document.source_id, document.title, document.url, document.content_type, document.hash,
  document.updated_at, document.indexed_at, document.tags, document.metadata, document.chunks, document.size`;

/** Asked for with every search, so the statement is prepared. */
export async function findPassages(database: Database, keys: readonly ChunkKey[]): Promise<StoredPassage[]> {
  if (keys.length === 0) return [];
  const wanted = database.dialect.prepared.rowsOfLists('wanted', [
    { name: 'doc_no', type: 'bigint' },
    { name: 'ordinal', type: 'integer' },
  ]);
  const text = `select ${columns} from ${wanted}
    join knowledge_chunks as chunk on chunk.doc_no = wanted.doc_no and chunk.ordinal = wanted.ordinal
    join knowledge_documents as document on document.doc_no = chunk.doc_no`;
  const values = [keys.map((key) => key.docNo), keys.map((key) => key.ordinal)];
  const rows = await database.select<Row>({ name: 'find-passages', text, values });
  const found = new Map(rows.map((row) => [`${row.doc_no} ${row.ordinal}`, row]));
  return keys.flatMap(({ docNo, ordinal }) => {
    const row = found.get(`${docNo} ${ordinal}`);
    return row ? [{ ...toChunk(row), docNo, document: toDocument(row) }] : [];
  });
}
