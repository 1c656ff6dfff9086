import { analyseCharacters, analyseWord, isStopWord } from '../index/analyse.ts';
import { scanWords, type TokenKind, word } from '../index/scan-words.ts';
import type { ChunkKey, KnowledgeStore, StoredPassage } from '../store/knowledge-store.ts';

/** A passage as the rescoring looks at it. */
export interface Outline {
  /** The number of each word of the text, in order; 0 for a token without words. */
  text: Uint32Array;
  title: readonly OutlineToken[];
  /** Of the heading the passage stands under. */
  heading: readonly OutlineToken[];
}

interface OutlineToken {
  words: readonly number[];
  /** How many of them are no stop words. */
  telling: number;
}

const noWords: OutlineToken = { words: [0], telling: 0 };

/** Words as numbers, from 1. Tokens are looked up once: passages share most of them. */
export class Vocabulary {
  readonly #numbers = new Map<string, number>();
  readonly #tokens = new Map<string, OutlineToken>();

  get size(): number {
    return this.#numbers.size;
  }

  /** A term, as the analysis gives it. */
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
    const telling = terms.filter((term) => !isStopWord(term)).length;
    const found = terms.length === 0 ? noWords : { words: terms.map((term) => this.numberOf(term)), telling };
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

/** Written here, then copied at its length. */
let page = new Uint32Array(4_096);

function wordsOf(vocabulary: Vocabulary, text: string): Uint32Array {
  let count = 0;
  scanWords(text, (start, end, kind) => {
    const { words } = vocabulary.token(text.slice(start, end), kind);
    if (count + words.length > page.length) page = enlarged(page, count + words.length);
    for (let index = 0; index < words.length; index++) page[count + index] = words[index] ?? 0;
    count += words.length;
  });
  return page.slice(0, count);
}

function enlarged(before: Uint32Array<ArrayBuffer>, least: number): Uint32Array<ArrayBuffer> {
  const after = new Uint32Array(least * 2);
  after.set(before);
  return after;
}

function tokensOf(vocabulary: Vocabulary, text: string): OutlineToken[] {
  const tokens: OutlineToken[] = [];
  scanWords(text, (start, end, kind) => tokens.push(vocabulary.token(text.slice(start, end), kind)));
  return tokens;
}

/** What is known of a passage without asking the store, or what asking it brought. */
interface OutlinedPassage {
  outline: Outline;
  /** Where it was read just now. */
  passage: StoredPassage | undefined;
}

/** 4 bytes each. */
const maxWords = 8_000_000;
const maxTerms = 500_000;

/**
 * Outlines of passages that were looked at lately, so that most searches read and analyse only the texts they
 * answer with. A version of a document never changes, so what is here stays true.
 */
export class PassageOutlines {
  readonly #store: KnowledgeStore;
  readonly #outlines = new Map<string, Outline>();
  #vocabulary = new Vocabulary();
  #words = 0;

  constructor(store: KnowledgeStore) {
    this.#store = store;
  }

  /** In the order of the keys; undefined for a passage whose document is gone. All are of the vocabulary returned. */
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
    // Forgotten a moment ago, while others were read: the few are read once more.
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
