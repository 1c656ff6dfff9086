import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { HubError } from '../../base/hub-error.ts';
import { readRevisions } from '../../db/change-bus.ts';
import type { Database } from '../../db/database.ts';
import { cleanText } from '../../db/rows.ts';
import type { Tables } from '../../db/tables.ts';
import type { Chunk, KnowledgeDocument } from '../document.ts';
import { type KnowledgeChunkRow, type KnowledgeDocumentRow, toChunk, toDocument } from './document-rows.store.ts';
import type { ChunkKey, DocumentQuery, KnowledgeStats, KnownItem, StoredPassage } from './knowledge-store.ts';

/** The maximum number of rows per statement, so that others do not wait long. */
const stepRows = 2000;

type Position = [source: string, sourceId: string];

/** Reads visible documents, page by page. */
export class KnowledgeDocuments {
  readonly #database: Database;
  #stats: { revision: number; value: Promise<KnowledgeStats> } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  async items(source: string): Promise<Map<string, KnownItem>> {
    const items = new Map<string, KnownItem>();
    for (let last: string | undefined = ''; last !== undefined; ) {
      const after: string = last;
      const rows = await this.#database.read((db) =>
        db
          .selectFrom('knowledge_documents')
          .select(['source_id', 'id', 'version', 'hash'])
          .where('source', '=', source)
          .where('source_id', '>', after)
          .orderBy('source_id')
          .limit(stepRows)
          .execute(),
      );
      for (const { source_id, id, version, hash } of rows) items.set(source_id, { id, version, hash });
      last = rows.length === stepRows ? rows.at(-1)?.source_id : undefined;
      await nextTurn();
    }
    return items;
  }

  async document(id: string): Promise<KnowledgeDocument | undefined> {
    const row = await this.#database.read((db) =>
      db.selectFrom('knowledge_documents').selectAll().where('id', '=', id).executeTakeFirst(),
    );
    return row && toDocument(row);
  }

  async body(id: string): Promise<string | undefined> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('knowledge_documents as document')
        .innerJoin('knowledge_texts as text', 'text.doc_no', 'document.doc_no')
        .select('text.body')
        .where('document.id', '=', id)
        .executeTakeFirst(),
    );
    return row?.body;
  }

  async chunks(id: string): Promise<Chunk[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('knowledge_documents as document')
        .innerJoin('knowledge_chunks as chunk', 'chunk.doc_no', 'document.doc_no')
        .selectAll('chunk')
        .where('document.id', '=', id)
        .orderBy('chunk.ordinal')
        .execute(),
    );
    return rows.map(toChunk);
  }

  async page(query: DocumentQuery): Promise<{ documents: KnowledgeDocument[]; cursor: string | null }> {
    const { source, limit } = query;
    const words = wordsOf(query.text ?? '');
    const found: KnowledgeDocumentRow[] = [];
    let from = query.cursor === undefined ? undefined : parseCursor(query.cursor);
    let to: Position | undefined;
    do {
      // Without words every row matches, so the limit is enough to end the search.
      to = words.length > 0 ? await this.#endOfStep(from, source) : undefined;
      found.push(...(await this.#between({ from, to, source, words, limit: limit + 1 - found.length })));
      from = to;
      await nextTurn();
    } while (to !== undefined && found.length <= limit);
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    const cursor = last && found.length > limit ? toCursor([last.source, last.source_id]) : null;
    return { documents: rows.map(toDocument), cursor };
  }

  /** Caches the result while the database's counter is unchanged. Change events of other processes may arrive too late for that. */
  async stats(): Promise<KnowledgeStats> {
    const [revision = 0] = await this.#database.read((db) => readRevisions(db, ['knowledge']));
    if (this.#stats?.revision === revision) return this.#stats.value;
    const value = this.#database.read(readStats);
    this.#stats = { revision, value };
    value.catch(() => {
      this.#stats = undefined;
    });
    return value;
  }

  async #endOfStep(from: Position | undefined, source: string | undefined): Promise<Position | undefined> {
    const row = await this.#database.read((db) =>
      ordered(db, { from, source })
        .select(['source', 'source_id'])
        .limit(1)
        .offset(stepRows - 1)
        .executeTakeFirst(),
    );
    return row && [row.source, row.source_id];
  }

  #between(range: Range & { words: readonly string[]; limit: number }): Promise<KnowledgeDocumentRow[]> {
    const { contains } = this.#database.dialect;
    return this.#database.read((db) => {
      let query = ordered(db, range).selectAll().limit(range.limit);
      for (const word of range.words) query = query.where(contains(sql.ref('folded'), word));
      return query.execute();
    });
  }
}

