import type { DecodedPostings } from '../index/postings-codec.ts';
import type { ChunkKey } from '../store/knowledge-store.ts';
import type { IndexState, LiveSegment } from './index-reader.ts';
import type { Query } from './parse-query.ts';
import { addScores, documentFrequency, inverseFrequency, termScore } from './score.ts';

/** A query with the postings of its terms. */
export interface QueryPostings {
  state: IndexState;
  query: Query;
  /** By term: one list per segment of the state. */
  postings: ReadonlyMap<string, readonly DecodedPostings[]>;
}

/** The contribution of one term to the score of a chunk. */
export interface TermShare {
  term: string;
  /** How often the term occurs, with titles and headings weighted. */
  tf: number;
  idf: number;
  score: number;
}

/** Returns the best chunks by BM25. Overwrites `scores`, which must have room for every chunk of the state. */
export function rankChunks(
  found: QueryPostings,
  options: { scores: Float64Array; allows: readonly Uint8Array[]; limit: number; maxPerDocument: number },
): Candidate[] {
  const { state, query, postings } = found;
  const { scores } = options;
  scores.fill(0, 0, state.size);
  for (const { term, weight } of query.terms) {
    const lists = postings.get(term) ?? [];
    const idf = idfOf(state, lists);
    if (idf > 0) addScores(scores, state.segments, lists, { factor: idf * weight, statistics: state.statistics });
  }
  for (const term of new Set(query.required.flat())) keepOnly(scores, state, postings.get(term) ?? []);
  return selectTop(state.segments, scores, options);
}

/** Returns what each term contributed to the score of a candidate. */
export function explainScore({ state, query, postings }: QueryPostings, candidate: Candidate): TermShare[] {
  const segmentIndex = state.segments.indexOf(candidate.segment);
  const length = candidate.segment.lengths[candidate.chunk] ?? 0;
  return query.terms.flatMap(({ term, weight }) => {
    const lists = postings.get(term) ?? [];
    const frequency = frequencyIn(lists[segmentIndex], candidate.chunk);
    if (frequency === 0) return [];
    const idf = idfOf(state, lists);
    const { statistics } = state;
    return [{ term, tf: frequency, idf, score: termScore({ frequency, length, factor: idf * weight, statistics }) }];
  });
}

function idfOf(state: IndexState, lists: readonly DecodedPostings[]): number {
  const frequency = documentFrequency(state.segments, lists);
  return frequency === 0 ? 0 : inverseFrequency(state.statistics, frequency);
}

/** Sets the score of chunks without the term to 0. */
function keepOnly(scores: Float64Array, { segments }: IndexState, lists: readonly DecodedPostings[]): void {
  for (const [index, { offset, lengths }] of segments.entries()) {
    const chunks = lists[index]?.chunks ?? [];
    let next = 0;
    for (let chunk = 0; chunk < lengths.length; chunk++) {
      if (chunks[next] === chunk) next += 1;
      else scores[offset + chunk] = 0;
    }
  }
}

function frequencyIn(postings: DecodedPostings | undefined, chunk: number): number {
  if (!postings) return 0;
  let low = 0;
  let high = postings.chunks.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = postings.chunks[middle] ?? 0;
    if (found === chunk) return postings.frequencies[middle] ?? 0;
    if (found < chunk) low = middle + 1;
    else high = middle - 1;
  }
  return 0;
}

/** A scored chunk and its position in its segment. */
export interface Candidate {
  segment: LiveSegment;
  /** Indexes of the document and the chunk in the segment. */
  document: number;
  chunk: number;
  score: number;
}

/**
 * Returns the best chunks with a score above 0, best first. Ties are broken independently of how the index was built. A
 * document contributes at most `maxPerDocument` chunks, so that a long one leaves room for others.
 */
function selectTop(
  segments: readonly LiveSegment[],
  scores: Float64Array,
  options: { limit: number; maxPerDocument: number; allows: readonly Uint8Array[] },
): Candidate[] {
  const heap: Candidate[] = [];
  let floor = 0;
  const offer = (candidate: Candidate) => {
    if (heap.length < options.limit) {
      heap.push(candidate);
      if (heap.length === options.limit) {
        for (let parent = (heap.length >> 1) - 1; parent >= 0; parent--) sink(heap, parent);
      }
    } else if (heap[0] && compareCandidates(candidate, heap[0]) < 0) {
      heap[0] = candidate;
      sink(heap, 0);
    }
    if (heap.length === options.limit) floor = heap[0]?.score ?? 0;
  };
  for (const [index, segment] of segments.entries()) {
    const { firstChunks } = segment.header;
    const allowed = options.allows[index];
    for (let document = 0; document < firstChunks.length - 1; document++) {
      if (allowed?.[document] !== 1) continue;
      const first = firstChunks[document] ?? 0;
      const end = firstChunks[document + 1] ?? 0;
      const ofDocument: Candidate[] | undefined = end - first > options.maxPerDocument ? [] : undefined;
      for (let chunk = first; chunk < end; chunk++) {
        const score = scores[segment.offset + chunk] ?? 0;
        if (score === 0 || score < floor) continue;
        const candidate = { segment, document, chunk, score };
        if (ofDocument) ofDocument.push(candidate);
        else offer(candidate);
      }
      ofDocument?.sort(compareCandidates).slice(0, options.maxPerDocument).forEach(offer);
    }
  }
  return heap.sort(compareCandidates);
}

/** Sorts better candidates first. */
export function compareCandidates(left: Candidate, right: Candidate): number {
  return right.score - left.score || orderOf(left) - orderOf(right) || left.chunk - right.chunk;
}

export function keyOf({ segment, document, chunk }: Candidate): ChunkKey {
  const { docNos, firstChunks } = segment.header;
  return { docNo: docNos[document] ?? 0, ordinal: chunk - (firstChunks[document] ?? 0) };
}

function orderOf({ segment, document }: Candidate): number {
  return segment.header.orders[document] ?? 0;
}

/** Restores the heap below `start`. The worst candidate is the root. */
function sink(heap: Candidate[], start: number): void {
  let parent = start;
  for (;;) {
    let worst = parent;
    for (const child of [2 * parent + 1, 2 * parent + 2]) {
      const one = heap[child];
      const other = heap[worst];
      if (one && other && compareCandidates(one, other) > 0) worst = child;
    }
    const [a, b] = [heap[parent], heap[worst]];
    if (worst === parent || !a || !b) return;
    heap[parent] = b;
    heap[worst] = a;
    parent = worst;
  }
}
