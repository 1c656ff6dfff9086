import type { Collection } from './collection.ts';
import { deepest, evaluate, type Quality, type Ranking } from './evaluate.ts';
import { Fts5Index } from './fts5.ts';
import { LuceneIndex } from './lucene.ts';
import { type DatabaseAddress, openKnowledgeBase, ranking, syncAll } from './our-search.ts';

export interface KeywordQuality {
  ours: Quality;
  lucene: Quality;
  fts5: Quality;
  fts5And: Quality;
  /** Queries for which PostgreSQL returns other documents or another order. */
  differing: string[];
}

/** Runs every contestant on the same documents and queries, and ours on both databases. */
export async function measureKeyword(
  collection: Collection,
  databases: { sqlite: DatabaseAddress; postgres: DatabaseAddress },
): Promise<KeywordQuality> {
  const { documents } = collection;
  const fts5 = new Fts5Index(documents);
  const lucene = new LuceneIndex(documents);
  const [onSqlite, onPostgres] = await Promise.all([
    rankAll(collection, databases.sqlite),
    rankAll(collection, databases.postgres),
  ]);
  try {
    return {
      ours: await evaluate(collection, (query) => onSqlite.get(query) ?? []),
      lucene: await evaluate(collection, (query) => lucene.search(query, deepest)),
      fts5: await evaluate(collection, (query) => fts5.search(query, deepest, 'OR')),
      fts5And: await evaluate(collection, (query) => fts5.search(query, deepest, 'AND')),
      differing: [...onSqlite.keys()].filter((query) => {
        const [one = [], other = []] = [onSqlite.get(query), onPostgres.get(query)];
        return one.length === 0 || one.join() !== other.join();
      }),
    };
  } finally {
    fts5.close();
  }
}

async function rankAll({ documents, queries }: Collection, db: DatabaseAddress): Promise<Map<string, string[]>> {
  const base = await openKnowledgeBase(db, documents);
  try {
    await syncAll(base);
    const rank: Ranking = ranking(base, 'keyword');
    const found = new Map<string, string[]>();
    for (const { text } of queries) found.set(text, await rank(text));
    return found;
  } finally {
    await base.close();
  }
}
