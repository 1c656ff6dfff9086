import { setImmediate as nextTurn } from 'node:timers/promises';
import { HubError } from '../base/hub-error.ts';
import type { Embedder, SemanticSearch } from './embedder.ts';
import type { KnowledgeStore } from './knowledge-store.ts';
import { VectorIndex } from './vector-index.ts';

/** Below this a search waits for news, which take some milliseconds; above, it answers from what it had before them. */
const waitUpTo = 5_000;
/** A large index is read again for at most this part of the time, however often something changes. */
const reloadShare = 0.2;
const rememberedQueries = 500;

interface Parts {
  store: KnowledgeStore;
  embedder: Embedder;
}

/** Passages by meaning. The vectors are in memory, and are read again when the knowledge base or its vectors changed. */
export function createSemanticSearch({ store, embedder }: Parts): SemanticSearch {
  const queries = new Map<string, Float32Array>();
  let current: Loaded | undefined;
  let loading: Promise<Loaded> | undefined;
  let restUntil = 0;

  return {
    async find(query, { limit, allows, signal }) {
      const { index, otherDims } = await upToDate();
      if (index.size === 0) {
        if (otherDims > 0) throw otherLength(embedder, otherDims);
        return [];
      }
      const vector = await embedQuery(query, signal);
      if (vector.length !== index.dims) throw otherLength(embedder, index.dims);
      return index.nearest(vector, { limit, allows, signal });
    },
  };

  async function upToDate(): Promise<Loaded> {
    const now = await position();
    // The first round may end with a load that began before the last change.
    for (let round = 0; round < 2 && (!current || isBehind(current.position, now)); round += 1) {
      if (current && current.index.size > waitUpTo) {
        if (performance.now() > restUntil) void load().catch(() => {});
        break;
      }
      await load();
    }
    return current ?? load();
  }

  function load(): Promise<Loaded> {
    loading ??= read().finally(() => {
      loading = undefined;
    });
    return loading;
  }

  async function read(): Promise<Loaded> {
    const began = performance.now();
    // Before the rows: what changes while they are read is read again by the next search.
    const at = await position();
    const loaded = { position: at, ...(await readVectors({ store, embedder })) };
    restUntil = performance.now() + (performance.now() - began) * (1 / reloadShare - 1);
    current = loaded;
    return loaded;
  }

  async function position(): Promise<Position> {
    const [knowledge, vectors] = await Promise.all([
      store.revision() ?? store.segments().then((list) => list.revision),
      store.vectors.revision(embedder.key),
    ]);
    return { knowledge, vectors };
  }

  async function embedQuery(query: string, signal: AbortSignal): Promise<Float32Array> {
    const known = queries.get(query);
    const [vector] = known ? [known] : await embedder.embed([query], { signal, purpose: 'query' });
    if (!vector) throw new HubError('UNAVAILABLE', `The embedder ${embedder.key} gave no vector for the query.`);
    // The one used last stands last.
    queries.delete(query);
    queries.set(query, vector);
    const oldest = queries.keys().next();
    if (queries.size > rememberedQueries && !oldest.done) queries.delete(oldest.value);
    return vector;
  }
}

interface Position {
  knowledge: number;
  vectors: number;
}

interface Loaded {
  position: Position;
  index: VectorIndex;
  /** The length of stored vectors that cannot be compared; 0 when there are none. */
  otherDims: number;
}

function isBehind(position: Position, now: Position): boolean {
  return position.knowledge < now.knowledge || position.vectors < now.vectors;
}

async function readVectors({ store, embedder }: Parts): Promise<Omit<Loaded, 'position'>> {
  let index: VectorIndex | undefined;
  let otherDims = 0;
  for await (const page of store.vectors.all(embedder.key)) {
    for (const { docNo, ordinal, vector } of page) {
      index ??= new VectorIndex(embedder.dims || vector.length);
      if (vector.length === index.dims) index.add(docNo, ordinal, vector);
      else otherDims = vector.length;
    }
    await nextTurn();
  }
  return { index: index ?? new VectorIndex(embedder.dims || 1), otherDims };
}

function otherLength(embedder: Embedder, stored: number): HubError {
  const what = `The stored vectors of ${embedder.key} have ${stored} dimensions, and the model now gives ${embedder.dims}.`;
  return new HubError('UNAVAILABLE', `${what} Run "zoo embed rebuild".`);
}
