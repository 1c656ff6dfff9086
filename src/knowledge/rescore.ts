import type { analyseWord } from './analyse.ts';
import { type FoundWords, WordFinder } from './find-words.ts';

/** What a passage can gain, as shares of the best BM25 score of the search. */
export const bonusWeights = { adjacent: 0.1, near: 0.1, title: 0.3 };

/** Words no further apart than this are near. */
const nearWords = 8;

/** Shares from 0 to 1. */
export interface Bonuses {
  /** Of the neighbours in the query, those that are neighbours in the text too. */
  adjacent: number;
  /** Of the neighbours in the query, those within a few words of each other. */
  near: number;
  /** Of the words of the title, or of the heading, those that the query says. */
  title: number;
}

/** Looks at what BM25 does not see: where the words of the query stand. */
export function createRescorer(
  words: readonly string[],
  analyse?: typeof analyseWord,
): (passage: { title: string; heading: readonly string[]; text: string }) => Bonuses {
  const finder = new WordFinder(words, analyse);
  const pairs = new PairCounter(words.map((each) => finder.numberOf(each) ?? 0));
  return ({ title, heading, text }) => ({
    ...pairs.count(finder.find(text)),
    title: Math.max(finder.coverage(title), finder.coverage(heading.at(-1) ?? '')),
  });
}

class PairCounter {
  readonly #size: number;
  /** For each word those it stands before, and those it stands after, in the query. */
  readonly #before: number[][];
  readonly #after: number[][];
  readonly #total: number;

  constructor(words: readonly number[]) {
    this.#size = Math.max(0, ...words) + 1;
    this.#before = Array.from({ length: this.#size }, () => []);
    this.#after = Array.from({ length: this.#size }, () => []);
    let total = 0;
    for (const [index, word] of words.entries()) {
      const next = words[index + 1];
      if (next === undefined || next === word || this.#before[word]?.includes(next)) continue;
      this.#before[word]?.push(next);
      this.#after[next]?.push(word);
      total += 1;
    }
    this.#total = total;
  }

  count({ words, positions }: FoundWords): Pick<Bonuses, 'adjacent' | 'near'> {
    if (this.#total === 0) return { adjacent: 0, near: 0 };
    const last = new Int32Array(this.#size).fill(-1_000);
    const adjacent = new Set<number>();
    const near = new Set<number>();
    for (let index = 0; index < words.length; index++) {
      const word = words[index] ?? 0;
      const position = positions[index] ?? 0;
      for (const first of this.#after[word] ?? []) {
        const distance = position - (last[first] ?? 0);
        if (distance === 1) adjacent.add(first * this.#size + word);
        if (distance <= nearWords) near.add(first * this.#size + word);
      }
      for (const second of this.#before[word] ?? []) {
        if (position - (last[second] ?? 0) <= nearWords) near.add(word * this.#size + second);
      }
      last[word] = position;
    }
    return { adjacent: adjacent.size / this.#total, near: near.size / this.#total };
  }
}
