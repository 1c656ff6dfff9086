import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { VectorStore } from '../knowledge/knowledge-store.ts';
import type { Database } from './database.ts';

type Pending = Awaited<ReturnType<VectorStore['pending']>>;

/** Different hashes that one statement looks at, so that nothing else waits long. */
const stepHashes = 1000;

/** Hashes after one, up to and with another. */
interface Span {
  after: string;
  last: string;
}

interface Missing {
  hash: string;
  doc_no: number;
}

/**
 * Chunks to embed, in the order of their hashes. The next look begins where the last one ended and goes once around:
 * a look from the start each time would pass by all that is embedded already, again and again.
 */
export class PendingChunks {
  readonly #database: Database;
  readonly #positions = new Map<string, string>();

  constructor(database: Database) {
    this.#database = database;
  }

  async find(model: string, limit: number): Promise<Pending> {
    const start = this.#positions.get(model) ?? '';
    const found: Missing[] = [];
    for (const [from, to] of start === '' ? [['']] : [[start], ['', start]]) {
      for await (const span of this.#spans(from ?? '', to)) {
        const rest = limit - found.length;
        const { rows } = await this.#database.read((db) =>
          sql<Missing>`select * from (${missingIn(span, model)}) as missing order by hash limit ${rest}`.execute(db),
        );
        found.push(...rows);
        if (found.length >= limit) break;
      }
      if (found.length >= limit) break;
    }
    this.#positions.set(model, found.at(-1)?.hash ?? '');
    return this.#read(found);
  }

  async count(model: string): Promise<number> {
    let count = 0;
    for await (const span of this.#spans('')) {
      const { rows } = await this.#database.read((db) =>
        sql<{ count: number }>`select count(*) as count from (${missingIn(span, model)}) as missing`.execute(db),
      );
      count += rows[0]?.count ?? 0;
    }
    return count;
  }

  async *#spans(from: string, to?: string): AsyncGenerator<Span> {
    const upTo = to === undefined ? sql`` : sql`and hash <= ${to}`;
    for (let after = from; ; ) {
      const { rows } = await this.#database.read((db) =>
        sql<{ last: string | null }>`select max(hash) as last from (
          select distinct hash from knowledge_chunks where hash > ${after} ${upTo} order by hash limit ${stepHashes}
        ) as step`.execute(db),
      );
      const last = rows[0]?.last ?? undefined;
      if (last === undefined) return;
      yield { after, last };
      after = last;
      await nextTurn();
    }
  }

  async #read(found: readonly Missing[]): Promise<Pending> {
    if (found.length === 0) return [];
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('knowledge_chunks as chunk')
        .innerJoin('knowledge_documents as document', 'document.doc_no', 'chunk.doc_no')
        .select(['chunk.hash', 'chunk.heading', 'chunk.text', 'document.title'])
        .where(
          'chunk.hash',
          'in',
          found.map((each) => each.hash),
        )
        .where('chunk.doc_no', 'in', [...new Set(found.map((each) => each.doc_no))])
        .execute(),
    );
    // The same hash means the same text, wherever it stands.
    const byHash = new Map(rows.map((row) => [row.hash, row]));
    return found.flatMap(({ hash }) => {
      const row = byHash.get(hash);
      return row ? [{ hash, title: row.title, heading: JSON.parse(row.heading), text: row.text }] : [];
    });
  }
}

/** Only what a visible document holds; `doc_no` is the first of those that hold it. */
function missingIn({ after, last }: Span, model: string): RawBuilder<unknown> {
  return sql`select hash, doc_no from (
      select step.hash, (
        select min(chunk.doc_no) from knowledge_chunks as chunk
        join knowledge_documents as document on document.doc_no = chunk.doc_no where chunk.hash = step.hash
      ) as doc_no
      from (select distinct hash from knowledge_chunks where hash > ${after} and hash <= ${last}) as step
      where not exists (select 1 from knowledge_vectors as vector where vector.model = ${model} and vector.hash = step.hash)
    ) as seen where doc_no is not null`;
}
