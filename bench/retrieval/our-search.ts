import { systemClock } from '../../src/base/clock.ts';
import { HubError } from '../../src/base/hub-error.ts';
import { silentLogger } from '../../src/base/logger.ts';
import type { Connector } from '../../src/knowledge/connector.ts';
import { createKnowledge } from '../../src/knowledge/create-knowledge.ts';
import type { Embedder } from '../../src/knowledge/embedder.ts';
import type { Knowledge } from '../../src/knowledge/knowledge.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { CollectionDocument } from './collection.ts';
import { deepest, type Ranking } from './evaluate.ts';

export type DatabaseAddress = { path: string } | { url: string };

export interface OpenKnowledgeBase {
  store: Store;
  knowledge: Knowledge;
  close(): Promise<void>;
}

export interface KnowledgeBaseOptions {
  chunking?: { maxTokens: number; overlapTokens: number };
  embedder?: Embedder;
  hybridAlpha?: number;
}

/** Indexes and searches documents exactly like the hub, with default settings. */
export async function openKnowledgeBase(
  db: DatabaseAddress,
  documents: Iterable<CollectionDocument>,
  options: KnowledgeBaseOptions = {},
): Promise<OpenKnowledgeBase> {
  const store = await openStore({ db, clock: systemClock, logger: silentLogger });
  const { embedder } = options;
  const knowledge = createKnowledge({
    store: store.knowledge,
    clock: systemClock,
    logger: silentLogger,
    chunking: options.chunking ?? { maxTokens: 700, overlapTokens: 80 },
    retrieval: {
      hybridAlpha: options.hybridAlpha ?? 0,
      candidateKKeyword: 80,
      candidateKVector: 80,
      finalLimit: 12,
    },
    embedding: embedder && { embedder, provider: 'local', model: embedder.key, index: 'memory' },
    configured: async () => [connectorOf(documents)],
    toConnector: () => Promise.reject(new HubError('NOT_FOUND', 'There is one source only.')),
    checkSource: async () => {},
  });
  return {
    store,
    knowledge,
    async close() {
      await knowledge.close();
      await store.close();
    },
  };
}

/** Throws unless every document is in the index. */
export async function syncAll({ knowledge }: OpenKnowledgeBase): Promise<void> {
  const [report] = await knowledge.sync({ target: 'all' });
  if (report?.error || report?.failedCount !== 0) throw new Error(`the sync failed: ${JSON.stringify(report)}`);
}

export function ranking({ knowledge }: OpenKnowledgeBase, mode: 'keyword' | 'hybrid'): Ranking {
  return async (query) => {
    const results = await knowledge.search({ query, mode, limit: deepest });
    return results.map((result) => result.source_id);
  };
}

function connectorOf(documents: Iterable<CollectionDocument>): Connector {
  return {
    type: 'script',
    name: 'collection',
    location: 'collection',
    async *scan() {
      for (const document of documents) {
        const { id, title } = document;
        // Large contents are generated when they are read.
        yield { sourceId: id, version: '1', updatedAt: 0, url: null, title, read: async () => document.text };
      }
    },
  };
}
