import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { silentLogger } from '../../../src/base/logger.ts';
import type { Tables } from '../../../src/db/tables.ts';
import type { Chunk } from '../../../src/knowledge/document.ts';
import type {
  KnowledgeStore,
  Postings,
  Publication,
  PublishedDocument,
} from '../../../src/knowledge/store/knowledge-store.ts';
import { openDatabase } from '../../../src/store/open-store.ts';
import type { TestDatabase } from '../databases/test-database.ts';

export type TestDocument = Omit<PublishedDocument, 'docNo'> & { body: string; pieces: (Chunk & { hash: string })[] };

/** Returns a document of three chunks. Another `version` has other content. */
export function testDocument(name: string, fields: { source?: string; version?: string } = {}): TestDocument {
  const { source = 'filesystem:docs', version = '' } = fields;
  const content = version === '' ? name : `${name} ${version}`;
  const body = `Text of ${content}`;
  return {
    id: `${source}/${name}`,
    source,
    sourceId: `${name}.md`,
    title: `Title of ${name}`,
    url: null,
    contentType: 'text/markdown',
    hash: sha256(body),
    version: `v-${version}`,
    updatedAt: Date.UTC(2026, 0, 2),
    tags: ['a', 'ü'],
    metadata: { deep: { list: [1, null] } },
    chunks: 3,
    size: body.length,
    body,
    pieces: chunksOf(content),
  };
}

export function chunksOf(content: string): (Chunk & { hash: string })[] {
  return ['zero', 'one', 'two'].map((word, ordinal) => {
    const text = `${content} ${word}`;
    const lines = { startLine: ordinal * 10 + 1, endLine: ordinal * 10 + 9 };
    return { ordinal, heading: [content, word], ...lines, text, tokens: ordinal + 1, hash: sha256(text) };
  });
}

/** Writes a segment without publishing it. The only term of each document is its `sourceId`, with its number as data. */
export async function writeSegment(
  knowledge: KnowledgeStore,
  documents: readonly TestDocument[],
  extra: readonly Postings[] = [],
): Promise<Publication & { firstDocNo: number }> {
  const { segment, firstDocNo } = await knowledge.openSegment(documents.length);
  const numbered = documents.map((document, index) => ({ ...document, docNo: firstDocNo + index }));
  await knowledge.addDocuments(
    segment,
    numbered.map(({ docNo, body, pieces }) => ({ docNo, body, chunks: pieces })),
  );
  const postings = numbered.map(({ sourceId, docNo }) => ({ term: sourceId, data: numberBytes(docNo) }));
  await knowledge.addPostings(segment, [...postings, ...extra].sort(byTerm));
  return {
    segment,
    firstDocNo,
    header: numberBytes(segment),
    chunks: numbered.reduce((sum, { chunks }) => sum + chunks, 0),
    documents: numbered.map(({ body: _, pieces: __, ...document }) => document),
  };
}

export async function publishDocuments(knowledge: KnowledgeStore, documents: readonly TestDocument[]) {
  const segment = await writeSegment(knowledge, documents);
  await knowledge.publish(segment);
  return segment;
}

export function numberBytes(value: number): Uint8Array {
  return new Uint8Array(new Float64Array([value]).buffer);
}

export function bytesNumber(bytes: Uint8Array): number {
  return new Float64Array(Uint8Array.from(bytes).buffer)[0] ?? Number.NaN;
}

/** Counts the rows of each table of the knowledge base. */
export function countKnowledgeRows(db: TestDatabase['db']): Promise<Record<string, number>> {
  return withDatabase(db, async (kysely) => {
    const counts: Record<string, number> = {};
    for (const name of ['documents', 'texts', 'chunks', 'segments', 'postings', 'removed', 'vectors']) {
      const query = sql<{ count: number }>`select count(*) as count from ${sql.table(`knowledge_${name}`)}`;
      counts[name] = (await query.execute(kysely)).rows[0]?.count ?? 0;
    }
    return counts;
  });
}

/** Counts orphaned rows while no segment is open: texts and chunks without a document, postings without a segment. */
export function leftOverRows(db: TestDatabase['db']): Promise<{ kind: string; number: number }[]> {
  return withDatabase(db, async (kysely) => {
    const { rows } = await sql<{ kind: string; number: number }>`
      select 'text' as kind, doc_no as number from knowledge_texts
        where doc_no not in (select doc_no from knowledge_documents)
      union select 'chunk', doc_no from knowledge_chunks where doc_no not in (select doc_no from knowledge_documents)
      union select 'postings', segment from knowledge_postings
        where segment not in (select id from knowledge_segments where state = 'live')
      union select state, id from knowledge_segments where state <> 'live'
      union select 'no text', doc_no from knowledge_documents where doc_no not in (select doc_no from knowledge_texts)
      order by 1, 2`.execute(kysely);
    return rows;
  });
}

async function withDatabase<T>(db: TestDatabase['db'], run: (kysely: Kysely<Tables>) => Promise<T>): Promise<T> {
  const database = await openDatabase(db, silentLogger);
  try {
    return await database.read(run);
  } finally {
    await database.close();
  }
}

function byTerm(one: Postings, other: Postings): number {
  return Buffer.compare(Buffer.from(one.term), Buffer.from(other.term));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
