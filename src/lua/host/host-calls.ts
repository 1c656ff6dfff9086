import { toSearchRequest } from '../../agents/resolve-context.ts';
import { toIso } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import { isRecord } from '../../base/is-record.ts';
import { fieldIssues } from '../../base/validate.ts';
import { DocumentRequest, partOf } from '../../knowledge/document-part.ts';
import { type KnowledgeReader, type SourceInfo, sourceStatus } from '../../knowledge/knowledge.ts';
import type { SearchRequest } from '../../knowledge/search/search-request.ts';
import type { LuaJob } from '../sandbox/lua-job.ts';
import type { HostAnswer, HostCall } from '../sandbox/lua-messages.ts';
import { luaHttp } from './host-http.ts';

/** Answers a script's host call on the main thread. Errors become messages that the script's pcall can catch. */
export async function answerHostCall(job: LuaJob, call: HostCall, signal: AbortSignal): Promise<HostAnswer> {
  try {
    return { value: await answer(job, call, signal) };
  } catch (error) {
    if (error instanceof HubError) return { error: error.message };
    if (!signal.aborted) {
      job.host.logger.error({ script: job.shown, error, method: call.method }, 'host call of a Lua script failed');
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
      return luaHttp(call.request, { ...host, signal });
    case 'items':
      return job.takeItems?.(call.items);
    case 'search':
      return named('context.search', knowledgeOf(job).search(searchRequest(call.query, call.options), { signal }));
    case 'get':
      return documentTable(knowledgeOf(job), call.id, call.options);
    case 'sources':
      return (await knowledgeOf(job).sources()).map(sourceTable);
  }
}

function knowledgeOf(job: LuaJob): KnowledgeReader {
  if (job.host.knowledge) return job.host.knowledge;
  throw new HubError('UNAVAILABLE', 'No knowledge base is available here.', { details: { retryable: false } });
}

/** Reads both forms of `context.search`. Drops empty Lua tables, which can stand for empty lists. */
function searchRequest(asked: unknown, options: unknown): SearchRequest {
  const query = typeof asked === 'number' ? String(asked) : asked;
  if (typeof query !== 'string' && !isRecord(query)) {
    throw new HubError(
      'INVALID_ARGUMENTS',
      'context.search takes a string, or a table such as { query = "words", limit = 5 }.',
    );
  }
  // The search validates the contents.
  const request = toSearchRequest(query as string | SearchRequest, withoutEmpty(options ?? {}) as object);
  const { filters, limit, ...rest } = withoutEmpty(request) as SearchRequest;
  return {
    ...rest,
    ...(limit !== undefined && { limit: clampedLimit(limit) }),
    ...(filters && { filters: withoutEmpty(filters) }),
  };
}

/** Accepts numbers as text, as Lua does, and brings a number into the range of a search. */
function clampedLimit(limit: unknown): number {
  const number = typeof limit === 'string' && limit.trim() !== '' ? Number(limit) : limit;
  // The search rejects what is not a number.
  if (typeof number !== 'number' || Number.isNaN(number)) return limit as number;
  return Math.min(Math.max(Math.trunc(number), 1), 100);
}

/** Adds the name of the function to INVALID_ARGUMENTS errors. */
async function named<T>(name: string, answering: Promise<T>): Promise<T> {
  try {
    return await answering;
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== 'INVALID_ARGUMENTS') throw error;
    throw new HubError(error.code, `${name}: ${error.message}`);
  }
}

function withoutEmpty(record: object): object {
  const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return Object.fromEntries(Object.entries(record).filter(([, value]) => !isEmpty(value)));
}

/** The default size limit of a document. It must fit into the script's memory together with what the script builds from it. */
const maxScriptBytes = 4 * 1_048_576;
const ScriptRange = DocumentRequest.pick({ lines: true, max_bytes: true });

async function documentTable(knowledge: KnowledgeReader, id: string, options: unknown): Promise<object> {
  const request = ScriptRange.safeParse(withoutEmpty(Object(options ?? {})));
  if (!request.success) {
    const [issue] = fieldIssues(request.error);
    throw new HubError('INVALID_ARGUMENTS', `context.get: ${issue?.path || 'options'}: ${issue?.message}.`);
  }
  const [document, chunks] = await Promise.all([knowledge.get(id), knowledge.chunks?.(id)]);
  const part = await partOf(document, { max_bytes: maxScriptBytes, ...request.data }, async () => []);
  const updatedAt = toIso(document.updatedAt);
  const { author, created_at: createdAt = updatedAt } = document.metadata;
  return {
    id: document.id,
    title: document.title,
    source: document.source,
    source_id: document.sourceId,
    source_url: document.url,
    author,
    body: part.body,
    range: part.range,
    ...(part.next && { next: part.next }),
    ...(part.note !== undefined && { note: part.note }),
    content_type: document.contentType,
    version: document.hash,
    created_at: createdAt,
    updated_at: updatedAt,
    tags: document.tags,
    metadata: document.metadata,
    // The passages of a document that was cut would be as long as its text.
    ...(part.next ? {} : { chunks: chunks?.map(({ ordinal, text }) => ({ index: ordinal, text })) }),
  };
}

/** Adds the fields of Context Harness to ours. */
function sourceTable(source: SourceInfo): object {
  return {
    ...sourceStatus(source),
    source: source.source,
    type: source.type,
    place: source.place,
    state: source.state,
    documents: source.documents,
    chunks: source.chunks,
    last_synced_at: source.lastSyncedAt,
    message: source.message,
  };
}
