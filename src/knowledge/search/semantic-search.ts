import { HubError } from '../../base/hub-error.ts';
import type { Embedder, SemanticSearch } from '../embedder.ts';
import type { KnowledgeStore } from '../store/knowledge-store.ts';
import { openLiveVectors } from './live-vectors.ts';

const maxCachedQueries = 500;

/** Creates the search by meaning over all stored vectors. */
export function createSemanticSearch({
  store,
  embedder,
}: {
  store: KnowledgeStore;
  embedder: Embedder;
}): SemanticSearch {
  const vectors = openLiveVectors({ store, embedder });
  const queries = new Map<string, Float32Array>();

  return {
    async find(query, { limit, allows, signal }) {
      const { index, otherDims } = await vectors.current();
      if (index.size === 0) {
        if (otherDims > 0) throw dimensionsChanged(embedder, otherDims);
        return [];
      }
      const vector = await embedQuery(query, signal);
      if (vector.length !== index.dims) throw dimensionsChanged(embedder, index.dims);
      return index.nearest(vector, { limit, allows, signal });
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

function dimensionsChanged(embedder: Embedder, stored: number): HubError {
  const what = `The stored vectors of ${embedder.key} have ${stored} dimensions, but the model now returns ${embedder.dims}.`;
  return new HubError('UNAVAILABLE', `${what} Run "zoo embed rebuild".`, { details: { retryable: false } });
}
