import { analyseCharacters, analyseWord } from './analyse.ts';
import { scanWords, type TokenKind, word } from './scan-words.ts';
import { isStopWord } from './stop-words.ts';

/** Where some words stand in a text. */
export interface FoundWords {
  /** Index into the words looked for, in the order of the text. */
  words: number[];
  /** Counted in words of the text. */
  positions: number[];
  /** Of the token in the text, in UTF-16 units. */
  starts: number[];
  ends: number[];
}

/** Finds the same few words in many texts. Words are terms, as the analysis gives them. */
export class WordFinder {
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #countsStopWords: boolean;
  /** What a token means here: how many words it is, then pairs of a place among them and the word found there. */
  readonly #tokens = new Map<string, readonly number[]>();

  /** Stop words take no position of their own, unless they are looked for or the options say so. */
  constructor(words: Iterable<string>, options: { countsStopWords?: boolean } = {}) {
    this.#numbers = new Map([...new Set(words)].map((each, index) => [each, index]));
    this.#countsStopWords = options.countsStopWords ?? [...this.#numbers.keys()].some(isStopWord);
  }

  numberOf(term: string): number | undefined {
    return this.#numbers.get(term);
  }

  find(text: string): FoundWords {
    const found: FoundWords = { words: [], positions: [], starts: [], ends: [] };
    let position = 0;
    scanWords(text, (start, end, kind) => {
      const token = text.slice(start, end);
      let meaning = this.#tokens.get(token);
      if (meaning === undefined) {
        meaning = this.#read(token, kind);
        this.#tokens.set(token, meaning);
      }
      for (let index = 1; index < meaning.length; index += 2) {
        found.positions.push(position + (meaning[index] ?? 0));
        found.words.push(meaning[index + 1] ?? 0);
        found.starts.push(start);
        found.ends.push(end);
      }
      position += meaning[0] ?? 0;
    });
    return found;
  }

  /** How many different words a short text has, and how many of them are looked for. */
  coverage(text: string): { words: number; found: number } {
    const words = new Set<string>();
    scanWords(text, (start, end, kind) => {
      for (const each of wordsOf(text.slice(start, end), kind)) if (!isStopWord(each)) words.add(each);
    });
    let found = 0;
    for (const each of words) if (this.#numbers.has(each)) found += 1;
    return { words: words.size, found };
  }

  #read(token: string, kind: TokenKind): readonly number[] {
    const words = wordsOf(token, kind).filter((each) => this.#countsStopWords || !isStopWord(each));
    const meaning = [words.length];
    for (const [place, each] of words.entries()) {
      const number = this.#numbers.get(each);
      if (number !== undefined) meaning.push(place, number);
    }
    return meaning.length === 1 ? (nothing[words.length] ?? meaning) : meaning;
  }
}

const nothing: readonly (readonly number[])[] = [[0], [1], [2], [3]];

function wordsOf(token: string, kind: TokenKind): readonly string[] {
  return kind === word ? analyseWord(token).words : [analyseCharacters(token)];
}
