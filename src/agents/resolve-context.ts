import { HubError } from '../base/hub-error.ts';
import type { KnowledgeReader } from '../knowledge/knowledge.ts';
import type { SearchRequest } from '../knowledge/search/search-request.ts';
import { outsideSourceOf } from '../knowledge/untrusted.ts';
import type { AgentPrompt } from './agent-prompt.ts';
import type { AgentEntry, ArgumentValues, ResolveContext, ResolveOptions, SearchOptions } from './agent-source.ts';

type CodedAgent = Required<Pick<AgentEntry, 'resolve'>>;

export function hasCode(entry: AgentEntry): entry is AgentEntry & CodedAgent {
  return entry.resolve !== undefined;
}

/** Runs an agent's own code, and adds what it read from untrusted sources of the knowledge base. */
export async function resolveByCode(
  entry: CodedAgent,
  args: ArgumentValues,
  options: ResolveOptions,
): Promise<AgentPrompt> {
  const outside = new Set<string>();
  const prompt = await entry.resolve(args, toResolveContext(options, outside));
  return outside.size === 0 ? prompt : { ...prompt, outside: [...outside] };
}

/** Returns the context in which an agent's code runs, with access to the knowledge base. */
function toResolveContext({ knowledge, signal, client }: ResolveOptions, outside: Set<string>): ResolveContext {
  const reader = knowledge ?? noKnowledge;
  function note<T extends Parameters<typeof outsideSourceOf>[0]>(document: T): T {
    const source = outsideSourceOf(document);
    if (source !== undefined) outside.add(source);
    return document;
  }
  return {
    signal,
    ...(client && { client }),
    search: async (query, rest) => (await reader.search(toSearchRequest(query, rest), { signal })).map(note),
    get: async (id) => note(await reader.get(id)),
    ...(reader.chunks && { chunks: reader.chunks.bind(reader) }),
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
