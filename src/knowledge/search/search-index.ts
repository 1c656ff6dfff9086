import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChunkKey, KnowledgeStore, StoredPassage } from '../store/knowledge-store.ts';
import { type DocumentFilters, filterDocuments } from './filter-documents.ts';
import { createPhraseMatcher } from './find-words.ts';
import { IndexReader, type IndexState } from './index-reader.ts';
import { PassageOutlines } from './outline.ts';
import { parseQuery, type Query } from './parse-query.ts';
import { type Candidate, explainScore, keyOf, rankChunks, type TermShare } from './rank-chunks.ts';
import { bestOfDocuments, type Bonuses, type OutlinedCandidate, type RankedPassage, withBonuses } from './rescore.ts';

/** The best passage of a document. */
export interface ScoredChunk extends ChunkKey {
  /** BM25 and bonuses: above 0, to be compared within one search only. */
  score: number;
  passage: StoredPassage;
  /** Where asked for: the scores of the terms and the bonuses add up to the score. */
  explain?: { terms: TermShare[]; bonuses: Bonuses };
}

export interface IndexSearchOptions {
  /** Documents at most. */
  limit: number;
  filters?: DocumentFilters | undefined;
  explain?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** Passages whose text is looked at. */
const rescored = 100;
/** Passages of one document among the candidates. */
const maxPerDocument = 3;
/** Passages whose text is read to find a phrase; where more have all its words, the best of them by BM25. */
const maxRead = 20_000;

/** Keyword search over the postings of a store. */
export class SearchIndex {
  readonly #store: KnowledgeStore;
  readonly #reader: IndexReader;
  readonly #outlines: PassageOutlines;
  #scores = new Float64Array(0);

  constructor(store: KnowledgeStore) {
    this.#store = store;
    this.#reader = new IndexReader(store);
    this.#outlines = new PassageOutlines(store);
  }

  /** One passage for each document, best first; nothing for a query without words. */
  async search(text: string, options: IndexSearchOptions): Promise<ScoredChunk[]> {
    const query = parseQuery(text);
    if (query.terms.length === 0) return [];
    const terms = new Set([...query.terms.map(({ term }) => term), ...query.required.flat()]);
    const found = { ...(await this.#reader.read([...terms], options.signal)), query };
    const wanted = Math.max(rescored, options.limit * maxPerDocument);
    const mustMatch = query.required.length > 0;
    const ranked = rankChunks(found, {
      scores: this.#scoresFor(found.state),
      allows: allowedDocuments(found.state, options.filters),
      limit: mustMatch ? maxRead : wanted,
      maxPerDocument: mustMatch ? Number.POSITIVE_INFINITY : maxPerDocument,
    });
    const candidates = mustMatch ? await this.#withRequired(ranked, query, { wanted, signal: options.signal }) : ranked;
    const { vocabulary, passages } = await this.#outlined(candidates);
    options.signal?.throwIfAborted();
    const best = bestOfDocuments(withBonuses(passages, { query, vocabulary })).slice(0, options.limit);
    const results = (await this.#readAll(best)).map(({ candidate, passage, score, bonuses }): ScoredChunk => {
      const result = { docNo: passage.docNo, ordinal: passage.ordinal, score, passage };
      return options.explain ? { ...result, explain: { terms: explainScore(found, candidate), bonuses } } : result;
    });
    return results.sort(compareResults);
  }

  /** Whether a document is there and the filters let it through. */
  async documentFilter(
    filters: DocumentFilters | undefined,
    signal?: AbortSignal,
  ): Promise<(docNo: number) => boolean> {
    const state = await this.#reader.state(signal);
    const allows = allowedDocuments(state, filters);
    const allowed = new Set<number>();
    for (const [index, { header }] of state.segments.entries()) {
      for (const [document, docNo] of header.docNos.entries()) if (allows[index]?.[document] === 1) allowed.add(docNo);
    }
    return (docNo) => allowed.has(docNo);
  }

  /** Scoring never waits for anything, so all searches share one array. */
  #scoresFor(state: IndexState): Float64Array {
    if (this.#scores.length < state.size) this.#scores = new Float64Array(state.size);
    return this.#scores;
  }

  async #withRequired(
    ranked: readonly Candidate[],
    query: Query,
    options: { wanted: number; signal: AbortSignal | undefined },
  ): Promise<Candidate[]> {
    const matches = createPhraseMatcher(query.required);
    const found: Candidate[] = [];
    for (let start = 0; start < ranked.length && found.length < options.wanted; start += rescored) {
      options.signal?.throwIfAborted();
      if (start > 0) await nextTurn();
      for (const each of await this.#withTexts(ranked.slice(start, start + rescored))) {
        const { document, heading, text } = each.passage;
        if (matches([text, document.title, ...heading])) found.push(each.candidate);
      }
    }
    return found;
  }

  /** The first of them with their outlines; without those whose document is gone. */
  async #outlined(candidates: readonly Candidate[]) {
    const first = candidates.slice(0, rescored);
    const { vocabulary, passages } = await this.#outlines.read(first.map(keyOf));
    const looked = first.flatMap((candidate, index): OutlinedCandidate[] => {
      const found = passages[index];
      return found ? [{ candidate, ...found }] : [];
    });
    return { vocabulary, passages: [...looked, ...candidates.slice(rescored).map(withoutText)] };
  }

  /** In the same order; without those whose document is gone. */
  async #withTexts(candidates: readonly Candidate[]): Promise<PassageOfCandidate[]> {
    if (candidates.length === 0) return [];
    const keys = candidates.map(keyOf);
    const passages = new Map((await this.#store.passages(keys)).map((each) => [nameOf(each), each]));
    return candidates.flatMap((candidate, index) => {
      const passage = passages.get(nameOf(keys[index]));
      return passage ? [{ candidate, passage }] : [];
    });
  }

  /** Reads what was ranked by its words alone. */
  async #readAll(ranked: readonly RankedPassage[]): Promise<(RankedPassage & { passage: StoredPassage })[]> {
    const unread = ranked.filter((each) => !each.passage).map(({ candidate }) => candidate);
    const read = new Map((await this.#withTexts(unread)).map((each) => [each.candidate, each.passage]));
    return ranked.flatMap((each) => {
      const passage = each.passage ?? read.get(each.candidate);
      return passage ? [{ ...each, passage }] : [];
    });
  }
}

interface PassageOfCandidate {
  candidate: Candidate;
  passage: StoredPassage;
}

function withoutText(candidate: Candidate): OutlinedCandidate {
  return { candidate, passage: undefined, outline: undefined };
}

function allowedDocuments({ segments }: IndexState, filters: DocumentFilters | undefined): Uint8Array[] {
  return segments.map(({ header, liveDocuments, updatedAt }) => {
    if (!filters || Object.values(filters).every((each) => each === undefined)) return liveDocuments;
    return filterDocuments(header, updatedAt, filters).map((fits, document) => fits & (liveDocuments[document] ?? 0));
  });
}

function nameOf(key: ChunkKey | undefined): string {
  return `${key?.docNo} ${key?.ordinal}`;
}

/** Equal scores in the order of ids, which is the same everywhere. */
function compareResults(left: ScoredChunk, right: ScoredChunk): number {
  if (left.score !== right.score) return right.score - left.score;
  return left.passage.document.id < right.passage.document.id ? -1 : 1;
}
