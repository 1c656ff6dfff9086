import type { DecodedPostings } from '../index/postings-codec.ts';
import type { IndexState } from './index-state.ts';
import type { Query } from './parse-query.ts';
import { addScores, documentFrequency, inverseFrequency, termScore } from './score.ts';
import { type Candidate, selectTop } from './select-top.ts';

/** What the reader has at hand for one query. */
export interface QueryPostings {
  state: IndexState;
  query: Query;
  /** By term, one for each segment of the state. */
  postings: ReadonlyMap<string, readonly DecodedPostings[]>;
}

/** What one term adds to the score of a chunk. */
export interface TermShare {
  term: string;
  /** How often it stands there, title and headings by their weights. */
  tf: number;
  idf: number;
  score: number;
}

/** The best chunks by BM25. `scores` has room for every chunk of the state; what was in it is lost. */
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

/** How the score of a candidate came about. */
export function explainScore({ state, query, postings }: QueryPostings, candidate: Candidate): TermShare[] {
  const place = state.segments.indexOf(candidate.segment);
  const length = candidate.segment.lengths[candidate.chunk] ?? 0;
  return query.terms.flatMap(({ term, weight }) => {
    const lists = postings.get(term) ?? [];
    const frequency = frequencyIn(lists[place], candidate.chunk);
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

/** Chunks without the term are no match any more. */
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
