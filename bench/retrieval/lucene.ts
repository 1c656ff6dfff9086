import type { CollectionDocument } from './collection.ts';

const k1 = 1.2;
const b = 0.75;
const longestToken = 255;

/**
 * BM25 as Lucene computes it with its defaults: StandardAnalyzer (words of Unicode Annex 29, lower case, no stemming,
 * no stop words), BM25Similarity, lengths kept in one byte, and a query whose words are optional clauses.
 */
export class LuceneIndex {
  readonly #ids: string[] = [];
  /** Rounded, as the index stores them. */
  readonly #lengths: number[] = [];
  readonly #postings = new Map<string, { document: number; frequency: number }[]>();
  #totalLength = 0;

  constructor(documents: readonly CollectionDocument[]) {
    for (const [document, { id, title, text }] of documents.entries()) {
      const tokens = standardTokens(`${title}\n${text}`);
      this.#ids.push(id);
      this.#lengths.push(rememberedLength(tokens.length));
      this.#totalLength += tokens.length;
      const frequencies = new Map<string, number>();
      for (const token of tokens) frequencies.set(token, (frequencies.get(token) ?? 0) + 1);
      for (const [token, frequency] of frequencies) {
        const postings = this.#postings.get(token) ?? [];
        postings.push({ document, frequency });
        this.#postings.set(token, postings);
      }
    }
  }

  search(query: string, limit: number): string[] {
    const count = this.#ids.length;
    const averageLength = this.#totalLength / count;
    const scores = new Map<number, number>();
    for (const token of standardTokens(query)) {
      const postings = this.#postings.get(token) ?? [];
      const idf = Math.log(1 + (count - postings.length + 0.5) / (postings.length + 0.5));
      for (const { document, frequency } of postings) {
        const norm = k1 * (1 - b + (b * (this.#lengths[document] ?? 0)) / averageLength);
        scores.set(document, (scores.get(document) ?? 0) + (idf * frequency) / (frequency + norm));
      }
    }
    return [...scores]
      .sort(([one, oneScore], [other, otherScore]) => otherScore - oneScore || one - other)
      .slice(0, limit)
      .map(([document]) => this.#ids[document] ?? '');
  }
}

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

function standardTokens(text: string): string[] {
  const tokens: string[] = [];
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    if (!isWordLike) continue;
    const token = segment.toLowerCase();
    for (let start = 0; start < token.length; start += longestToken)
      tokens.push(token.slice(start, start + longestToken));
  }
  return tokens;
}

/** Rounds down like Lucene's SmallFloat: exact up to 40, then three bits after the first. */
export function rememberedLength(length: number): number {
  const exact = 24;
  if (length < exact) return length;
  const rest = length - exact;
  const shift = Math.max(0, 28 - Math.clz32(rest));
  return exact + ((rest >>> shift) << shift);
}
