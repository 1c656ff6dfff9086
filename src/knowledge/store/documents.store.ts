import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { HubError } from '../../base/hub-error.ts';
import { readRevisions } from '../../db/change-bus.ts';
import type { Database } from '../../db/database.ts';
import { cleanText } from '../../db/rows.ts';
import type { Tables } from '../../db/tables.ts';
import type { Chunk, KnowledgeDocument } from '../document.ts';
import { type KnowledgeDocumentRow, toChunk, toDocument } from './document-rows.store.ts';
import type { DocumentQuery, KnowledgeStats, KnownItem } from './knowledge-store.ts';

/** Rows that one statement looks at, so that nothing else waits long. */
const stepRows = 2000;

type Position = [source: string, sourceId: string];

/** Documents as they are seen; each page is a statement of its own. */
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
      // Without words every row counts, and the limit alone ends the look.
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

  /** Kept for as long as nothing changes, by the counter of the database: a notice of another process may be on its way. */
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
  /** After this one. */
  from?: Position | undefined;
  /** This one included. */
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
    // Answered below.
  }
  throw new HubError(
    'INVALID_ARGUMENTS',
    'The cursor is not one that a list of documents gave. Leave it out to begin.',
  );
}
