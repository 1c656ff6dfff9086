import { type Kysely, sql } from 'kysely';
import { HubError } from '../../base/hub-error.ts';
import type { BulkInsert, Database } from '../../db/database.ts';
import { cleanText, slices } from '../../db/rows.ts';
import type { Tables } from '../../db/tables.ts';
import type { NewDocument, OpenSegment, Postings } from './knowledge-store.ts';

/** Limits per transaction, so that nobody waits long for the lock or the event loop. */
const maxPostings = 1000;
const maxChunks = 500;
const maxCharacters = 500_000;

export const segmentCounter = 'knowledge:segments';
export const documentCounter = 'knowledge:documents';

/** Opens a segment. Its numbers are never reused, whatever happens to it. */
export function reserveSegment(
  database: Database,
  options: { documents: number; openedAt: number },
): Promise<OpenSegment> {
  const { documents, openedAt } = options;
  return database.write(async ({ db }) => {
    const segment = await increment(db, segmentCounter, 1);
    const firstDocNo = (await increment(db, documentCounter, documents)) - documents + 1;
    const row = { state: 'open', opened_at: openedAt, first_doc_no: firstDocNo, documents, chunks: 0 } as const;
    await db
      .insertInto('knowledge_segments')
      .values({ id: segment, ...row, header: null })
      .execute();
    return { segment, firstDocNo };
  });
}

/** Adds documents. One document may take several transactions, because nobody sees it yet. Its text comes first, so that a sweep can find it. */
export async function fillDocuments(
  database: Database,
  segment: number,
  documents: readonly NewDocument[],
): Promise<void> {
  for (const group of groupBySize(documents)) {
    const texts: BulkInsert = { ...textColumns, rows: group.map(({ docNo, body }) => [docNo, cleanText(body)]) };
    const [first = [], ...others] = [...slices(group.flatMap(toChunkRows), maxChunks)];
    await fill(database, segment, [texts, { ...chunkColumns, rows: first }]);
    for (const rows of others) await fill(database, segment, [{ ...chunkColumns, rows }]);
  }
}

export async function fillPostings(database: Database, segment: number, postings: readonly Postings[]): Promise<void> {
  for (const group of slices(postings, maxPostings)) {
    const rows = group.map(({ term, data }) => [segment, cleanText(term), data]);
    await fill(database, segment, [{ ...postingsColumns, rows }]);
  }
}

async function increment(db: Kysely<Tables>, key: string, by: number): Promise<number> {
  const row = await db
    .insertInto('revisions')
    .values({ key, value: by })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: sql<number>`revisions.value + ${by}` }))
    .returning('value')
    .executeTakeFirstOrThrow();
  return row.value;
}

async function fill(database: Database, segment: number, inserts: readonly BulkInsert[]): Promise<void> {
  if (await database.fillSegment(segment, inserts)) return;
  throw notOpen(segment);
}

export function notOpen(segment: number): HubError {
  return new HubError(
    'CONFLICT',
    `The index segment ${segment} is no longer open: it was published, discarded or replaced by a restore. Sync again.`,
  );
}

function* groupBySize(documents: readonly NewDocument[]): Generator<NewDocument[]> {
  let group: NewDocument[] = [];
  let size = 0;
  for (const document of documents) {
    if (group.length > 0 && size + document.body.length > maxCharacters) {
      yield group;
      group = [];
      size = 0;
    }
    group.push(document);
    size += document.body.length;
  }
  if (group.length > 0) yield group;
}

function toChunkRows({ docNo, chunks }: NewDocument): (string | number)[][] {
  return chunks.map((chunk) => [
    docNo,
    chunk.ordinal,
    chunk.hash,
    chunk.startLine,
    chunk.endLine,
    chunk.tokens,
    JSON.stringify(chunk.heading),
    cleanText(chunk.text),
  ]);
}

const textColumns: Omit<BulkInsert, 'rows'> = {
  table: 'knowledge_texts',
  columns: [
    { name: 'doc_no', type: 'bigint' },
    { name: 'body', type: 'text' },
  ],
};

