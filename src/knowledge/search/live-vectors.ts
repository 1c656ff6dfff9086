import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Embedder } from '../embedder.ts';
import type { ChunkKey, KnowledgeStore } from '../store/knowledge-store.ts';
import { VectorIndex } from './vector-index.ts';

/** A large index is read as a whole for at most this part of the time, however often something changes. */
const readShare = 0.2;
/** Rows of documents that are gone stay until there are this many times more rows than were read. */
const maxGrowth = 1.5;

export interface LiveVectorsParts {
  store: KnowledgeStore;
  embedder: Embedder;
  /** A change of up to so many chunks takes some milliseconds: a search waits for it. */
  smallChange?: number;
}

export interface LiveVectors {
  /** As of now, or, while a large change is read, as of before it. The first time it is read before the answer. */
  upToDate(): Promise<LoadedVectors>;
}

interface LoadedVectors {
  index: VectorIndex;
  /** The length of stored vectors that cannot be compared; 0 when there are none. */
  otherDims: number;
}

interface State extends LoadedVectors {
  position: Position;
  /** Rows by number of the document. */
  rows: Map<number, number>;
  /** When all of it was read. */
  firstSize: number;
  /** Another value of it means that all vectors were made anew. */
  sample: StoredVector | undefined;
}

interface Position {
  knowledge: number;
  vectors: number;
}

type StoredVector = ChunkKey & { vector: Float32Array };

/** The vectors of all visible chunks in memory. Rows of documents that are gone may still be there. */
export function openLiveVectors({ store, embedder, smallChange = 5_000 }: LiveVectorsParts): LiveVectors {
  let state: State | undefined;
  let refreshing: Promise<State> | undefined;
  let reading: Promise<State> | undefined;
  let restUntil = 0;
  /** Something is stored that only reading everything brings in. */
  let hasLargeChange = false;

  return {
    async upToDate() {
      const now = await position();
      // It may have begun before the last change.
      if (isBehind(now)) await refreshing;
      if (isBehind(now) && !isLargeChangeWaiting()) {
        refreshing ??= refresh().finally(() => {
          refreshing = undefined;
        });
        await refreshing;
      }
      return state ?? readAll();
    },
  };

  function isBehind(now: Position): boolean {
    return !state || state.position.knowledge < now.knowledge || state.position.vectors < now.vectors;
  }

  function isLargeChangeWaiting(): boolean {
    return hasLargeChange && (reading !== undefined || performance.now() < restUntil);
  }

  async function refresh(): Promise<State> {
    const before = state;
    if (!before) return readAll();
    // Before the rows: what changes while they are read is read again by the next search.
    const [at, documents] = await Promise.all([position(), store.vectors.documents()]);
    const extended = await extend(before, documents);
    // A larger change that was read meanwhile knows more.
    if (extended && state === before) state = { ...extended, position: at };
    if (extended) return state ?? extended;
    if (before.index.size <= smallChange) return readAll();
    hasLargeChange = true;
    if (!isLargeChangeWaiting()) void readAll().catch(() => {});
    return before;
  }

  /** Undefined when it must all be read. */
  async function extend(before: State, documents: ReadonlyMap<number, number>): Promise<State | undefined> {
    const { index, sample } = before;
    if (!sample || !documents.has(sample.docNo) || index.size > before.firstSize * maxGrowth + smallChange) return;
    const incomplete = [...documents].filter(([docNo, chunks]) => (before.rows.get(docNo) ?? 0) < chunks);
    if (incomplete.reduce((sum, [, chunks]) => sum + chunks, 0) > smallChange) return;
    const docNos = new Set([sample.docNo, ...incomplete.map(([docNo]) => docNo)]);
    const known = index.keysOf(docNos);
    const news: StoredVector[] = [];
    let isSampleSame = false;
    for await (const page of store.vectors.all(embedder.key, [...docNos])) {
      for (const row of page) {
        if (row.docNo === sample.docNo && row.ordinal === sample.ordinal) isSampleSame = isSame(row, sample);
        else if (!known.has(`${row.docNo}/${row.ordinal}`)) news.push(row);
      }
    }
    if (!isSampleSame || news.some(({ vector }) => vector.length !== index.dims)) return;
    // All at once: a search sees all of it or nothing.
    for (const row of news) add(before, row);
    return before;
  }

  /** A second one who wants it shares it. */
  function readAll(): Promise<State> {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  async function read(): Promise<State> {
    const began = performance.now();
    const at = await position();
    let read: State | undefined;
    let otherDims = 0;
    for await (const page of store.vectors.all(embedder.key)) {
      for (const row of page) {
        read ??= emptyState(embedder.dims || row.vector.length, at);
        if (row.vector.length !== read.index.dims) {
          otherDims = row.vector.length;
          continue;
        }
        read.sample ??= { ...row, vector: row.vector.slice() };
        add(read, row);
      }
      await nextTurn();
    }
    read ??= emptyState(embedder.dims || 1, at);
    const took = performance.now() - began;
    restUntil = performance.now() + took * (1 / readShare - 1);
    state = { ...read, otherDims, firstSize: read.index.size };
    hasLargeChange = false;
    return state;
  }

  async function position(): Promise<Position> {
    const [knowledge, vectors] = await Promise.all([
      store.revision() ?? store.segments().then((list) => list.revision),
      store.vectors.revision(embedder.key),
    ]);
    return { knowledge, vectors };
  }
}

function emptyState(dims: number, position: Position): State {
  return { position, index: new VectorIndex(dims), otherDims: 0, rows: new Map(), firstSize: 0, sample: undefined };
}

function add({ index, rows }: State, { docNo, ordinal, vector }: StoredVector): void {
  index.add(docNo, ordinal, vector);
  rows.set(docNo, (rows.get(docNo) ?? 0) + 1);
}

function isSame(row: StoredVector, sample: StoredVector): boolean {
  return row.vector.length === sample.vector.length && row.vector.every((value, at) => value === sample.vector[at]);
}
