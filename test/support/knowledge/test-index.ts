import { createHash } from 'node:crypto';
import { buildSegment } from '../../../src/knowledge/index/segment.ts';
import type { KnowledgeStore, Publication } from '../../../src/knowledge/store/knowledge-store.ts';

export interface IndexedDocument {
  sourceId: string;
  source?: string;
  title?: string;
  tags?: string[];
  updatedAt?: number;
  chunks: { heading?: string[]; text: string }[];
}

/** Indexes and publishes documents as one segment. Returns their numbers. */
export async function indexDocuments(
  store: KnowledgeStore,
  documents: readonly IndexedDocument[],
  extra: Pick<Publication, 'removedIds'> = {},
): Promise<number[]> {
  const { segment, firstDocNo } = await store.openSegment(documents.length);
  const numbered = documents.map((document, index) => ({ ...complete(document), docNo: firstDocNo + index }));
  const built = buildSegment(numbered);
  await store.addDocuments(
    segment,
    numbered.map(({ docNo, chunks }) => ({
      docNo,
      body: chunks.map(({ text }) => text).join('\n'),
      chunks: chunks.map(({ heading, text }, ordinal) => ({
        ordinal,
        heading,
        startLine: ordinal + 1,
        endLine: ordinal + 1,
        text,
        tokens: 1,
        hash: sha256(text),
      })),
    })),
  );
  await store.addPostings(segment, built.postings);
  await store.publish({
    segment,
    header: built.header,
    chunks: built.chunks,
    documents: numbered.map(({ chunks, ...document }) => ({
      ...document,
      id: documentId(document),
      url: null,
      contentType: 'text/plain',
      hash: sha256(JSON.stringify(chunks)),
      version: '1',
      metadata: {},
      chunks: chunks.length,
      size: 1,
    })),
    ...extra,
  });
  return numbered.map(({ docNo }) => docNo);
}

export function documentId({ source = 'filesystem:docs', sourceId }: { source?: string; sourceId: string }): string {
  return `d-${sha256(`${source}\n${sourceId}`).slice(0, 20)}`;
}

function complete(document: IndexedDocument) {
  return {
    source: document.source ?? 'filesystem:docs',
    sourceId: document.sourceId,
    title: document.title ?? '',
    tags: document.tags ?? [],
    updatedAt: document.updatedAt ?? Date.UTC(2026, 0, 2),
    chunks: document.chunks.map(({ heading = [], text }) => ({ heading, text })),
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
