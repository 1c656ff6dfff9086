import { HubError } from '../../base/hub-error.ts';
import { type DecodedPostings, decodePostings } from '../index/postings-codec.ts';
import type { SegmentHeader } from '../index/segment-header.ts';
import type { KnowledgeStore } from '../store/knowledge-store.ts';
import { type IndexState, loadState } from './index-state.ts';
import { PostingsCache } from './postings-cache.ts';
import { fieldWeights } from './score.ts';

/** A reader that finds another revision each time it looks has met a fault, not a busy writer. */
const maxLooks = 50;
const cacheBytes = 64 * 1024 * 1024;
const noPostings: DecodedPostings = { chunks: new Uint32Array(0), frequencies: new Float32Array(0) };

/** Segments and postings of one moment. Keeps the headers of live segments, and postings that were used lately. */
export class IndexReader {
  readonly #store: KnowledgeStore;
  readonly #cache = new PostingsCache(cacheBytes);
  #headers: ReadonlyMap<number, SegmentHeader> = new Map();
  #state: IndexState | undefined;
  #loading: Promise<IndexState | undefined> | undefined;

  constructor(store: KnowledgeStore) {
    this.#store = store;
  }

  /** What is there now. */
  async state(signal?: AbortSignal): Promise<IndexState> {
    return (await this.read([], signal)).state;
  }

  /** Postings by term, one for each segment of the state they belong to. */
  async read(
    terms: readonly string[],
    signal?: AbortSignal,
  ): Promise<{ state: IndexState; postings: Map<string, DecodedPostings[]> }> {
    for (let look = 0; look < maxLooks; look++) {
      signal?.throwIfAborted();
      const state = await this.#likelyState();
      const postings = state && (await this.#postings(state, terms));
      if (postings) return { state, postings };
    }
    throw new HubError('TRANSIENT_ERROR', 'The search index changes too fast to be read. Try again in a moment.');
  }

  /** The one that is known, unless it is known to be old: whether it is true shows when postings are read. */
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

  /** Undefined, and no state is known any more, when the state is not that of the store. */
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
        state.segments.map(({ id }, place) => known[index]?.[place] ?? this.#keep(id, term, read.get(`${id} ${term}`))),
      ]),
    );
  }

  /** That a segment has no such term is worth knowing too. */
  #keep(segment: number, term: string, postings = noPostings): DecodedPostings {
    this.#cache.set(segment, term, postings);
    return postings;
  }
}
