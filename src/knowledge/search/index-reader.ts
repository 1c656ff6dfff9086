import { HubError } from '../../base/hub-error.ts';
import { type DecodedPostings, decodePostings } from '../index/postings-codec.ts';
import { decodeHeader, type SegmentHeader } from '../index/segment-header.ts';
import type { KnowledgeStore, SegmentList } from '../store/knowledge-store.ts';
import { fieldWeights, type ScoredSegment, type Statistics } from './score.ts';

/** After this many changed revisions in a row, something is broken: no writer is that busy. */
const maxAttempts = 50;
const cacheBytes = 64 * 1024 * 1024;
const noPostings: DecodedPostings = { chunks: new Uint32Array(0), frequencies: new Float32Array(0) };

/** Reads segments and postings that belong to one revision. Caches the headers of live segments and recently used postings. */
export class IndexReader {
  readonly #store: KnowledgeStore;
  readonly #cache = new PostingsCache(cacheBytes);
  #headers: ReadonlyMap<number, SegmentHeader> = new Map();
  #state: IndexState | undefined;
  #loading: Promise<IndexState | undefined> | undefined;

  constructor(store: KnowledgeStore) {
    this.#store = store;
  }

  /** Returns the current state of the index. */
  async state(signal?: AbortSignal): Promise<IndexState> {
    return (await this.read([], signal)).state;
  }

  /** Returns the postings of each term, one list per segment of the returned state. Throws TRANSIENT_ERROR when the index changes on every attempt. */
  async read(
    terms: readonly string[],
    signal?: AbortSignal,
  ): Promise<{ state: IndexState; postings: Map<string, DecodedPostings[]> }> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      signal?.throwIfAborted();
      const state = await this.#likelyState();
      const postings = state && (await this.#postings(state, terms));
      if (postings) return { state, postings };
    }
    throw new HubError('TRANSIENT_ERROR', 'The search index is changing too fast to be read. Try again in a moment.');
  }

  /** Returns the cached state unless it is known to be outdated. Reading postings reveals whether it still holds. */
  async #likelyState(): Promise<IndexState | undefined> {
    const newest = this.#store.revision();
    if (this.#state && (newest === undefined || newest === this.#state.revision)) return this.#state;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #load(): Promise<IndexState | undefined> {
    const state = await loadState(this.#store, this.#headers);
    if (state) this.#headers = new Map(state.segments.map(({ id, header }) => [id, header]));
    this.#state = state;
    return state;
  }

  /** Returns undefined and drops the cached state when the store has moved on to another revision. */
  async #postings(state: IndexState, terms: readonly string[]): Promise<Map<string, DecodedPostings[]> | undefined> {
    const known = terms.map((term) => state.segments.map(({ id }) => this.#cache.get(id, term)));
    const missing = terms.filter((_, index) => known[index]?.includes(undefined));
    const read = new Map<string, DecodedPostings>();
    if (missing.length > 0 || this.#store.revision() !== state.revision) {
      const segments = missing.length > 0 ? state.segments.map(({ id }) => id) : [];
      const found = await this.#store.postings(segments, missing);
      if (found.revision !== state.revision) {
        if (this.#state === state) this.#state = undefined;
        return undefined;
      }
      for (const { segment, term, data } of found.rows) {
        read.set(`${segment} ${term}`, decodePostings(data, fieldWeights));
      }
    }
    return new Map(
      terms.map((term, index) => [
        term,
        state.segments.map(
          ({ id }, position) => known[index]?.[position] ?? this.#keep(id, term, read.get(`${id} ${term}`)),
        ),
      ]),
    );
  }

  /** Caches postings. An empty list means that the segment does not contain the term. */
  #keep(segment: number, term: string, postings = noPostings): DecodedPostings {
    this.#cache.set(segment, term, postings);
    return postings;
  }
}

/** The searchable segments at one revision. */
export interface IndexState {
  revision: number;
  segments: readonly LiveSegment[];
  statistics: Statistics;
  /** The number of chunks in all segments, including those of removed documents. */
  size: number;
}

export interface LiveSegment extends ScoredSegment {
  id: number;
  header: SegmentHeader;
  /** 1 for each document that was not removed. */
  liveDocuments: Uint8Array;
  updatedAt: Float64Array;
}

/** Loads the state, reusing known headers. Returns undefined when a segment disappeared in the meantime: try again. */
async function loadState(
  store: KnowledgeStore,
  known: ReadonlyMap<number, SegmentHeader>,
): Promise<IndexState | undefined> {
  const list = await store.segments();
  const headers: SegmentHeader[] = [];
  for (const { id } of list.segments) {
    const header = known.get(id) ?? (await readHeader(store, id));
    if (!header) return undefined;
    headers.push(header);
  }
  return makeState(list, headers);
}

async function readHeader(store: KnowledgeStore, segment: number): Promise<SegmentHeader | undefined> {
  const bytes = await store.segmentHeader(segment);
  return bytes && decodeHeader(bytes);
}

function makeState(list: SegmentList, headers: readonly SegmentHeader[]): IndexState {
  const removed = new Set(list.removed);
  const touched = new Map(list.touched?.map(({ docNo, updatedAt }) => [docNo, updatedAt]));
  let offset = 0;
  let count = 0;
  let words = 0;
  const segments = headers.map((header, index): LiveSegment => {
    const { lengths, firstChunks, docNos } = header;
    const live = new Uint8Array(lengths.length).fill(1);
    const liveDocuments = new Uint8Array(docNos.length).fill(1);
    for (const [document, docNo] of docNos.entries()) {
      if (!removed.has(docNo)) continue;
      liveDocuments[document] = 0;
      live.fill(0, firstChunks[document], firstChunks[document + 1]);
    }
    for (const [chunk, length] of lengths.entries()) {
      if (live[chunk] === 0) continue;
      count += 1;
      words += length;
    }
    const segment = { id: list.segments[index]?.id ?? 0, header, lengths, live, liveDocuments, offset };
    offset += lengths.length;
    return { ...segment, updatedAt: withTouched(header, touched) };
  });
  const averageLength = count > 0 ? words / count : 0;
  return { revision: list.revision, segments, statistics: { count, averageLength }, size: offset };
}

function withTouched({ docNos, updatedAt }: SegmentHeader, touched: ReadonlyMap<number, number>): Float64Array {
  if (touched.size === 0) return updatedAt;
  return updatedAt.map((time, document) => touched.get(docNos[document] ?? 0) ?? time);
}

/** A least-recently-used cache of decoded postings. Entries never become stale, because a segment never changes. */
class PostingsCache {
  readonly #entries = new Map<string, DecodedPostings>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(segment: number, term: string): DecodedPostings | undefined {
    const key = keyOf(segment, term);
    const found = this.#entries.get(key);
    if (found) {
      this.#entries.delete(key);
      this.#entries.set(key, found);
    }
    return found;
  }

  set(segment: number, term: string, postings: DecodedPostings): void {
    const key = keyOf(segment, term);
    const before = this.#entries.get(key);
    if (before) this.#forget(key, before);
    this.#entries.set(key, postings);
    this.#bytes += sizeOf(key, postings);
    for (const [oldest, each] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#forget(oldest, each);
    }
  }

  #forget(key: string, postings: DecodedPostings): void {
    this.#entries.delete(key);
    this.#bytes -= sizeOf(key, postings);
  }
}

function keyOf(segment: number, term: string): string {
  return `${segment} ${term}`;
}

/** Estimates the memory of a map entry with its key and two arrays. */
function sizeOf(key: string, postings: DecodedPostings): number {
  return 200 + key.length * 2 + postings.chunks.length * 8;
}
