import { HubError } from '../../base/hub-error.ts';
import { once } from '../../base/lazy.ts';
import type { Logger } from '../../base/logger.ts';
import type { Embedder, SemanticSearch } from '../embedder.ts';
import type { KnowledgeStore } from '../store/knowledge-store.ts';
import type { ComparableVectors } from './comparable-vectors.ts';

const maxCachedQueries = 500;

export interface SemanticSearchParts {
  store: KnowledgeStore;
  embedder: Embedder;
  /** Where vectors are compared. Falls back to memory, with a warning, if the database has no pgvector. */
  index: 'memory' | 'pgvector';
  logger: Logger;
}

/** Creates the search by meaning over all stored vectors. */
export function createSemanticSearch(parts: SemanticSearchParts): SemanticSearch {
  const { embedder } = parts;
  const open = once(() => openVectors(parts));
  const queries = new Map<string, Float32Array>();

  return {
    async find(query, options) {
      const vectors = await open();
      const { index, otherDims } = await vectors.current();
      if (index.size === 0) {
        if (otherDims > 0) throw dimensionsChanged(embedder, otherDims);
        return [];
      }
      const vector = await embedQuery(query, options.signal);
      if (vector.length !== index.dims) throw dimensionsChanged(embedder, index.dims);
      return index.nearest(vector, options);
    },
  };

  async function embedQuery(query: string, signal: AbortSignal): Promise<Float32Array> {
    const known = queries.get(query);
    const [vector] = known ? [known] : await embedder.embed([query], { signal, purpose: 'query' });
    if (!vector)
      throw new HubError(
        'UNAVAILABLE',
        `The embedder ${embedder.key} returned no vector for the query. Try again, or search with mode "keyword".`,
      );
    // Keeps the most recently used query last.
    queries.delete(query);
    queries.set(query, vector);
    const oldest = queries.keys().next();
    if (queries.size > maxCachedQueries && !oldest.done) queries.delete(oldest.value);
    return vector;
  }
}

/** Loads only the code that is needed. Throws TRANSIENT_ERROR and UNAVAILABLE; the next search tries again. */
async function openVectors({ store, embedder, index, logger }: SemanticSearchParts): Promise<ComparableVectors> {
  const { vectors } = store;
  const { near } = vectors;
  if (index === 'pgvector') {
    const problem = near ? await near.prepare() : 'The database is SQLite.';
    if (near && problem === undefined)
      return (await import('./database-vectors.ts')).openDatabaseVectors({ vectors, near, embedder });
    const remedy = 'Install pgvector on the PostgreSQL server, or set [embedding] index = "memory".';
    logger.warn({ index }, `This process keeps all vectors in memory. ${problem} ${remedy}`);
  }
  return (await import('./live-vectors.ts')).openLiveVectors({ store, embedder });
}

function dimensionsChanged(embedder: Embedder, stored: number): HubError {
  const what = `The stored vectors of ${embedder.key} have ${stored} dimensions, but the model now returns ${embedder.dims}.`;
  return new HubError('UNAVAILABLE', `${what} Run "zoo embed rebuild".`, { details: { retryable: false } });
}
