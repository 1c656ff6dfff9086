import { analyseCharacters, analyseWord, isStopWord } from './analyse.ts';
import type { Occurrence } from './postings-codec.ts';
import { nextCharacter, scanWords, type TokenKind, word } from './scan-words.ts';

type Field = 'text' | 'title' | 'heading';

/** Counts terms chunk by chunk, and returns the counts by term. */
export interface TermTable {
  /** Adds a text to the current chunk. Returns its number of words without stop words. */
  count(text: string, field: Field): number;
  endChunk(): void;
  chunks(): number;
  /** Visits terms in byte order. */
  forEachTerm(visit: (term: string, occurrences: Occurrences) => void): void;
}

interface Occurrences {
  count: number;
  /** Visits chunks in order. Reuses one object for all calls. */
  forEach(visit: (occurrence: Occurrence) => void): void;
}

/** The counts of a term in one chunk are packed into one number: 16 bits for the text, 8 for the title, 8 for the headings. */
const maxCount = { text: 0xffff, title: 0xff, heading: 0xff } as const;
const unit = { text: 1, title: 0x10000, heading: 0x1000000 } as const;

export function createTermTable(): TermTable {
  const terms: string[] = [];
  const numbers = new Map<string, number>();
  /** Tokens with one term: twice the number of the term, plus 1 unless it is a stop word. */
  const plain = new Map<string, number>();
  /** Other tokens: the number of words that are not stop words, then the numbers of the terms. */
  const compound = new Map<string, readonly number[]>();
  let frequencies = new Uint32Array(4_096);
  /** Terms of the current chunk. */
  const current: number[] = [];
  const entries = { terms: new Uint32Array(65_536), frequencies: new Uint32Array(65_536), length: 0 };
  const chunkEnds: number[] = [];

  const numberOf = (term: string) => {
    let number = numbers.get(term);
    if (number === undefined) {
      number = terms.push(term) - 1;
      numbers.set(term, number);
      if (number >= frequencies.length) frequencies = enlarged(frequencies);
    }
    return number;
  };
  /** Returns -1 for a token with several terms, or none. */
  const learn = (token: string, kind: TokenKind) => {
    const { words, compounds } =
      kind <= word ? analyseWord(token) : { words: [analyseCharacters(token)], compounds: [] };
    const length = words.filter((each) => !isStopWord(each)).length;
    const found = [...words, ...compounds].map(numberOf);
    const only = found.length === 1 ? (found[0] ?? 0) * 2 + length : -1;
    plain.set(token, only);
    if (only < 0) compound.set(token, [length, ...found]);
    return only;
  };

  const count = (text: string, field: Field) => {
    const one = unit[field];
    const mask = maxCount[field] * one;
    const add = (number: number) => {
      const before = frequencies[number] ?? 0;
      if (before === 0) current.push(number);
      if ((before & mask) >>> 0 !== mask) frequencies[number] = before + one;
    };
    let length = 0;
    let previousStart = 0;
    scanWords(text, (start, end, kind) => {
      const token = text.slice(start, end);
      const only = plain.get(token) ?? learn(token, kind);
      if (only >= 0) {
        length += only & 1;
        add(only >> 1);
      } else {
        const found = compound.get(token) ?? [];
        length += found[0] ?? 0;
        for (let index = 1; index < found.length; index++) add(found[index] ?? 0);
      }
      if (kind === nextCharacter) add(numberOf(analyseCharacters(text.slice(previousStart, end))));
      previousStart = start;
    });
    return length;
  };

  const endChunk = () => {
    const end = entries.length + current.length;
    while (end > entries.terms.length) {
      entries.terms = enlarged(entries.terms);
      entries.frequencies = enlarged(entries.frequencies);
    }
    for (const number of current) {
      entries.terms[entries.length] = number;
      entries.frequencies[entries.length++] = frequencies[number] ?? 0;
      frequencies[number] = 0;
    }
    current.length = 0;
    chunkEnds.push(end);
  };

  return {
    count,
    endChunk,
    chunks: () => chunkEnds.length,
    forEachTerm: (visit) => visitTerms({ terms, entries, chunkEnds }, visit),
  };
}

/** Regroups the entries by term with a counting sort, which keeps the order of chunks within each term. */
function visitTerms(
  table: {
    terms: readonly string[];
    entries: { terms: Uint32Array; frequencies: Uint32Array; length: number };
    chunkEnds: readonly number[];
  },
  visit: (term: string, occurrences: Occurrences) => void,
): void {
  const { terms, entries, chunkEnds } = table;
  const ends = new Uint32Array(terms.length + 1);
  for (let entry = 0; entry < entries.length; entry++) {
    const next = (entries.terms[entry] ?? 0) + 1;
    ends[next] = (ends[next] ?? 0) + 1;
  }
  for (let term = 1; term <= terms.length; term++) ends[term] = (ends[term] ?? 0) + (ends[term - 1] ?? 0);
  const starts = ends.slice();
  const chunks = new Uint32Array(entries.length);
  const frequencies = new Uint32Array(entries.length);
  let entry = 0;
  for (let chunk = 0; chunk < chunkEnds.length; chunk++) {
    for (const end = chunkEnds[chunk] ?? 0; entry < end; entry++) {
      const term = entries.terms[entry] ?? 0;
      const position = starts[term] ?? 0;
      starts[term] = position + 1;
      chunks[position] = chunk;
      frequencies[position] = entries.frequencies[entry] ?? 0;
    }
  }
  const order = [...terms.keys()].sort((left, right) => compareTerms(terms[left] ?? '', terms[right] ?? ''));
  const occurrence: Occurrence = { chunk: 0, text: 0, title: 0, heading: 0 };
  for (const term of order) {
    const start = ends[term] ?? 0;
    const end = ends[term + 1] ?? 0;
    if (start === end) continue;
    visit(terms[term] ?? '', {
      count: end - start,
      forEach: (each) => {
        for (let position = start; position < end; position++) {
          const packed = frequencies[position] ?? 0;
          occurrence.chunk = chunks[position] ?? 0;
          occurrence.text = packed & 0xffff;
          occurrence.title = (packed >>> 16) & 0xff;
          occurrence.heading = packed >>> 24;
          each(occurrence);
        }
      },
    });
  }
}

function enlarged(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}

/**
 * Compares terms in the order of their UTF-8 bytes, which is the order of code points. JavaScript's own order differs
 * only for surrogate pairs compared with characters from U+E000.
 */
function compareTerms(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

function rank(code: number): number {
  return code >= 0xd800 && code < 0xe000 ? code + 0x10000 : code;
}
