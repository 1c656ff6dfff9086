import { analyseCharacters, analyseWord } from '../index/analyse.ts';
import { plainWord, scanWords, type TokenKind, word } from '../index/scan-words.ts';

/** Where some words stand in a text. */
export interface FoundWords {
  /** Index into the words looked for, in the order of the text. */
  words: number[];
  /** Counted in words of the text; an identifier that has none of the words counts once. */
  positions: number[];
  /** Of the token in the text, in UTF-16 units. */
  starts: number[];
  ends: number[];
}

/** What a token means here. */
interface Meaning {
  words: number;
  /** Places among its words, and the numbers of those found there. */
  places: number[];
  numbers: number[];
}

/** Finds the same few words in many texts. Words are terms, as the analysis gives them. */
export class WordFinder {
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #tokens = new Map<string, Meaning>();
  /** 1 for the two letters some word begins with: a plain word that begins otherwise need not be read. */
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
      if (kind === plainWord && this.#isOther(text, start, end)) {
        position += 1;
        return;
      }
      const { words, places, numbers } = this.#meaning(text.slice(start, end), kind);
      for (let index = 0; index < numbers.length; index++) {
        found.positions.push(position + (places[index] ?? 0));
        found.words.push(numbers[index] ?? 0);
        found.starts.push(start);
        found.ends.push(end);
      }
      position += words;
    });
    return found;
  }

  /** A stem of three letters may be shorter than two; longer words keep how they begin. */
  #isOther(text: string, start: number, end: number): boolean {
    return end - start > 3 && this.#beginnings[beginning(text, start)] === 0;
  }

  #meaning(token: string, kind: TokenKind): Meaning {
    const known = this.#tokens.get(token);
    if (known) return known;
    const words = kind <= word ? analyseWord(token).words : [analyseCharacters(token)];
    const meaning: Meaning = { words: Math.max(1, words.length), places: [], numbers: [] };
    for (let place = 0; place < words.length; place++) {
      const each = words[place] ?? '';
      const number = this.#numbers.get(each);
      if (number === undefined) continue;
      meaning.places.push(place);
      meaning.numbers.push(number);
    }
    this.#tokens.set(token, meaning);
    return meaning;
  }
}

/** Small letters and capitals are the same in the lowest five bits. */
function beginning(text: string, start: number): number {
  return (text.charCodeAt(start) & 31) * 32 + (text.charCodeAt(start + 1) & 31);
}

/** Whether all phrases stand in one of the texts each, their words in order with nothing between. */
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
      // Each position holds one word, so words that follow each other in the list are neighbours when positions are.
      if (wanted.every((word, step) => words[start + step] === word && positions[start + step] === first + step))
        return true;
    }
    return false;
  };
}
