import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { findPassages } from './documents.store.ts';
import type { ChunkKey, VectorStore } from './knowledge-store.ts';

type Pending = Awaited<ReturnType<VectorStore['pending']>>;

/** The maximum number of chunks per statement, so that others do not wait long. */
const stepRows = 1000;
const beforeAll: ChunkKey = { docNo: -1, ordinal: 0 };

interface ChunkRow {
  doc_no: number;
  ordinal: number;
  hash: string;
  /** 1 when it belongs to a visible document and has no vector. */
  pending: number;
}

/**
 * Finds chunks to embed, in the order of their documents. Each search continues where the last one ended and wraps around
 * once, so that embedded chunks are not scanned again every time.
 */
export class PendingChunks {
  readonly #database: Database;
  readonly #positions = new Map<string, ChunkKey>();

  constructor(database: Database) {
    this.#database = database;
  }

  async find(model: string, limit: number): Promise<Pending> {
    const found = new Map<string, ChunkKey>();
    const start = this.#positions.get(model) ?? beforeAll;
    let position = beforeAll;
    for await (const row of this.#around(model, start)) {
      if (row.pending !== 1 || found.has(row.hash)) continue;
      position = { docNo: row.doc_no, ordinal: row.ordinal };
      found.set(row.hash, position);
      if (found.size === limit) break;
    }
    this.#positions.set(model, position);
    return this.#read(found);
  }

  async count(model: string): Promise<number> {
    const hashes = new Set<string>();
    for await (const row of this.#after(model, beforeAll)) if (row.pending === 1) hashes.add(row.hash);
    return hashes.size;
  }

  /** Yields the hash of every chunk, visible or not. */
  async *hashes(): AsyncGenerator<string> {
    for await (const { hash } of this.#after('', beforeAll)) yield hash;
  }

  async *#around(model: string, start: ChunkKey): AsyncGenerator<ChunkRow> {
    yield* this.#after(model, start);
    if (start === beforeAll) return;
    for await (const row of this.#after(model, beforeAll)) {
      if (row.doc_no > start.docNo || (row.doc_no === start.docNo && row.ordinal > start.ordinal)) return;
      yield row;
    }
  }

  async *#after(model: string, start: ChunkKey): AsyncGenerator<ChunkRow> {
    for (let after: ChunkKey | undefined = start; after !== undefined; ) {
      const rows: ChunkRow[] = await this.#step(model, after);
      yield* rows;
      const last = rows.length === stepRows ? rows.at(-1) : undefined;
      after = last && { docNo: last.doc_no, ordinal: last.ordinal };
      await nextTurn();
    }
  }

  /** Reads only columns that the index of the key contains. */
  async #step(model: string, { docNo, ordinal }: ChunkKey): Promise<ChunkRow[]> {
    const { rows } = await this.#database.read((db) =>
      sql<ChunkRow>`
        select chunk.doc_no, chunk.ordinal, chunk.hash,
          case when document.doc_no is not null and vector.hash is null then 1 else 0 end as pending
        from (
          select doc_no, ordinal, hash from knowledge_chunks where (doc_no, ordinal) > (${docNo}, ${ordinal})
          order by doc_no, ordinal limit ${stepRows}
        ) as chunk
        left join knowledge_documents as document on document.doc_no = chunk.doc_no
        left join knowledge_vectors as vector on vector.model = ${model} and vector.hash = chunk.hash
        order by chunk.doc_no, chunk.ordinal`.execute(db),
    );
    return rows;
  }

  async #read(found: ReadonlyMap<string, ChunkKey>): Promise<Pending> {
    const passages = await findPassages(this.#database, [...found.values()]);
    const byKey = new Map(passages.map((passage) => [`${passage.docNo} ${passage.ordinal}`, passage]));
    return [...found].flatMap(([hash, { docNo, ordinal }]) => {
      const passage = byKey.get(`${docNo} ${ordinal}`);
      return passage ? [{ hash, title: passage.document.title, heading: passage.heading, text: passage.text }] : [];
    });
  }
}