interface Range {
  /** Exclusive. */
  from?: Position | undefined;
  /** Inclusive. */
  to?: Position | undefined;
  source?: string | undefined;
}

function ordered(db: Kysely<Tables>, { from, to, source }: Range) {
  let query = db.selectFrom('knowledge_documents').orderBy('source').orderBy('source_id');
  if (source !== undefined) query = query.where('source', '=', source);
  if (from) query = query.where(sql<boolean>`(source, source_id) > (${from[0]}, ${from[1]})`);
  if (to) query = query.where(sql<boolean>`(source, source_id) <= (${to[0]}, ${to[1]})`);
  return query;
}

async function readStats(db: Kysely<Tables>): Promise<KnowledgeStats> {
  const segments = await db
    .selectFrom('knowledge_segments')
    .select((each) => each.fn.countAll<number>().as('count'))
    .where('state', '=', 'live')
    .executeTakeFirstOrThrow();
  const { rows } = await sql<KnowledgeStats['sources'][number] & { size: number }>`
    select source, count(*) as documents, sum(chunks) as chunks, cast(sum(size) as bigint) as size,
      max(updated_at) as "updatedAt"
    from knowledge_documents group by source order by source`.execute(db);
  const sum = (key: 'documents' | 'chunks' | 'size') => rows.reduce((total, row) => total + row[key], 0);
  return {
    documents: sum('documents'),
    chunks: sum('chunks'),
    size: sum('size'),
    segments: segments.count,
    sources: rows.map(({ source, documents, chunks, updatedAt }) => ({ source, documents, chunks, updatedAt })),
  };
}

function wordsOf(text: string): string[] {
  return cleanText(text)
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

function toCursor(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

function parseCursor(cursor: string): Position {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const [source, sourceId]: unknown[] = Array.isArray(value) ? value : [];
    if (typeof source === 'string' && typeof sourceId === 'string') return [cleanText(source), cleanText(sourceId)];
  } catch {
    // Reported below.
  }
  throw new HubError(
    'INVALID_ARGUMENTS',
    'This cursor does not come from a list of documents. Omit it to start at the first page.',
  );
}

type Row = Omit<KnowledgeChunkRow, 'hash'> & Omit<KnowledgeDocumentRow, 'folded' | 'version' | 'touched'>;

const passageColumns = `chunk.doc_no, chunk.ordinal, chunk.start_line, chunk.end_line, chunk.tokens, chunk.heading, chunk.text,
  document.id, document.source, document.source_id, document.title, document.url, document.content_type, document.hash,
  document.updated_at, document.indexed_at, document.tags, document.metadata, document.chunks, document.size`;

/** Returns passages in the order of the keys. Prepared, because every search runs it. */
export async function findPassages(database: Database, keys: readonly ChunkKey[]): Promise<StoredPassage[]> {
  if (keys.length === 0) return [];
  const wanted = database.dialect.prepared.rowsOfLists('wanted', [
    { name: 'doc_no', type: 'bigint' },
    { name: 'ordinal', type: 'integer' },
  ]);
  const text = `select ${passageColumns} from ${wanted}
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
