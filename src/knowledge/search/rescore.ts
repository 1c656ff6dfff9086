import type { StoredPassage } from '../store/knowledge-store.ts';
import type { Outline, Vocabulary } from './outline.ts';
import type { Query } from './parse-query.ts';
import { type Candidate, compareCandidates } from './rank-chunks.ts';

/** The maximum bonuses of a passage, as shares of the best BM25 score of the search. */
const bonusWeights = { adjacent: 0.1, near: 0.1, title: 0.3, phrase: 0.2 };

/** Words at most this far apart count as near. */
const maxNearDistance = 8;

/** The parts of a passage's bonus, each from 0 to 1. */
export interface Bonuses {
  /** The share of neighbouring query words that are also neighbours in the text. */
  adjacent: number;
  /** The share of neighbouring query words that are within a few words of each other in the text. */
  near: number;
  /** The share of words in the title or heading that occur in the query. */
  title: number;
  /** The share of quoted phrases that occur in the text, title or heading. */
  phrase: number;
}

/** Scores what BM25 ignores: the positions of the query's words. Outlines must use this vocabulary. */
export function createRescorer(
  { words, phrases }: Pick<Query, 'words' | 'phrases'>,
  vocabulary: Vocabulary,
): (outline: Outline) => Bonuses {
  const positions = new Map<number, number>();
  const query = words.map((each) => {
    const number = vocabulary.numberOf(each);
    const position = positions.get(number) ?? positions.size;
    positions.set(number, position);
    return position;
  });
  // Maps a word's number to its position in the query plus 1.
  const wanted = new Uint16Array(vocabulary.size + 1);
  for (const [number, position] of positions) wanted[number] = position + 1;
  const pairs = new PairCounter(query, wanted);
  const sequences = phrases.map((phrase) => phrase.map((each) => vocabulary.numberOf(each)));
  return ({ text, title, heading }) => ({
    ...pairs.count(text),
    title: Math.max(coverage(title, wanted), coverage(heading, wanted)),
    phrase: shareOfPhrases(sequences, { text, title, heading }),
  });
}

/** Returns the share of words in a short text that occur in the query, ignoring stop words. */
function coverage(tokens: Outline['title'], wanted: Uint16Array): number {
  let words = 0;
  let found = 0;
  for (const token of tokens) {
    words += token.significant;
    found += Math.min(token.words.filter((number) => (wanted[number] ?? 0) > 0).length, token.significant);
  }
  return words > 0 ? found / words : 0;
}

function shareOfPhrases(sequences: readonly (readonly number[])[], { text, title, heading }: Outline): number {
  if (sequences.length === 0) return 0;
  const texts = [text, ...[title, heading].map((tokens) => tokens.flatMap((token) => token.words))];
  return sequences.filter((each) => texts.some((words) => containsSequence(words, each))).length / sequences.length;
}

function containsSequence(words: ArrayLike<number>, sequence: readonly number[]): boolean {
  for (let start = 0; start + sequence.length <= words.length; start++) {
    let length = 0;
    while (length < sequence.length && words[start + length] === sequence[length]) length += 1;
    if (length === sequence.length) return true;
  }
  return false;
}

class PairCounter {
  readonly #wanted: Uint16Array;
  readonly #size: number;
  /** For each word, the words that follow it in the query. */
  readonly #followers: number[][];
  /** For each word, the words that precede it in the query. */
  readonly #predecessors: number[][];
  readonly #total: number;

  constructor(words: readonly number[], wanted: Uint16Array) {
    this.#wanted = wanted;
    this.#size = Math.max(0, ...words) + 1;
    this.#followers = Array.from({ length: this.#size }, () => []);
    this.#predecessors = Array.from({ length: this.#size }, () => []);
    let total = 0;
    for (const [index, word] of words.entries()) {
      const next = words[index + 1];
      if (next === undefined || next === word || this.#followers[word]?.includes(next)) continue;
      this.#followers[word]?.push(next);
      this.#predecessors[next]?.push(word);
      total += 1;
    }
    this.#total = total;
  }

  count(text: Uint32Array): Pick<Bonuses, 'adjacent' | 'near'> {
    if (this.#total === 0) return { adjacent: 0, near: 0 };
    const last = new Int32Array(this.#size).fill(-1_000);
    const adjacent = new Set<number>();
    const near = new Set<number>();
    for (let position = 0; position < text.length; position++) {
      const word = (this.#wanted[text[position] ?? 0] ?? 0) - 1;
      if (word < 0) continue;
      for (const first of this.#predecessors[word] ?? []) {
        const distance = position - (last[first] ?? 0);
        if (distance === 1) adjacent.add(first * this.#size + word);
        if (distance <= maxNearDistance) near.add(first * this.#size + word);
      }
      for (const second of this.#followers[word] ?? []) {
        if (position - (last[second] ?? 0) <= maxNearDistance) near.add(word * this.#size + second);
      }
      last[word] = position;
    }
    return { adjacent: adjacent.size / this.#total, near: near.size / this.#total };
  }
}

export interface RankedPassage {
  candidate: Candidate;
  /** Undefined when its text was not read. */
  passage: StoredPassage | undefined;
  score: number;
  /** Already included in the score. */
  bonuses: Bonuses;
}

const noBonuses: Bonuses = { adjacent: 0, near: 0, title: 0, phrase: 0 };

/** A candidate with its passage and outline, if they were read. */
export interface OutlinedCandidate {
  candidate: Candidate;
  passage: StoredPassage | undefined;
  /** Undefined for candidates that are not rescored. */
  outline: Outline | undefined;
}

/** Adds bonuses to candidates, scaled by the best score. */
export function withBonuses(
  passages: readonly OutlinedCandidate[],
  { query, vocabulary }: { query: Query; vocabulary: Vocabulary },
): RankedPassage[] {
  const rescore = createRescorer(query, vocabulary);
  const best = passages[0]?.candidate.score ?? 0;
  return passages.map(({ candidate, passage, outline }) => {
    if (!outline) return { candidate, passage, score: candidate.score, bonuses: noBonuses };
    const shares = rescore(outline);
    const bonuses = {
      adjacent: shares.adjacent * bonusWeights.adjacent * best,
      near: shares.near * bonusWeights.near * best,
      title: shares.title * bonusWeights.title * best,
      phrase: shares.phrase * bonusWeights.phrase * best,
    };
    const score = candidate.score + bonuses.adjacent + bonuses.near + bonuses.title + bonuses.phrase;
    return { candidate, passage, score, bonuses };
  });
}

/** Returns the best passage of each document, best first. */
export function bestOfDocuments(passages: readonly RankedPassage[]): RankedPassage[] {
  const seen = new Set<number>();
  return passages
    .toSorted((left, right) => right.score - left.score || compareCandidates(left.candidate, right.candidate))
    .filter(({ candidate: { segment, document } }) => {
      const docNo = segment.header.docNos[document] ?? 0;
      return !seen.has(docNo) && seen.add(docNo);
    });
}
