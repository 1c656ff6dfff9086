import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Embedder } from '../../src/knowledge/embedder.ts';
import { type Collection, reduceCollection } from './collection.ts';
import { evaluate, type Quality } from './evaluate.ts';
import { openKnowledgeBase, ranking, syncAll } from './our-search.ts';

/** Uses a part of each collection, because the model needs half a second per passage. */
const limits = { documents: 200, queries: 100 };

export interface HybridQuality {
  documents: number;
  queries: number;
  keyword: Quality;
  /** In the order of the alphas. */
  hybrid: Quality[];
}

/** Compares keyword search with hybrid search by the local model, on part of a collection. */
export async function measureHybrid(
  whole: Collection,
  { embedder, folder, alphas }: { embedder: Embedder; folder: string; alphas: readonly number[] },
): Promise<HybridQuality> {
  const collection = reduceCollection(whole, limits);
  const path = join(folder, `hybrid-${collection.name}.db`);
  // Keeps the shared embedder open when a knowledge base closes.
  const { close: _, ...shared } = embedder;
  const open = (hybridAlpha: number) =>
    openKnowledgeBase({ path }, collection.documents, { embedder: shared, hybridAlpha });
  const first = await open(0);
  await syncAll(first);
  await first.knowledge.embed({});
  const keyword = await evaluate(collection, ranking(first, 'keyword'));
  await first.close();

  const hybrid: Quality[] = [];
  for (const alpha of alphas) {
    const base = await open(alpha);
    hybrid.push(await evaluate(collection, ranking(base, 'hybrid')));
    await base.close();
  }
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
  return { documents: collection.documents.length, queries: collection.queries.length, keyword, hybrid };
}
