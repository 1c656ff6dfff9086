import { z } from 'zod';
import { toIso } from '../base/clock.ts';
import type { KnowledgeDocument } from './document.ts';

/** A document as tools, scripts and HTTP tell of it. */
export const DocumentBody = z.object({
  id: z.string(),
  title: z.string(),
  source: z.string(),
  source_id: z.string().describe('The path or name inside the source.'),
  source_url: z.string().nullable(),
  content_type: z.string(),
  updated_at: z.string().describe('ISO 8601.'),
  indexed_at: z.string().describe('ISO 8601.'),
  version: z.string().describe('SHA-256 of the content when it was indexed.'),
  tags: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
  chunks: z.int().describe('Number of passages.'),
  size: z.int().describe('The length of the text in characters.'),
});
export type DocumentBody = z.infer<typeof DocumentBody>;

export function toDocumentBody(document: KnowledgeDocument): DocumentBody {
  const { id, title, source, sourceId, url, contentType, hash, updatedAt, indexedAt } = document;
  const { tags, metadata, chunks, size } = document;
  return {
    id,
    title,
    source,
    source_id: sourceId,
    source_url: url,
    content_type: contentType,
    updated_at: toIso(updatedAt),
    indexed_at: toIso(indexedAt),
    version: hash,
    tags,
    metadata,
    chunks,
    size,
  };
}
