import { type Clock, toIso } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import type { SemanticSearch } from '../embedder.ts';
import { embeddingsDisabled } from '../embeddings-disabled.ts';
import type { KnowledgeStore } from '../store/knowledge-store.ts';
import { findHits, type Hit } from './find-hits.ts';
import { parseQuery } from './parse-query.ts';
import type { SearchIndex } from './search-index.ts';
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

/** One search for every surface. Throws INVALID_ARGUMENTS, and what an embedder throws. */
export function createSearch(parts: SearchParts): Search {
  return async (request, options = {}) => {
    if (request.mode === 'semantic' && !parts.semantic) throw embeddingsDisabled();
    const asked = parts.semantic ? (request.mode ?? 'hybrid') : 'keyword';
    const query = parseQuery(request.query);
    if (query.terms.length === 0) return { results: [], mode: asked };

    const limit = request.limit ?? parts.retrieval.finalLimit;
    const signal = options.signal ?? new AbortController().signal;
    const find = (mode: SearchMode) => findHits(parts, mode, { ...request, limit, signal });
    const mode = { used: asked };
    const hits = await find(asked).catch((error: unknown) => {
      // Nobody asked for meaning by name: words still answer while the provider does not.
      if (request.mode !== undefined || !mayDoWithout(error)) throw error;
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

/** The provider is out of reach, or this process has no key for it, as when an editor starts the hub in another environment. */
function mayDoWithout(error: unknown): boolean {
  return error instanceof HubError && ['TRANSIENT_ERROR', 'UNAVAILABLE', 'NOT_CONFIGURED'].includes(error.code);
}
