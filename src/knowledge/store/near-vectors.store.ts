import { type Kysely, type RawBuilder, sql } from 'kysely';
import { HubError } from '../../base/hub-error.ts';
import type { Database, Write } from '../../db/database.ts';
import type { Tables } from '../../db/tables.ts';
import type { SimilarChunk } from '../embedder.ts';
import type { NearQuery, NearVectors } from './knowledge-store.ts';
import { toVector } from './vector-bytes.ts';

/** Must differ from the other numbers that `dialect.lock` gets. */
const nearLock = 4_704_175_403;
const pageVectors = 500;
/** The first guess of how many texts must be compared for one passage that still exists. */
const textsPerPassage = 2;

/**
 * Compares vectors inside PostgreSQL, with the extension pgvector. `knowledge_vectors` stays the only truth: `knowledge_near`
 * has a row for each of its rows, which a trigger adds in the same transaction, whichever version of Agent Zoo saved the vector,
 * and which disappears with it. A new row waits without a vector until `fill` copies it, because SQL cannot convert the bytes.
 */
export class PostgresNearVectors implements NearVectors {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async prepare(): Promise<string | undefined> {
    const { location } = this.#database;
    const state = await this.#database.read(readState);
    if (state.isPrepared) return undefined;
    if (!state.isAvailable) return `PostgreSQL at ${location} does not have the extension "vector" (pgvector).`;
    try {
      await this.#locked(async (db) => {
        if (!(await readState(db)).isPrepared) await createTable(db);
      });
      return undefined;
    } catch (error) {
      if (error instanceof HubError) throw error;
      // The user may lack the right to create an extension, and any other reason is also for a person to read.
      return `PostgreSQL at ${location} cannot prepare pgvector: ${error instanceof Error ? error.message : error}.`;
    }
  }

  fill(model: string): Promise<number> {
    return this.#locked(async (db) => {
      // Locked rows stay as they are until the commit: a delete or change of the stored vector waits.
      const { rows } = await sql<{ hash: string; data: Uint8Array }>`
        select stored.hash, stored.data from knowledge_near as near
        join knowledge_vectors as stored on stored.model = near.model and stored.hash = near.hash
        where near.model = ${model} and near.dims is null limit ${sql.lit(pageVectors)} for update of near`.execute(db);
      if (rows.length === 0) return 0;
      const values = rows.map(({ hash, data }) => {
        const vector = toVector(data);
        return sql`(${hash}, ${sql.lit(vector.length)}::integer, ${toLiteral(vector)}::vector)`;
      });
      await sql`update knowledge_near as near set dims = filled.dims, embedding = filled.embedding
        from (values ${sql.join(values)}) as filled (hash, dims, embedding)
        where near.model = ${model} and near.hash = filled.hash`.execute(db);
      return rows.length;
    });
  }

  async dims(model: string): Promise<number[]> {
    const { rows } = await this.#database.read((db) =>
      // Jumps from one length to the next in the index instead of reading all rows.
      sql<{ dims: number }>`
        with recursive lengths as (
          select min(dims) as dims from knowledge_near where model = ${model}
          union all
          select (select min(dims) from knowledge_near where model = ${model} and dims > lengths.dims) from lengths
          where lengths.dims is not null)
        select dims from lengths where dims is not null`.execute(db),
    );
    return rows.map(({ dims }) => dims);
  }

  async nearest(query: NearQuery): Promise<SimilarChunk[]> {
    if (query.only) return this.#compare(query, sql`knowledge_near`, query.only);
    for (let texts = query.limit * textsPerPassage; ; texts *= 4) {
      const nearest = sql`(select near.* from knowledge_near as near
        where near.model = ${query.model} and near.dims = ${sql.lit(query.vector.length)}
        order by near.embedding <#> ${toLiteral(query.vector)}::vector limit ${sql.lit(texts)})`;
      const found = await this.#compare(query, nearest);
      // Texts of removed documents are among the nearest until they are pruned.
      if (found.length >= query.limit || texts >= (await this.#count(query.model))) return found;
    }
  }

  async #compare(
    { model, vector, limit }: NearQuery,
    near: RawBuilder<unknown>,
    only?: ReadonlySet<number>,
  ): Promise<SimilarChunk[]> {
    const condition = only ? sql`and chunk.doc_no = any(${[...only]}::bigint[])` : sql``;
    const { rows } = await this.#database.read((db) =>
      sql<{ doc_no: number; ordinal: number; distance: number }>`
        select chunk.doc_no, chunk.ordinal, near.embedding <#> ${toLiteral(vector)}::vector as distance
        from ${near} as near
        join knowledge_chunks as chunk on chunk.hash = near.hash
        join knowledge_documents as document on document.doc_no = chunk.doc_no
        where near.model = ${model} and near.dims = ${sql.lit(vector.length)} ${condition}
        order by distance, chunk.doc_no, chunk.ordinal limit ${sql.lit(limit)}`.execute(db),
    );
    return rows.map((row) => ({ docNo: row.doc_no, ordinal: row.ordinal, similarity: -row.distance }));
  }

  /** Lets one process at a time prepare or fill, so that none repeats the work of another. */
  #locked<T>(run: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    const { dialect } = this.#database;
    const locked = async ({ db }: Write) => {
      await dialect.lock(db, nearLock);
      return run(db);
    };
    return this.#database.write(locked, { isJob: true });
  }

  async #count(model: string): Promise<number> {
    const { rows } = await this.#database.read((db) =>
      sql<{ count: number }>`select count(*) as count from knowledge_near where model = ${model}`.execute(db),
    );
    return rows[0]?.count ?? 0;
  }
}

async function readState(db: Kysely<Tables>): Promise<{ isPrepared: boolean; isAvailable: boolean }> {
  const { rows } = await sql<{ prepared: boolean; available: boolean }>`
    select to_regclass('knowledge_near') is not null as prepared,
      exists (select from pg_available_extensions where name = 'vector') as available`.execute(db);
  return { isPrepared: rows[0]?.prepared === true, isAvailable: rows[0]?.available === true };
}

/** Not a migration, because most servers do not have the extension, and most hubs do not need it. */
async function createTable(db: Kysely<Tables>): Promise<void> {
  await sql`create extension if not exists vector`.execute(db);
  await sql`create table knowledge_near (
    model text collate "C" not null, hash text collate "C" not null, dims integer, embedding vector,
    primary key (model, hash),
    foreign key (model, hash) references knowledge_vectors (model, hash) on delete cascade)`.execute(db);
  await sql`create index knowledge_near_dims on knowledge_near (model, dims)`.execute(db);
  // Only this search looks for passages by their hash.
  await sql`create index if not exists knowledge_chunks_hash on knowledge_chunks (hash)`.execute(db);
  await sql`create function knowledge_near_add() returns trigger language plpgsql as $$
    begin
      insert into knowledge_near (model, hash) values (new.model, new.hash)
        on conflict (model, hash) do update set dims = null, embedding = null;
      return null;
    end $$`.execute(db);
  await sql`create trigger knowledge_near_add after insert or update of data on knowledge_vectors
    for each row execute function knowledge_near_add()`.execute(db);
  await sql`insert into knowledge_near (model, hash) select model, hash from knowledge_vectors`.execute(db);
}

function toLiteral(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}
