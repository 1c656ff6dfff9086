import { silentLogger } from '../../../src/base/logger.ts';
import type { Database } from '../../../src/db/database.ts';
import { decodeHeader } from '../../../src/knowledge/index/segment-header.ts';
import { openDatabase, type StoreAddress } from '../../../src/store/open-store.ts';

export interface KnowledgeCheck {
  isSound: boolean;
  problems: string[];
  documents: number;
}

/**
 * Checks every row of the knowledge base: each document is complete and in exactly one index segment. After a complete sync
 * there are also no orphaned rows. `isBetween`: a process was killed and no sync ran since.
 */
export async function checkKnowledge(db: StoreAddress, options: { isBetween?: boolean } = {}): Promise<KnowledgeCheck> {
  const database = await openDatabase(db, silentLogger);
  try {
    const rows = await readRows(database);
    const problems = [...brokenDocuments(rows), ...(options.isBetween ? [] : orphans(rows))];
    return { isSound: problems.length === 0, problems: problems.slice(0, 20), documents: rows.documents.length };
  } finally {
    await database.close();
  }
}

type Rows = Awaited<ReturnType<typeof readRows>>;

function readRows(database: Database) {
  return database.read(async (db) => {
    const texts = await db.selectFrom('knowledge_texts').select('doc_no').execute();
    const chunks = await db
      .selectFrom('knowledge_chunks')
      .select(['doc_no', ({ fn }) => fn.countAll<number>().as('count')])
      .groupBy('doc_no')
      .execute();
    const postings = await db.selectFrom('knowledge_postings').select('segment').distinct().execute();
    const segments = await db.selectFrom('knowledge_segments').select(['id', 'state', 'header']).execute();
    const removed = await db.selectFrom('knowledge_removed').select('doc_no').execute();
    const documents = await db
      .selectFrom('knowledge_documents')
      .select(['id', 'source', 'source_id', 'doc_no', 'chunks'])
      .execute();
    const removedNumbers = new Set(removed.map((row) => row.doc_no));
    const indexed = segments
      .filter((segment) => segment.state === 'live' && segment.header)
      .flatMap((segment) => [...decodeHeader(new Uint8Array(segment.header ?? [])).docNos]);
    return {
      texts: new Set(texts.map((row) => row.doc_no)),
      chunks: new Map(chunks.map((row) => [row.doc_no, Number(row.count)])),
      postings: new Set(postings.map((row) => row.segment)),
      segments,
      removed: removedNumbers,
      documents,
      /** How often each number occurs in live segments. */
      found: count(indexed.filter((docNo) => !removedNumbers.has(docNo))),
      indexed: new Set(indexed),
    };
  });
}

function brokenDocuments({ documents, texts, chunks, found }: Rows): string[] {
  const names = count(documents.map(({ source, source_id }) => `${source} ${source_id}`));
  return documents.flatMap((row) => {
    const name = `${row.source} ${row.source_id}`;
    return [
      ...(texts.has(row.doc_no) ? [] : [`${name} has no text`]),
      ...((chunks.get(row.doc_no) ?? 0) === row.chunks ? [] : [`${name} has not all its chunks`]),
      ...(found.get(row.doc_no) === 1 ? [] : [`${name} is in ${found.get(row.doc_no) ?? 0} segments`]),
      ...(names.get(name) === 1 ? [] : [`${name} is there twice`]),
    ];
  });
}

function orphans(rows: Rows): string[] {
  const numbers = new Set(rows.documents.map((row) => row.doc_no));
  const live = new Set(rows.segments.filter((row) => row.state === 'live').map((row) => row.id));
  return [
    ...[...rows.texts].filter((docNo) => !numbers.has(docNo)).map((docNo) => `text ${docNo} belongs to no document`),
    ...[...rows.chunks.keys()].filter((docNo) => !numbers.has(docNo)).map((docNo) => `chunks of ${docNo}, no document`),
    ...[...rows.found.keys()].filter((docNo) => !numbers.has(docNo)).map((docNo) => `${docNo} is found, no document`),
    ...[...rows.removed].filter((docNo) => !rows.indexed.has(docNo)).map((docNo) => `${docNo} removed, in no segment`),
    ...[...rows.postings].filter((segment) => !live.has(segment)).map((segment) => `postings of segment ${segment}`),
    ...rows.segments.filter((row) => row.state !== 'live').map((row) => `segment ${row.id} is ${row.state}`),
  ];
}

function count<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
