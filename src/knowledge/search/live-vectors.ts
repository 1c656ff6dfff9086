import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Embedder } from '../embedder.ts';
import type { ChunkKey, KnowledgeStore } from '../store/knowledge-store.ts';
import type { ComparableVectors, CurrentVectors } from './comparable-vectors.ts';
import { VectorIndex } from './vector-index.ts';

/** At most this share of the time is spent on reading a large index, however often it changes. */
const maxReadShare = 0.2;
/** Rows of removed documents stay until the index has grown by this factor since it was read. */
const maxGrowth = 1.5;

export interface LiveVectorsParts {
  store: KnowledgeStore;
  embedder: Embedder;
  /** A search waits for changes of up to this many chunks, which take a few milliseconds. */
  maxSmallChange?: number;
}

interface State extends CurrentVectors {
  index: VectorIndex;
  position: Position;
  /** The number of rows per document. */
  rows: Map<number, number>;
  /** The number of rows when everything was last read. */
  sizeWhenRead: number;
  /** If this vector changes, all vectors were recreated. */
  sample: StoredVector | undefined;
}

interface Position {
  knowledge: number;
  vectors: number;
}

type StoredVector = ChunkKey & { vector: Float32Array };

/** Keeps the vectors of all visible chunks in memory. It may still hold rows of removed documents. */
export function openLiveVectors({ store, embedder, maxSmallChange = 5_000 }: LiveVectorsParts): ComparableVectors {
  let state: State | undefined;
  let refreshing: Promise<State> | undefined;
  let reading: Promise<State> | undefined;
  let restUntil = 0;
  /** There is a change that requires reading everything again. */
  let hasLargeChange = false;

  return {
    async current() {
      const now = await position();
      // A running refresh may have begun before the last change.
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
    // Read before the rows, so that the next search picks up changes made in the meantime.
    const [at, documents] = await Promise.all([position(), store.vectors.documents()]);
    const extended = await extend(before, documents);
    // Skipped when everything was read in the meantime.
    if (extended && state === before) state = { ...extended, position: at };
    if (extended) return state ?? extended;
    if (before.index.size <= maxSmallChange) return readAll();
    hasLargeChange = true;
    if (!isLargeChangeWaiting()) void readAll().catch(() => {});
    return before;
  }

  /** Adds new rows. Returns undefined when everything must be read again. */
  async function extend(before: State, documents: ReadonlyMap<number, number>): Promise<State | undefined> {
    const { index, sample } = before;
    if (!sample || !documents.has(sample.docNo) || index.size > before.sizeWhenRead * maxGrowth + maxSmallChange)
      return;
    const incomplete = [...documents].filter(([docNo, chunks]) => (before.rows.get(docNo) ?? 0) < chunks);
    if (incomplete.reduce((sum, [, chunks]) => sum + chunks, 0) > maxSmallChange) return;
    const docNos = new Set([sample.docNo, ...incomplete.map(([docNo]) => docNo)]);
    const known = index.keysOf(docNos);
    const added: StoredVector[] = [];
    let isSampleSame = false;
    for await (const page of store.vectors.all(embedder.key, [...docNos])) {
      for (const row of page) {
        if (row.docNo === sample.docNo && row.ordinal === sample.ordinal) isSampleSame = isSame(row, sample);
        else if (!known.has(`${row.docNo}/${row.ordinal}`)) added.push(row);
      }
    }
    if (!isSampleSame || added.some(({ vector }) => vector.length !== index.dims)) return;
    // Synchronous, so that a search sees all new rows or none.
    for (const row of added) add(before, row);
    return before;
  }

  /** Concurrent callers share one read. */
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
    restUntil = performance.now() + took * (1 / maxReadShare - 1);
    state = { ...read, otherDims, sizeWhenRead: read.index.size };
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
  return { position, index: new VectorIndex(dims), otherDims: 0, rows: new Map(), sizeWhenRead: 0, sample: undefined };
}

function add({ index, rows }: State, { docNo, ordinal, vector }: StoredVector): void {
  index.add(docNo, ordinal, vector);
  rows.set(docNo, (rows.get(docNo) ?? 0) + 1);
}

function isSame(row: StoredVector, sample: StoredVector): boolean {
  return row.vector.length === sample.vector.length && row.vector.every((value, at) => value === sample.vector[at]);
}
