import type { DecodedPostings, FieldWeights } from '../index/postings-codec.ts';

/** BM25 over all live chunks, regardless of their segments. */
const bm25 = { k1: 1.2, b: 0.75 } as const;

/** A word in the title counts as four words of text, a word in a heading or the path as two. */
export const fieldWeights: FieldWeights = { title: 4, heading: 2 };

export interface Statistics {
  /** The number of live chunks. */
  count: number;
  averageLength: number;
}

/** The parts of a segment that scoring needs. */
export interface ScoredSegment {
  lengths: Uint32Array;
  /** 1 for each chunk of a document that was not removed. */
  live: Uint8Array;
  /** Where its scores begin in the shared array. */
  offset: number;
}

/** Counts the live chunks that contain the term. */
export function documentFrequency(segments: readonly ScoredSegment[], postings: readonly DecodedPostings[]): number {
  let count = 0;
  for (const [number, { live }] of segments.entries()) {
    const chunks = postings[number]?.chunks ?? nothing;
    for (let index = 0; index < chunks.length; index++) count += live[chunks[index] ?? 0] ?? 0;
  }
  return count;
}

const nothing = new Uint32Array(0);

export function inverseFrequency(statistics: Statistics, frequency: number): number {
  return Math.log(1 + (statistics.count - frequency + 0.5) / (frequency + 0.5));
}

/** Adds a term to the scores of all chunks that contain it. `factor` is its idf times its count in the query. */
export function addScores(
  scores: Float64Array,
  segments: readonly ScoredSegment[],
  postings: readonly DecodedPostings[],
  { factor, statistics }: { factor: number; statistics: Statistics },
): void {
  const { base, slope } = lengthNorm(statistics);
  for (const [number, { lengths, offset }] of segments.entries()) {
    const found = postings[number];
    if (!found) continue;
    const { chunks, frequencies } = found;
    for (let index = 0; index < chunks.length; index++) {
      const chunk = chunks[index] ?? 0;
      const frequency = frequencies[index] ?? 0;
      const share = frequency / (frequency + base + slope * (lengths[chunk] ?? 0));
      scores[offset + chunk] = (scores[offset + chunk] ?? 0) + factor * share;
    }
  }
}

/** Returns what `addScores` adds for one chunk. */
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