const chunkColumns: Omit<BulkInsert, 'rows'> = {
  table: 'knowledge_chunks',
  columns: [
    { name: 'doc_no', type: 'bigint' },
    { name: 'ordinal', type: 'integer' },
    { name: 'hash', type: 'text' },
    { name: 'start_line', type: 'integer' },
    { name: 'end_line', type: 'integer' },
    { name: 'tokens', type: 'integer' },
    { name: 'heading', type: 'text' },
    { name: 'text', type: 'text' },
  ],
};

const postingsColumns: Omit<BulkInsert, 'rows'> = {
  table: 'knowledge_postings',
  columns: [
    { name: 'segment', type: 'bigint' },
    { name: 'term', type: 'text' },
    { name: 'data', type: 'bytea' },
  ],
};

declare module '../../db/tables.ts' {
  interface Tables {
    knowledge_segments: KnowledgeSegmentRow;
    knowledge_postings: KnowledgePostingsRow;
    knowledge_removed: KnowledgeRemovedRow;
  }
}

interface KnowledgeSegmentRow {
  id: number;
  /** `dead`: its rows are being deleted. */
  state: 'open' | 'live' | 'dead';
  opened_at: number;
  first_doc_no: number;
  /** How many document numbers it reserved; 0 once another segment has replaced it. */
  documents: number;
  chunks: number;
  header: Uint8Array | null;
}

interface KnowledgePostingsRow {
  segment: number;
  term: string;
  data: Uint8Array;
}

interface KnowledgeRemovedRow {
  doc_no: number;
}

/** The maximum number of rows and documents that one transaction deletes. */
const stepRows = 1000;
const stepDocuments = 50;

/**
 * Discards segments that were left open. Marks them as dead first, so that their processes cannot add to them, then deletes
 * their rows, and finally the segments themselves. If this process is killed in between, the next one continues.
 */
export async function discardOpenSegments(database: Database, olderThan: number): Promise<number> {
  const discarded = await database.write(({ db }) =>
    db
      .updateTable('knowledge_segments')
      .set({ state: 'dead' })
      .where('state', '=', 'open')
      .where('opened_at', '<', olderThan)
      .returning('id')
      .execute(),
  );
  await sweepDeadSegments(database);
  return discarded.length;
}

export async function sweepDeadSegments(database: Database): Promise<void> {
  const dead = await database.read((db) =>
    db
      .selectFrom('knowledge_segments')
      .select(['id', 'first_doc_no', 'documents'])
      .where('state', '=', 'dead')
      .orderBy('id')
      .execute(),
  );
  for (const segment of dead) {
    while ((await deletePostings(database, segment.id)) === stepRows);
    const numbers = { from: segment.first_doc_no, to: segment.first_doc_no + segment.documents };
    while (segment.documents > 0 && (await deleteTexts(database, numbers)) === stepDocuments);
    await database.write(({ db }) =>
      db.deleteFrom('knowledge_segments').where('id', '=', segment.id).where('state', '=', 'dead').execute(),
    );
  }
}

function deletePostings(database: Database, segment: number): Promise<number> {
  return database.write(
    async ({ db }) => {
      const result = await db
        .deleteFrom('knowledge_postings')
        .where('segment', '=', segment)
        .where('term', 'in', (each) =>
          each
            .selectFrom('knowledge_postings')
            .select('term')
            .where('segment', '=', segment)
            .orderBy('term')
            .limit(stepRows),
        )
        .executeTakeFirst();
      return Number(result.numDeletedRows);
    },
    { isJob: true },
  );
}

/** An unpublished segment has no visible documents. The check is cheap and makes sure that none is ever deleted. */
function deleteTexts(database: Database, numbers: { from: number; to: number }): Promise<number> {
  return database.write(
    async ({ db }) => {
      const { rows } = await sql<{ doc_no: number }>`delete from knowledge_texts where doc_no in (
      select doc_no from knowledge_texts as texts where doc_no >= ${numbers.from} and doc_no < ${numbers.to}
        and not exists (select 1 from knowledge_documents as seen where seen.doc_no = texts.doc_no)
      order by doc_no limit ${stepDocuments}) returning doc_no`.execute(db);
      if (rows.length > 0) {
        const docNos = rows.map((row) => row.doc_no);
        await db.deleteFrom('knowledge_chunks').where('doc_no', 'in', docNos).execute();
      }
      return rows.length;
    },
    { isJob: true },
  );
}
