import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { bumpRevision, readRevisions } from '../../db/change-bus.ts';
import type { Database } from '../../db/database.ts';
import { slices } from '../../db/rows.ts';
import type { ChunkKey, NearVectors, VectorStore } from './knowledge-store.ts';
import { PostgresNearVectors } from './near-vectors.store.ts';
import { PendingChunks } from './pending-passages.store.ts';
import { toBytes, toVector } from './vector-bytes.ts';

export const vectorCounterPrefix = 'vectors:';
/** Limits per statement, so that others do not wait long. */
const pageRows = 1000;
const pageDocuments = 5000;
/** A vector has a few kilobytes. */
const pageVectors = 250;
const maxInserted = 200;

export class StoredVectors implements VectorStore {
  readonly near: NearVectors | undefined;
  readonly #database: Database;
  readonly #pending: PendingChunks;
  readonly #counts = new Map<string, { at: string; count: number }>();

  constructor(database: Database) {
    this.#database = database;
    this.#pending = new PendingChunks(database);
    this.near = database.dialect.comparesVectors ? new PostgresNearVectors(database) : undefined;
  }

  pending(model: string, limit: number): ReturnType<VectorStore['pending']> {
    return this.#pending.find(model, limit);
  }

  /** Caches the result while the database's counters are unchanged. Change events of other processes may arrive too late for that. */
  async countPending(model: string): Promise<number> {
    const at = (await this.#revisions('knowledge', `${vectorCounterPrefix}${model}`)).join(' ');
    const known = this.#counts.get(model);
    if (known?.at === at) return known.count;
    const count = await this.#pending.count(model);
    this.#counts.set(model, { at, count });
    return count;
  }

  save(model: string, vectors: readonly { hash: string; vector: Float32Array }[]): Promise<void> {
    return this.#database.write(
      async ({ db }) => {
        for (const group of slices(vectors, maxInserted)) {
          await db
            .insertInto('knowledge_vectors')
            .values(group.map(({ hash, vector }) => ({ model, hash, data: toBytes(vector) })))
            .onConflict((conflict) =>
              conflict.columns(['model', 'hash']).doUpdateSet((each) => ({ data: each.ref('excluded.data') })),
            )
            .execute();
        }
        await bumpRevision(db, `${vectorCounterPrefix}${model}`);
      },
      { isJob: true },
    );
  }

  async documents(): Promise<Map<number, number>> {
    const numbers = new Map<number, number>();
    for (let after = -1; ; ) {
      const rows = await this.#database.read((db) =>
        db
          .selectFrom('knowledge_documents')
          .select(['doc_no', 'chunks'])
          .where('doc_no', '>', after)
          .orderBy('doc_no')
          .limit(pageDocuments)
          .execute(),
      );
      for (const row of rows) numbers.set(row.doc_no, row.chunks);
      const last = rows.at(-1);
      if (!last || rows.length < pageDocuments) return numbers;
      after = last.doc_no;
      await nextTurn();
    }
  }

  async *all(model: string, docNos?: readonly number[]): AsyncGenerator<(ChunkKey & { vector: Float32Array })[]> {
    if (!docNos) {
      yield* this.#pages(model, sql``);
      return;
    }
    for (const group of slices(docNos, maxInserted))
      yield* this.#pages(model, sql`and chunk.doc_no in (${sql.join(group)})`);
  }

  async *#pages(
    model: string,
    condition: RawBuilder<unknown>,
  ): AsyncGenerator<(ChunkKey & { vector: Float32Array })[]> {
    let after: ChunkKey | undefined = { docNo: -1, ordinal: 0 };
    while (after) {
      const from: ChunkKey = after;
      const { rows } = await this.#database.read((db) =>
        sql<{ doc_no: number; ordinal: number; data: Uint8Array }>`
          select chunk.doc_no, chunk.ordinal, vector.data from knowledge_chunks as chunk
          join knowledge_documents as document on document.doc_no = chunk.doc_no
          join knowledge_vectors as vector on vector.model = ${model} and vector.hash = chunk.hash
          where (chunk.doc_no, chunk.ordinal) > (${from.docNo}, ${from.ordinal}) ${condition}
          order by chunk.doc_no, chunk.ordinal limit ${pageVectors}`.execute(db),
      );
      const page = rows.map((row) => ({ docNo: row.doc_no, ordinal: row.ordinal, vector: toVector(row.data) }));
      after = page.length === pageVectors ? page.at(-1) : undefined;
      if (page.length > 0) yield page;
      await nextTurn();
    }
  }

  async count(model: string): Promise<number> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('knowledge_vectors')
        .select((each) => each.fn.countAll<number>().as('count'))
        .where('model', '=', model)
        .executeTakeFirstOrThrow(),
    );
    return row.count;
  }

  async revision(model: string): Promise<number> {
    const [value = 0] = await this.#revisions(`${vectorCounterPrefix}${model}`);
    return value;
  }

  #revisions(...keys: string[]): Promise<number[]> {
    return this.#database.read((db) => readRevisions(db, keys));
  }

  clear({ except }: { except?: string }): Promise<number> {
    return this.#delete({ except, isKept: () => false });
  }

  /** Keeps the vectors of unpublished chunks, which are about to be published. */
  async prune(): Promise<number> {
    const used = new Set<string>();
    for await (const hash of this.#pending.hashes()) used.add(shortHash(hash));
    return this.#delete({ except: undefined, isKept: (hash) => used.has(shortHash(hash)) });
  }

  async #delete(options: { except: string | undefined; isKept: (hash: string) => boolean }): Promise<number> {
    let count = 0;
    for (let model = await this.#modelAfter(''); model !== undefined; model = await this.#modelAfter(model)) {
      if (model === options.except) continue;
      for (let last: string | undefined = ''; last !== undefined; ) {
        const hashes = await this.#hashesAfter(model, last);
        const unused = hashes.filter((hash) => !options.isKept(hash));
        if (unused.length > 0) count += await this.#deleteHashes(model, unused);
        last = hashes.length === pageRows ? hashes.at(-1) : undefined;
      }
    }
    return count;
  }

  async #hashesAfter(model: string, after: string): Promise<string[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('knowledge_vectors')
        .select('hash')
        .where('model', '=', model)
        .where('hash', '>', after)
        .orderBy('hash')
        .limit(pageRows)
        .execute(),
    );
    return rows.map((row) => row.hash);
  }

  #deleteHashes(model: string, hashes: readonly string[]): Promise<number> {
    return this.#database.write(async ({ db }) => {
      const { numDeletedRows } = await db
        .deleteFrom('knowledge_vectors')
        .where('model', '=', model)
        .where('hash', 'in', hashes)
        .executeTakeFirst();
      await bumpRevision(db, `${vectorCounterPrefix}${model}`);
      return Number(numDeletedRows);
    });
  }

  async #modelAfter(model: string): Promise<string | undefined> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('knowledge_vectors')
        .select('model')
        .where('model', '>', model)
        .orderBy('model')
        .limit(1)
        .executeTakeFirst(),
    );
    return row?.model;
  }
}

/** Short, to save memory, yet distinct for millions of vectors. A collision only means that one vector too many is kept. */
function shortHash(hash: string): string {
  return hash.slice(0, 12);
}

declare module '../../db/tables.ts' {
  interface Tables {
    knowledge_vectors: KnowledgeVectorRow;
  }
}

interface KnowledgeVectorRow {
  model: string;
  hash: string;
  /** Float32, little-endian. */
  data: Uint8Array;
}
