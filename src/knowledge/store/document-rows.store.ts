import { cleanText } from '../../db/rows.ts';
import type { Chunk, KnowledgeDocument } from '../document.ts';
import type { PublishedDocument } from './knowledge-store.ts';

export function toDocumentRow(document: PublishedDocument, indexedAt: number): KnowledgeDocumentRow {
  const title = cleanText(document.title);
  const sourceId = cleanText(document.sourceId);
  return {
    id: document.id,
    doc_no: document.docNo,
    source: document.source,
    source_id: sourceId,
    folded: `${title}\n${sourceId}`.toLowerCase(),
    title,
    url: document.url === null ? null : cleanText(document.url),
    content_type: cleanText(document.contentType),
    hash: document.hash,
    version: cleanText(document.version),
    updated_at: Math.trunc(document.updatedAt),
    indexed_at: indexedAt,
    chunks: document.chunks,
    size: document.size,
    touched: 0,
    // JSON escapes a NUL, so both databases accept it.
    tags: JSON.stringify(document.tags),
    metadata: JSON.stringify(document.metadata),
  };
}

export function toDocument(
  row: Omit<KnowledgeDocumentRow, 'folded' | 'doc_no' | 'version' | 'touched'>,
): KnowledgeDocument {
  return {
    id: row.id,
    source: row.source,
    sourceId: row.source_id,
    title: row.title,
    url: row.url,
    contentType: row.content_type,
    hash: row.hash,
    updatedAt: row.updated_at,
    indexedAt: row.indexed_at,
    tags: JSON.parse(row.tags),
    metadata: JSON.parse(row.metadata),
    chunks: row.chunks,
    size: row.size,
  };
}

export function toChunk(row: Omit<KnowledgeChunkRow, 'doc_no' | 'hash'>): Chunk {
  return {
    ordinal: row.ordinal,
    heading: JSON.parse(row.heading),
    startLine: row.start_line,
    endLine: row.end_line,
    text: row.text,
    tokens: row.tokens,
  };
}

declare module '../../db/tables.ts' {
  interface Tables {
    knowledge_documents: KnowledgeDocumentRow;
    knowledge_texts: KnowledgeTextRow;
    knowledge_chunks: KnowledgeChunkRow;
  }
}

export interface KnowledgeDocumentRow {
  id: string;
  /** The number of the visible version. */
  doc_no: number;
  source: string;
  source_id: string;
  /** Title and `source_id` in lower case, because the databases fold case differently. */
  folded: string;
  title: string;
  url: string | null;
  content_type: string;
  hash: string;
  version: string;
  updated_at: number;
  indexed_at: number;
  chunks: number;
  size: number;
  /** 1 when `updated_at` differs from the value in the index segment. */
  touched: number;
  tags: string;
  metadata: string;
}

interface KnowledgeTextRow {
  doc_no: number;
  body: string;
}

export interface KnowledgeChunkRow {
  doc_no: number;
  ordinal: number;
  hash: string;
  start_line: number;
  end_line: number;
  tokens: number;
  heading: string;
  text: string;
}
