import { analyseCharacters, analyseWord } from '../index/analyse.ts';
import { plainWord, scanWords, type TokenKind, word } from '../index/scan-words.ts';

/** The positions of some words in a text. */
export interface FoundWords {
  /** Indexes into the list of wanted words, in the order of the text. */
  words: number[];
  /** Counted in words of the text. An identifier without any wanted word counts as one. */
  positions: number[];
  /** Offsets of the token in the text, in UTF-16 units. */
  starts: number[];
  ends: number[];
}

/** The wanted words in a token. */
interface Meaning {
  words: number;
  /** Positions of the wanted words in the token, and their numbers. */
  positions: number[];
  numbers: number[];
}

/** Finds the same few words in many texts. Words are terms, as analysed. */
export class WordFinder {
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #tokens = new Map<string, Meaning>();
  /** 1 for the first two letters of each wanted word. A plain word with other letters is skipped unread. */
  readonly #beginnings = new Uint8Array(32 * 32);

  constructor(words: Iterable<string>) {
    this.#numbers = new Map([...new Set(words)].map((each, index) => [each, index]));
    for (const each of this.#numbers.keys()) this.#beginnings[beginning(each, 0)] = 1;
  }

  numberOf(term: string): number | undefined {
    return this.#numbers.get(term);
  }

  find(text: string): FoundWords {
    const found: FoundWords = { words: [], positions: [], starts: [], ends: [] };
    let position = 0;
    scanWords(text, (start, end, kind) => {
      if (kind === plainWord && this.#isUnwanted(text, start, end)) {
        position += 1;
        return;
      }
      const { words, positions, numbers } = this.#meaning(text.slice(start, end), kind);
      for (let index = 0; index < numbers.length; index++) {
        found.positions.push(position + (positions[index] ?? 0));
        found.words.push(numbers[index] ?? 0);
        found.starts.push(start);
        found.ends.push(end);
      }
      position += words;
    });
    return found;
  }

  /** Stemming keeps the first two letters of words with more than three. */
  #isUnwanted(text: string, start: number, end: number): boolean {
    return end - start > 3 && this.#beginnings[beginning(text, start)] === 0;
  }

  #meaning(token: string, kind: TokenKind): Meaning {
    const known = this.#tokens.get(token);
    if (known) return known;
    const words = kind <= word ? analyseWord(token).words : [analyseCharacters(token)];
    const meaning: Meaning = { words: Math.max(1, words.length), positions: [], numbers: [] };
    for (let position = 0; position < words.length; position++) {
      const each = words[position] ?? '';
      const number = this.#numbers.get(each);
      if (number === undefined) continue;
      meaning.positions.push(position);
      meaning.numbers.push(number);
    }
    this.#tokens.set(token, meaning);
    return meaning;
  }
}

/** Upper and lower case letters share their lowest five bits. */
function beginning(text: string, start: number): number {
  return (text.charCodeAt(start) & 31) * 32 + (text.charCodeAt(start + 1) & 31);
}

/** Returns a function that tells whether each phrase occurs, word by word, in at least one of the texts. */
export function createPhraseMatcher(phrases: readonly (readonly string[])[]): (texts: readonly string[]) => boolean {
  const all = phrases.map(createMatcher);
  return (texts) => all.every((matches) => texts.some(matches));
}

function createMatcher(phrase: readonly string[]): (text: string) => boolean {
  const finder = new WordFinder(phrase);
  const wanted = phrase.map((each) => finder.numberOf(each) ?? 0);
  return (text) => {
    const { words, positions } = finder.find(text);
    for (let start = 0; start + wanted.length <= words.length; start++) {
      const first = positions[start] ?? 0;
      // Each position holds one word, so consecutive positions mean neighbouring words.
      if (wanted.every((word, step) => words[start + step] === word && positions[start + step] === first + step))
        return true;
    }
    return false;
  };
}
