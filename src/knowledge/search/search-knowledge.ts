import { type Clock, toIso } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import { embeddingsDisabled, type SemanticSearch } from '../embedder.ts';
import type { KnowledgeStore, StoredPassage } from '../store/knowledge-store.ts';
import type { DocumentFilters } from './filter-documents.ts';
import { createPhraseMatcher } from './find-words.ts';
import { parseQuery } from './parse-query.ts';
import type { ScoredChunk, SearchIndex } from './search-index.ts';
import type { CheckedSearch, SearchMode, SearchResult } from './search-request.ts';
import { createSnippets } from './snippet.ts';

export interface SearchParts {
  store: KnowledgeStore;
  index: SearchIndex;
  retrieval: { hybridAlpha: number; candidateKKeyword: number; candidateKVector: number; finalLimit: number };
  clock: Clock;
  semantic?: SemanticSearch;
}

export type Search = (
  request: CheckedSearch,
  options?: { signal?: AbortSignal | undefined },
) => Promise<{ results: SearchResult[]; mode: SearchMode }>;

/** Creates the search that all surfaces use. It throws INVALID_ARGUMENTS, and whatever the embedder throws. */
export function createSearch(parts: SearchParts): Search {
  return async (request, options = {}) => {
    if (request.mode === 'semantic' && !parts.semantic) throw embeddingsDisabled();
    const requestedMode = parts.semantic ? (request.mode ?? 'hybrid') : 'keyword';
    const query = parseQuery(request.query);
    if (query.terms.length === 0) return { results: [], mode: requestedMode };

    const limit = request.limit ?? parts.retrieval.finalLimit;
    const signal = options.signal ?? new AbortController().signal;
    const find = (mode: SearchMode) => findHits(parts, mode, { ...request, limit, signal });
    const mode = { used: requestedMode };
    const hits = await find(requestedMode).catch((error: unknown) => {
      // The caller did not insist on a mode, so a keyword search replaces a failed provider.
      if (request.mode !== undefined || !isEmbedderMissing(error)) throw error;
      mode.used = 'keyword';
      return find('keyword');
    });
    const snippet = createSnippets([...query.words, ...query.terms.map(({ term }) => term)]);
    const now = parts.clock.now();
    const explained = request.explain === true ? mode.used : undefined;
    return { results: hits.map((hit) => toResult(hit, { snippet, now, explained })), mode: mode.used };
  };
}

function toResult(
  { passage, score, keyword, similarity }: Hit,
  options: { snippet: (text: string) => string; now: number; explained: SearchMode | undefined },
): SearchResult {
  const { document } = passage;
  const result: SearchResult = {
    id: document.id,
    score,
    title: document.title,
    source: document.source,
    source_id: document.sourceId,
    source_url: document.url,
    updated_at: toIso(document.updatedAt),
    snippet: options.snippet(passage.text),
    passage: {
      text: passage.text,
      heading: passage.heading,
      start_line: passage.startLine,
      end_line: passage.endLine,
      ordinal: passage.ordinal,
    },
    version: document.hash,
    age_seconds: Math.max(0, Math.floor((options.now - document.updatedAt) / 1_000)),
    tags: document.tags,
  };
  if (options.explained === undefined) return result;
  return {
    ...result,
    explain: {
      mode: options.explained,
      keyword: keyword?.score ?? null,
      semantic: similarity ?? null,
      terms: keyword?.explain?.terms ?? [],
      bonuses: { ...keyword?.explain?.bonuses },
    },
  };
}

/** Returns whether the provider is unreachable, or this process has no key for it (an editor may start the hub in another environment). */
function isEmbedderMissing(error: unknown): boolean {
  return error instanceof HubError && ['TRANSIENT_ERROR', 'UNAVAILABLE', 'NOT_CONFIGURED'].includes(error.code);
}

interface HitParts {
  store: KnowledgeStore;
  index: SearchIndex;
  retrieval: { hybridAlpha: number; candidateKKeyword: number; candidateKVector: number };
  semantic?: SemanticSearch | undefined;
}

interface HitRequest {
  query: string;
  limit: number;
  filters?: DocumentFilters | undefined;
  explain?: boolean | undefined;
  signal: AbortSignal;
}

/** A matching document, represented by its best passage. */
interface Hit {
  passage: StoredPassage;
  /** Relative to the best hit, which has 1. */
  score: number;
  keyword?: ScoredChunk | undefined;
  similarity?: number | undefined;
}

/** Returns hits best first. Without `semantic`, every mode falls back to keywords. */
async function findHits(parts: HitParts, mode: SearchMode, request: HitRequest): Promise<Hit[]> {
  if (mode === 'keyword' || !parts.semantic) return findByWords(parts, request);
  const hits = mode === 'semantic' ? await findByMeaning(parts, request) : await findByBoth(parts, request);
  return hits.sort(compareHits).slice(0, request.limit);
}

