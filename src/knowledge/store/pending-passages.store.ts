import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { ChunkKey, VectorStore } from './knowledge-store.ts';
import { findPassages } from './passages.store.ts';

type Pending = Awaited<ReturnType<VectorStore['pending']>>;

/** Chunks that one statement looks at, so that nothing else waits long. */
const stepRows = 1000;
const beforeAll: ChunkKey = { docNo: -1, ordinal: 0 };

interface Looked {
  doc_no: number;
  ordinal: number;
  hash: string;
  /** 1 when a visible document holds it and it has no vector. */
  pending: number;
}

/**
 * Chunks to embed, in the order of their documents. The next look begins where the last one ended and goes once around:
 * a look from the start each time would pass by all that is embedded already, again and again.
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

  /** Of every chunk, visible or not. */
  async *hashes(): AsyncGenerator<string> {
    for await (const { hash } of this.#after('', beforeAll)) yield hash;
  }

  async *#around(model: string, start: ChunkKey): AsyncGenerator<Looked> {
    yield* this.#after(model, start);
    if (start === beforeAll) return;
    for await (const row of this.#after(model, beforeAll)) {
      if (row.doc_no > start.docNo || (row.doc_no === start.docNo && row.ordinal > start.ordinal)) return;
      yield row;
    }
  }

  async *#after(model: string, start: ChunkKey): AsyncGenerator<Looked> {
    for (let after: ChunkKey | undefined = start; after !== undefined; ) {
      const rows: Looked[] = await this.#step(model, after);
      yield* rows;
      const last = rows.length === stepRows ? rows.at(-1) : undefined;
      after = last && { docNo: last.doc_no, ordinal: last.ordinal };
      await nextTurn();
    }
  }

  /** All that is needed of a chunk here is in the index of its key. */
  async #step(model: string, { docNo, ordinal }: ChunkKey): Promise<Looked[]> {
    const { rows } = await this.#database.read((db) =>
      sql<Looked>`
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
