import type { SemanticSearch } from '../embedder.ts';
import type { KnowledgeStore, StoredPassage } from '../store/knowledge-store.ts';
import type { DocumentFilters } from './filter-documents.ts';
import { fuse, scale } from './fuse.ts';
import { createPhraseMatcher } from './match-phrases.ts';
import { parseQuery } from './parse-query.ts';
import type { ScoredChunk, SearchIndex } from './search-index.ts';
import type { SearchMode } from './search-request.ts';

export interface HitParts {
  store: KnowledgeStore;
  index: SearchIndex;
  retrieval: { hybridAlpha: number; candidateKKeyword: number; candidateKVector: number };
  semantic?: SemanticSearch | undefined;
}

export interface HitRequest {
  query: string;
  limit: number;
  filters?: DocumentFilters | undefined;
  explain?: boolean | undefined;
  signal: AbortSignal;
}

/** A document that was found, by the passage that speaks for it. */
export interface Hit {
  passage: StoredPassage;
  /** The best is 1. */
  score: number;
  keyword?: ScoredChunk | undefined;
  similarity?: number | undefined;
}

/** Best first. A mode that needs embeddings needs `semantic`. */
export async function findHits(parts: HitParts, mode: SearchMode, request: HitRequest): Promise<Hit[]> {
  if (mode === 'keyword' || !parts.semantic) return findByWords(parts, request);
  const hits = mode === 'semantic' ? await findByMeaning(parts, request) : await findByBoth(parts, request);
  return hits.sort(compareHits).slice(0, request.limit);
}

async function findByWords({ index }: HitParts, request: HitRequest): Promise<Hit[]> {
  const found = await index.search(request.query, request);
  const best = found[0]?.score ?? 1;
  return found.map((keyword) => ({ passage: keyword.passage, score: keyword.score / best, keyword }));
}

/** No cosine below 0 is any likeness; where the best is none, the order alone counts. */
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

/** The nearest passage of each document by its number; phrases that are required are required here too. */
async function nearestPassages(
  { store, index, semantic }: HitParts,
  { query, filters, signal }: HitRequest,
  limit: number,
): Promise<Map<number, { passage: StoredPassage; similarity: number }>> {
  const allows = await index.documentFilter(filters, signal);
  const nearest = (await semantic?.find(query, { limit, allows, signal })) ?? [];
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

/** Equal scores in the order of ids, which is the same everywhere. */
function compareHits(left: Hit, right: Hit): number {
  if (left.score !== right.score) return right.score - left.score;
  return left.passage.document.id < right.passage.document.id ? -1 : 1;
}
