import type { Collection } from './collection.ts';

export interface Quality {
  /** The mean over all queries. An answer counts less the later it ranks. */
  ndcg10: number;
  /** The share of answers among the first hundred results. */
  recall100: number;
}

export type Ranking = (query: string) => string[] | Promise<string[]>;

export const deepest = 100;

/** Runs every query once. `rank` returns at most `deepest` document ids, best first. */
export async function evaluate({ queries }: Collection, rank: Ranking): Promise<Quality> {
  let ndcg10 = 0;
  let recall100 = 0;
  for (const { text, relevant } of queries) {
    const ids = await rank(text);
    if (new Set(ids).size < ids.length) throw new Error(`a document is there twice for "${text}"`);
    ndcg10 += ndcg(ids, relevant, 10);
    recall100 += ids.slice(0, deepest).filter((id) => relevant.has(id)).length / relevant.size;
  }
  return { ndcg10: ndcg10 / queries.length, recall100: recall100 / queries.length };
}

export function ndcg(ids: readonly string[], relevant: ReadonlySet<string>, depth: number): number {
  const gain = ids.slice(0, depth).reduce((sum, id, rank) => sum + (relevant.has(id) ? discount(rank) : 0), 0);
  const best = Array.from({ length: Math.min(depth, relevant.size) }, (_, rank) => discount(rank));
  return gain / best.reduce((sum, each) => sum + each, 0);
}

function discount(rank: number): number {
  return 1 / Math.log2(rank + 2);
}
