import { toSearchRequest } from '../agents/resolve-context.ts';
import { HubError } from '../base/hub-error.ts';
import type { KnowledgeReader, SourceInfo } from '../knowledge/knowledge.ts';
import { SearchRequest } from '../knowledge/search-request.ts';
import { luaHttp } from './host-http.ts';
import type { LuaJob } from './lua-job.ts';
import type { HostAnswer, HostCall } from './lua-messages.ts';

/** What a script asked for, on the main thread. Every failure is an answer: the sentence that the script's pcall sees. */
export async function answerHostCall(job: LuaJob, call: HostCall, signal: AbortSignal): Promise<HostAnswer> {
  try {
    return { value: await answer(job, call, signal) };
  } catch (error) {
    if (error instanceof HubError) return { error: error.message };
    if (!signal.aborted) {
      job.host.logger.error({ script: job.shown, error, method: call.method }, 'A call of a Lua script failed.');
    }
    return { error: 'Internal error' };
  }
}

async function answer(job: LuaJob, call: HostCall, signal: AbortSignal): Promise<unknown> {
  const { host } = job;
  switch (call.method) {
    case 'env':
      return host.env(call.name) ?? null;
    case 'http':
      return luaHttp(call.request, { allowedHosts: host.allowedHosts, signal });
    case 'search':
      return knowledgeOf(job).search(searchRequest(call.query, call.options), { signal });
    case 'get':
      return documentTable(await knowledgeOf(job).get(call.id));
    case 'sources':
      return (await knowledgeOf(job).sources()).map(sourceTable);
  }
}

function knowledgeOf(job: LuaJob): KnowledgeReader {
  if (job.host.knowledge) return job.host.knowledge;
  throw new HubError('UNAVAILABLE', 'There is no knowledge base here.');
}

/** Both forms of `context.search`; an empty Lua table stands for an empty list where one is expected. */
function searchRequest(query: unknown, options: unknown): SearchRequest {
  const isTable = typeof query === 'object' && query !== null && !Array.isArray(query);
  if (typeof query !== 'string' && !isTable) {
    throw new HubError(
      'INVALID_ARGUMENTS',
      'context.search takes a string, or a table such as { query = "words", limit = 5 }.',
    );
  }
  // What it holds is checked by the schema below.
  const request = toSearchRequest(query as string | SearchRequest, withoutEmpty(options ?? {}) as object);
  const parsed = SearchRequest.safeParse(withFilters(request));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join('.');
  throw new HubError('INVALID_ARGUMENTS', `context.search: ${path ? `${path}: ` : ''}${issue?.message}.`);
}

function withFilters(request: SearchRequest): object {
  const { filters, ...rest } = withoutEmpty(request) as SearchRequest;
  return filters ? { ...rest, filters: withoutEmpty(filters) } : rest;
}

function withoutEmpty(record: object): object {
  const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return Object.fromEntries(Object.entries(record).filter(([, value]) => !isEmpty(value)));
}

function documentTable(document: Awaited<ReturnType<KnowledgeReader['get']>>): object {
  return {
    id: document.id,
    title: document.title,
    source: document.source,
    source_id: document.sourceId,
    source_url: document.url,
    body: document.body,
    content_type: document.contentType,
    version: document.hash,
    updated_at: new Date(document.updatedAt).toISOString(),
    tags: document.tags,
    metadata: document.metadata,
  };
}

function sourceTable(source: SourceInfo): object {
  return {
    source: source.source,
    type: source.type,
    name: source.name,
    place: source.place,
    state: source.state,
    documents: source.documents,
    chunks: source.chunks,
    last_synced_at: source.lastSyncedAt,
    message: source.message,
  };
}
