import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChunkKey, KnowledgeStore, StoredPassage } from '../store/knowledge-store.ts';
import { type DocumentFilters, filterDocuments } from './filter-documents.ts';
import { createPhraseMatcher } from './find-words.ts';
import { IndexReader, type IndexState } from './index-reader.ts';
import { PassageOutlines } from './outline.ts';
import { parseQuery, type Query } from './parse-query.ts';
import { type Candidate, explainScore, keyOf, rankChunks, type TermShare } from './rank-chunks.ts';
import { type Bonuses, bestOfDocuments, type OutlinedCandidate, type RankedPassage, withBonuses } from './rescore.ts';

/** The best passage of a document, with its score. */
export interface ScoredChunk extends ChunkKey {
  /** BM25 plus bonuses. Above 0, and comparable only within one search. */
  score: number;
  passage: StoredPassage;
  /** On request. The scores of the terms and the bonuses add up to the score. */
  explain?: { terms: TermShare[]; bonuses: Bonuses };
}

export interface IndexSearchOptions {
  /** The maximum number of documents. */
  limit: number;
  filters?: DocumentFilters | undefined;
  explain?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** How many of the best passages get bonuses for the positions of the words in their text. */
const maxRescored = 100;
/** The maximum number of candidates from one document. */
const maxPerDocument = 3;
/** The maximum number of passages, best BM25 score first, whose text is read to find a required phrase. */
const maxPhraseCandidates = 20_000;

/** Searches the postings of a store by keyword. */
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

  /** Returns one passage per document, best first. Returns nothing for a query without words. */
  async search(text: string, options: IndexSearchOptions): Promise<ScoredChunk[]> {
    const query = parseQuery(text);
    if (query.terms.length === 0) return [];
    const terms = new Set([...query.terms.map(({ term }) => term), ...query.required.flat()]);
    const found = { ...(await this.#reader.read([...terms], options.signal)), query };
    const wanted = Math.max(maxRescored, options.limit * maxPerDocument);
    const mustMatch = query.required.length > 0;
    const ranked = rankChunks(found, {
      scores: this.#scoresFor(found.state),
      allows: allowedDocuments(found.state, options.filters),
      limit: mustMatch ? maxPhraseCandidates : wanted,
      maxPerDocument: mustMatch ? Number.POSITIVE_INFINITY : maxPerDocument,
    });
    const candidates = mustMatch
      ? await this.#matchRequired(ranked, query, { wanted, signal: options.signal })
      : ranked;
    const { vocabulary, passages } = await this.#outlined(candidates);
    options.signal?.throwIfAborted();
    const best = bestOfDocuments(withBonuses(passages, { query, vocabulary })).slice(0, options.limit);
    const results = (await this.#readAll(best)).map(({ candidate, passage, score, bonuses }): ScoredChunk => {
      const result = { docNo: passage.docNo, ordinal: passage.ordinal, score, passage };
      return options.explain ? { ...result, explain: { terms: explainScore(found, candidate), bonuses } } : result;
    });
    return results.sort(compareResults);
  }

  /** Returns the visible documents that pass the filters. */
  async documents(filters: DocumentFilters | undefined, signal?: AbortSignal): Promise<ReadonlySet<number>> {
    const state = await this.#reader.state(signal);
    const allows = allowedDocuments(state, filters);
    const allowed = new Set<number>();
    for (const [index, { header }] of state.segments.entries()) {
      for (const [document, docNo] of header.docNos.entries()) if (allows[index]?.[document] === 1) allowed.add(docNo);
    }
    return allowed;
  }

  /** All searches share one array, because scoring is synchronous. */
  #scoresFor(state: IndexState): Float64Array {
    if (this.#scores.length < state.size) this.#scores = new Float64Array(state.size);
    return this.#scores;
  }

  async #matchRequired(
    ranked: readonly Candidate[],
    query: Query,
    options: { wanted: number; signal: AbortSignal | undefined },
  ): Promise<Candidate[]> {
    const matches = createPhraseMatcher(query.required);
    const found: Candidate[] = [];
    for (let start = 0; start < ranked.length && found.length < options.wanted; start += maxRescored) {
      options.signal?.throwIfAborted();
      if (start > 0) await nextTurn();
      for (const each of await this.#readPassages(ranked.slice(start, start + maxRescored))) {
        const { document, heading, text } = each.passage;
        if (matches([text, document.title, ...heading])) found.push(each.candidate);
      }
    }
    return found;
  }

  /** Adds outlines to the first candidates. Drops candidates whose document is gone. */
  async #outlined(candidates: readonly Candidate[]) {
    const first = candidates.slice(0, maxRescored);
    const { vocabulary, passages } = await this.#outlines.read(first.map(keyOf));
    const outlined = first.flatMap((candidate, index): OutlinedCandidate[] => {
      const found = passages[index];
      return found ? [{ candidate, ...found }] : [];
    });
    return { vocabulary, passages: [...outlined, ...candidates.slice(maxRescored).map(withoutText)] };
  }

  /** Reads the passages of candidates, in order. Drops candidates whose document is gone. */
  async #readPassages(candidates: readonly Candidate[]): Promise<PassageOfCandidate[]> {
    if (candidates.length === 0) return [];
    const keys = candidates.map(keyOf);
    const passages = new Map((await this.#store.passages(keys)).map((each) => [nameOf(each), each]));
    return candidates.flatMap((candidate, index) => {
      const passage = passages.get(nameOf(keys[index]));
      return passage ? [{ candidate, passage }] : [];
    });
  }

  /** Reads the passages that were ranked without reading them. */
  async #readAll(ranked: readonly RankedPassage[]): Promise<(RankedPassage & { passage: StoredPassage })[]> {
    const unread = ranked.filter((each) => !each.passage).map(({ candidate }) => candidate);
    const read = new Map((await this.#readPassages(unread)).map((each) => [each.candidate, each.passage]));
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

/** Breaks ties by document id, so that the order is the same in every index. */
function compareResults(left: ScoredChunk, right: ScoredChunk): number {
  if (left.score !== right.score) return right.score - left.score;
  return left.passage.document.id < right.passage.document.id ? -1 : 1;
}
