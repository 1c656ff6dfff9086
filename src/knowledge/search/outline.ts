import { analyseCharacters, analyseWord, isStopWord } from '../index/analyse.ts';
import { scanWords, type TokenKind, word } from '../index/scan-words.ts';
import type { ChunkKey, KnowledgeStore, StoredPassage } from '../store/knowledge-store.ts';

/** A passage as word numbers, for rescoring. */
export interface Outline {
  /** The number of each word in the text, in order; 0 for a token without words. */
  text: Uint32Array;
  title: readonly OutlineToken[];
  /** The innermost heading above the passage. */
  heading: readonly OutlineToken[];
}

interface OutlineToken {
  words: readonly number[];
  /** How many of the words are not stop words. */
  significant: number;
}

const noWords: OutlineToken = { words: [0], significant: 0 };

/** Numbers words from 1. Caches tokens, because passages share most of them. */
export class Vocabulary {
  readonly #numbers = new Map<string, number>();
  readonly #tokens = new Map<string, OutlineToken>();

  get size(): number {
    return this.#numbers.size;
  }

  /** Returns the number of a term, as analysed. */
  numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#numbers.size + 1;
    this.#numbers.set(term, number);
    return number;
  }

  token(token: string, kind: TokenKind): OutlineToken {
    const known = this.#tokens.get(token);
    if (known) return known;
    const terms = kind <= word ? analyseWord(token).words : [analyseCharacters(token)];
    const significant = terms.filter((term) => !isStopWord(term)).length;
    const found = terms.length === 0 ? noWords : { words: terms.map((term) => this.numberOf(term)), significant };
    this.#tokens.set(token, found);
    return found;
  }
}

export function outlineOf(
  vocabulary: Vocabulary,
  passage: { title: string; heading: readonly string[]; text: string },
): Outline {
  return {
    text: wordsOf(vocabulary, passage.text),
    title: tokensOf(vocabulary, passage.title),
    heading: tokensOf(vocabulary, passage.heading.at(-1) ?? ''),
  };
}

/** A buffer that all calls share. Results are copied out of it. */
let buffer = new Uint32Array(4_096);

function wordsOf(vocabulary: Vocabulary, text: string): Uint32Array {
  let count = 0;
  scanWords(text, (start, end, kind) => {
    const { words } = vocabulary.token(text.slice(start, end), kind);
    if (count + words.length > buffer.length) buffer = enlarged(buffer, count + words.length);
    for (let index = 0; index < words.length; index++) buffer[count + index] = words[index] ?? 0;
    count += words.length;
  });
  return buffer.slice(0, count);
}

function enlarged(before: Uint32Array<ArrayBuffer>, minLength: number): Uint32Array<ArrayBuffer> {
  const after = new Uint32Array(minLength * 2);
  after.set(before);
  return after;
}

function tokensOf(vocabulary: Vocabulary, text: string): OutlineToken[] {
  const tokens: OutlineToken[] = [];
  scanWords(text, (start, end, kind) => tokens.push(vocabulary.token(text.slice(start, end), kind)));
  return tokens;
}

/** An outline, and the passage if it had to be read for it. */
interface OutlinedPassage {
  outline: Outline;
  /** Undefined when the outline was cached. */
  passage: StoredPassage | undefined;
}

/** The maximum number of cached words, 4 bytes each. */
const maxWords = 8_000_000;
const maxTerms = 500_000;

/**
 * Caches outlines of recently rescored passages, so that most searches read and analyse only the texts they return.
 * Entries never become stale, because a version of a document never changes.
 */
export class PassageOutlines {
  readonly #store: KnowledgeStore;
  readonly #outlines = new Map<string, Outline>();
  #vocabulary = new Vocabulary();
  #words = 0;

  constructor(store: KnowledgeStore) {
    this.#store = store;
  }

  /** Returns outlines in the order of the keys, undefined for a removed document. All use the returned vocabulary. */
  async read(
    keys: readonly ChunkKey[],
  ): Promise<{ vocabulary: Vocabulary; passages: (OutlinedPassage | undefined)[] }> {
    const unknown = keys.filter((key) => !this.#outlines.has(nameOf(key)));
    const read = unknown.length === 0 ? [] : await this.#store.passages(unknown);
    if (this.#words > maxWords || this.#vocabulary.size > maxTerms) this.#forgetAll();
    const vocabulary = this.#vocabulary;
    const fresh = new Map(read.map((passage) => [nameOf(passage), passage]));
    const passages = keys.map((key): OutlinedPassage | undefined => {
      const name = nameOf(key);
      const passage = fresh.get(name);
      const outline = this.#outlines.get(name) ?? (passage && this.#add(name, passage));
      return outline && { outline, passage };
    });
    // The cache was cleared after the lookup: read the missing outlines.
    const lost = keys.filter((_key, index) => !passages[index]).filter((key) => !unknown.includes(key));
    return lost.length === 0 ? { vocabulary, passages } : this.read(keys);
  }

  #add(name: string, passage: StoredPassage): Outline {
    const { heading, text, document } = passage;
    const outline = outlineOf(this.#vocabulary, { title: document.title, heading, text });
    this.#outlines.set(name, outline);
    this.#words += outline.text.length + 16;
    return outline;
  }

  #forgetAll(): void {
    this.#outlines.clear();
    this.#vocabulary = new Vocabulary();
    this.#words = 0;
  }
}

function nameOf({ docNo, ordinal }: ChunkKey): string {
  return `${docNo} ${ordinal}`;
}