async function findByWords({ index }: HitParts, request: HitRequest): Promise<Hit[]> {
  const found = await index.search(request.query, request);
  const best = found[0]?.score ?? 1;
  return found.map((keyword) => ({ passage: keyword.passage, score: keyword.score / best, keyword }));
}

/** A cosine below 0 means no similarity. If even the best hit has none, scores only express the order. */
async function findByMeaning(parts: HitParts, request: HitRequest): Promise<Hit[]> {
  const limit = Math.max(parts.retrieval.candidateKVector, request.limit * 3);
  const found = await nearestPassages(parts, request, limit);
  const similarities = new Map([...found].map(([docNo, { similarity }]) => [docNo, similarity]));
  const best = Math.max(...similarities.values());
  const scaled = scale(similarities);
  return [...found].map(([docNo, { passage, similarity }]) => {
    const score = best > 0 ? Math.max(0, similarity) / best : (scaled.get(docNo) ?? 0);
    return { passage, score, similarity };
  });
}

async function findByBoth(parts: HitParts, request: HitRequest): Promise<Hit[]> {
  const { hybridAlpha, candidateKKeyword, candidateKVector } = parts.retrieval;
  const [keyword, semantic] = await Promise.all([
    parts.index.search(request.query, { ...request, limit: Math.max(candidateKKeyword, request.limit) }),
    nearestPassages(parts, request, Math.max(candidateKVector, request.limit)),
  ]);
  const byWords = new Map(keyword.map((each) => [each.docNo, each]));
  const words = scale(new Map(keyword.map((each) => [each.docNo, each.score])));
  const meanings = scale(new Map([...semantic].map(([docNo, { similarity }]) => [docNo, similarity])));
  const fused = fuse(words, meanings, hybridAlpha);
  const best = Math.max(...fused.values());
  return [...fused].flatMap(([docNo, score]) => {
    const word = byWords.get(docNo);
    const meaning = semantic.get(docNo);
    const wordsWeighMore = (1 - hybridAlpha) * (words.get(docNo) ?? 0) >= hybridAlpha * (meanings.get(docNo) ?? 0);
    const passage = word && (wordsWeighMore || !meaning) ? word.passage : meaning?.passage;
    if (!passage) return [];
    return [{ passage, score: best > 0 ? score / best : 1, keyword: word, similarity: meaning?.similarity }];
  });
}

/** Returns the nearest passage of each document, by document number. Passages without the required phrases are dropped. */
async function nearestPassages(
  { store, index, semantic }: HitParts,
  { query, filters, signal }: HitRequest,
  limit: number,
): Promise<Map<number, { passage: StoredPassage; similarity: number }>> {
  const allowed = await index.documents(filters, signal);
  const only = filters && Object.values(filters).some((value) => value !== undefined) ? allowed : undefined;
  const allows = (docNo: number) => allowed.has(docNo);
  const nearest = (await semantic?.find(query, { limit, allows, only, signal })) ?? [];
  const passages = new Map((await store.passages(nearest)).map((each) => [`${each.docNo} ${each.ordinal}`, each]));
  const isMatch = createPhraseMatcher(parseQuery(query).required);
  const found = new Map<number, { passage: StoredPassage; similarity: number }>();
  for (const { docNo, ordinal, similarity } of nearest) {
    const passage = passages.get(`${docNo} ${ordinal}`);
    if (!passage || found.has(docNo)) continue;
    if (isMatch([passage.text, passage.document.title, ...passage.heading])) found.set(docNo, { passage, similarity });
  }
  return found;
}

/** Breaks ties by document id, so that the order is the same in every index. */
function compareHits(left: Hit, right: Hit): number {
  if (left.score !== right.score) return right.score - left.score;
  return left.passage.document.id < right.passage.document.id ? -1 : 1;
}

/**
 * Combines two rankings: scales the scores of each to 0–1 and adds them, where `alpha` is the weight of the second. A key
 * that only one ranking has scores 0 in the other. The result is not sorted.
 */
export function fuse<K>(first: ReadonlyMap<K, number>, second: ReadonlyMap<K, number>, alpha: number): Map<K, number> {
  const scaledFirst = scale(first);
  const scaledSecond = scale(second);
  const fused = new Map<K, number>();
  for (const key of new Set([...first.keys(), ...second.keys()])) {
    fused.set(key, (1 - alpha) * (scaledFirst.get(key) ?? 0) + alpha * (scaledSecond.get(key) ?? 0));
  }
  return fused;
}

/** Scales scores so that the lowest is 0 and the highest 1. If all are equal, all are 1. */
export function scale<K>(scores: ReadonlyMap<K, number>): Map<K, number> {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (const score of scores.values()) {
    lowest = Math.min(lowest, score);
    highest = Math.max(highest, score);
  }
  return new Map(
    [...scores].map(([key, score]) => [key, highest > lowest ? (score - lowest) / (highest - lowest) : 1]),
  );
}
