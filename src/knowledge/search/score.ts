import type { DecodedPostings, FieldWeights } from '../index/postings-codec.ts';

/** BM25 over the chunks that are there now, whatever segments they are in. */
const bm25 = { k1: 1.2, b: 0.75 } as const;

/** A word of the title counts as four of the text, one of the headings or of the path as two. */
export const fieldWeights: FieldWeights = { title: 4, heading: 2 };

export interface Statistics {
  /** Chunks. */
  count: number;
  averageLength: number;
}

/** What scoring needs of a segment. */
export interface ScoredSegment {
  lengths: Uint32Array;
  /** 1 for each chunk whose document is there. */
  live: Uint8Array;
  /** Where its scores begin in the array of all. */
  offset: number;
}

/** How many chunks that are there have the term. */
export function documentFrequency(segments: readonly ScoredSegment[], postings: readonly DecodedPostings[]): number {
  let count = 0;
  for (const [index, { live }] of segments.entries()) {
    const chunks = postings[index]?.chunks ?? nothing;
    for (let place = 0; place < chunks.length; place++) count += live[chunks[place] ?? 0] ?? 0;
  }
  return count;
}

const nothing = new Uint32Array(0);

export function inverseFrequency(statistics: Statistics, frequency: number): number {
  return Math.log(1 + (statistics.count - frequency + 0.5) / (frequency + 0.5));
}

/** Adds a term to the scores of all chunks that have it. `factor` is its idf, times how often the query says it. */
export function addScores(
  scores: Float64Array,
  segments: readonly ScoredSegment[],
  postings: readonly DecodedPostings[],
  { factor, statistics }: { factor: number; statistics: Statistics },
): void {
  const { base, slope } = lengthNorm(statistics);
  for (const [index, { lengths, offset }] of segments.entries()) {
    const found = postings[index];
    if (!found) continue;
    const { chunks, frequencies } = found;
    for (let place = 0; place < chunks.length; place++) {
      const chunk = chunks[place] ?? 0;
      const frequency = frequencies[place] ?? 0;
      const share = frequency / (frequency + base + slope * (lengths[chunk] ?? 0));
      scores[offset + chunk] = (scores[offset + chunk] ?? 0) + factor * share;
    }
  }
}

/** What `addScores` adds for one chunk. */
export function termScore(options: {
  frequency: number;
  length: number;
  factor: number;
  statistics: Statistics;
}): number {
  const { base, slope } = lengthNorm(options.statistics);
  return options.factor * (options.frequency / (options.frequency + base + slope * options.length));
}

function lengthNorm({ averageLength }: Statistics): { base: number; slope: number } {
  return { base: bm25.k1 * (1 - bm25.b), slope: averageLength > 0 ? (bm25.k1 * bm25.b) / averageLength : 0 };
}
