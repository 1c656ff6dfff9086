import { HubError } from '../base/hub-error.ts';
import type { KnowledgeReader } from '../knowledge/knowledge.ts';
import type { SearchRequest } from '../knowledge/search/search-request.ts';
import type { ResolveContext, ResolveOptions, SearchOptions } from './agent-source.ts';

/** Returns the context in which an agent's code runs, with access to the knowledge base. */
export function toResolveContext(knowledge: KnowledgeReader | undefined, options: ResolveOptions): ResolveContext {
  const { signal, client } = options;
  const reader = knowledge ?? noKnowledge;
  return {
    signal,
    ...(client && { client }),
    search: (query, rest) => reader.search(toSearchRequest(query, rest), { signal }),
    get: (id) => reader.get(id),
    sources: () => reader.sources(),
  };
}

/** Turns both ways to call `search`, with one table or with a query and options, into one request. */
export function toSearchRequest(query: string | SearchRequest, options: SearchOptions = {}): SearchRequest {
  if (typeof query !== 'string') return query;
  const { source, ...rest } = options;
  if (source === undefined) return { query, ...rest };
  return { query, ...rest, filters: { ...rest.filters, source } };
}

const noKnowledge: KnowledgeReader = { search: refuse, get: refuse, sources: refuse };

async function refuse(): Promise<never> {
  throw new HubError('UNAVAILABLE', 'This registry was created without a knowledge base.', {
    details: { retryable: false },
  });
}
