import type { AgentInput } from '../../src/agents/agent.ts';
import type { BrainEntry, BrainEntryChange, BrainQuery, NewBrainEntry } from '../../src/agents/brain.ts';
import type { AgentExport, ImportReport, OnTakenId } from '../../src/agents/transfer-agents.ts';
import type {
  AgentDetail,
  AgentListBody,
  AgentTemplateBody,
  AgentVersionBody,
  AgentVersionSummary,
  BrainBody,
  CompiledBody,
  ConnectBody,
  ErrorBody,
  StatusBody,
  ToolBody,
} from '../../src/http/api-types.ts';

/** What the hub answered when it did not do what was asked; status 0 when it did not answer at all. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly details: ErrorBody['error']['details'];

  constructor(status: number, error: ErrorBody['error']) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.details = error.details;
  }

  /** Somebody saved in between: `details.current` is what won, `details.submitted` is what this page sent. */
  get isConflict(): boolean {
    return this.code === 'conflict';
  }

  get isNotFound(): boolean {
    return this.status === 404;
  }
}

export const api = {
  listAgents: (signal?: AbortSignal) => send<AgentListBody>('GET', '/api/agents', { signal }),
  getAgent: (id: string, signal?: AbortSignal) => send<AgentDetail>('GET', agentPath(id), { signal }),
  createAgent: (input: AgentInput) => send<AgentDetail>('POST', '/api/agents', { body: input }),
  /** Null as revision overwrites whatever is there. */
  updateAgent: (id: string, input: AgentInput, revision: number | null) =>
    send<AgentDetail>('PUT', agentPath(id), { body: input, ifMatch: revision }),
  deleteAgent: (id: string) => send<{ success: true; id: string }>('DELETE', agentPath(id)),
  undeleteAgent: (id: string) => send<AgentDetail>('POST', `${agentPath(id)}/undelete`),
  cloneAgent: (id: string, wish: { name?: string; id?: string } = {}) =>
    send<AgentDetail>('POST', `${agentPath(id)}/clone`, { body: wish }),

  listVersions: (id: string, signal?: AbortSignal) =>
    send<{ versions: AgentVersionSummary[] }>('GET', `${agentPath(id)}/versions`, { signal }),
  getVersion: (id: string, revision: number, signal?: AbortSignal) =>
    send<AgentVersionBody>('GET', `${agentPath(id)}/versions/${revision}`, { signal }),
  restoreVersion: (id: string, revision: number, expectedRevision: number | null) =>
    send<AgentDetail>('POST', `${agentPath(id)}/versions/${revision}/restore`, { ifMatch: expectedRevision }),
  getCompiled: (id: string, signal?: AbortSignal) => send<CompiledBody>('GET', `${agentPath(id)}/compiled`, { signal }),

  queryBrain: (id: string, query: BrainQuery, signal?: AbortSignal) =>
    send<BrainBody>('GET', `${agentPath(id)}/brain${brainSearch(query)}`, { signal }),
  createBrainEntry: (id: string, entry: NewBrainEntry) =>
    send<BrainEntry>('POST', `${agentPath(id)}/brain`, { body: entry }),
  updateBrainEntry: (id: string, entryId: string, change: BrainEntryChange) =>
    send<BrainEntry>('PUT', entryPath(id, entryId), { body: change }),
  deleteBrainEntry: (id: string, entryId: string) => send<{ success: true }>('DELETE', entryPath(id, entryId)),
  pinBrainEntry: (id: string, entryId: string, pinned: boolean) =>
    send<BrainEntry>('PATCH', `${entryPath(id, entryId)}/pin`, { body: { pinned } }),

  listTemplates: (signal?: AbortSignal) =>
    send<{ templates: AgentTemplateBody[] }>('GET', '/api/templates', { signal }),
  listTools: (signal?: AbortSignal) => send<{ tools: ToolBody[] }>('GET', '/tools/list', { signal }),
  getConnect: (agentId: string | null, signal?: AbortSignal) =>
    send<ConnectBody>('GET', `/api/connect${agentId ? `?agent=${encodeURIComponent(agentId)}` : ''}`, { signal }),
  getStatus: (signal?: AbortSignal) => send<StatusBody>('GET', '/api/status', { signal }),
  exportAgents: (ids?: readonly string[]) =>
    send<AgentExport>('GET', `/api/export${ids ? `?ids=${ids.map(encodeURIComponent).join(',')}` : ''}`),
  importAgents: (document: unknown, onTakenId: OnTakenId = 'rename') =>
    send<ImportReport>('POST', `/api/import?onTakenId=${onTakenId}`, { body: document }),
};

interface Request {
  body?: unknown;
  /** A revision, or null for any. */
  ifMatch?: number | null;
  /** Made once for what is to happen once: sent again, it happens no second time. */
  idempotencyKey?: string;
  signal?: AbortSignal | undefined;
}

/** One request to the hub; every failure is an ApiError, unless the caller gave up. */
export async function send<T>(method: string, path: string, request: Request = {}): Promise<T> {
  const headers = new Headers({ accept: 'application/json' });
  if (request.body !== undefined || method === 'POST') headers.set('content-type', 'application/json');
  if (request.ifMatch !== undefined) headers.set('if-match', request.ifMatch === null ? '*' : `"${request.ifMatch}"`);
  if (request.idempotencyKey !== undefined) headers.set('idempotency-key', request.idempotencyKey);
  const body = request.body === undefined ? (method === 'POST' ? '{}' : null) : JSON.stringify(request.body);
  let response: Response;
  try {
    response = await fetch(path, { method, headers, body, signal: request.signal ?? null });
  } catch (cause) {
    if (request.signal?.aborted) throw cause;
    throw new ApiError(0, { code: 'unreachable', message: 'The hub does not answer. Is "zoo serve" still running?' });
  }
  const parsed = await readJson(response);
  if (!response.ok) throw new ApiError(response.status, errorIn(parsed, response));
  // The hub's own contract, checked by its tests: the body of each route is the type named beside it above.
  return parsed as T;
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

function errorIn(body: unknown, response: Response): ErrorBody['error'] {
  if (typeof body === 'object' && body !== null && 'error' in body) {
    const { error } = body;
    // Checked as far as this page reads it.
    if (typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string')
      return error as ErrorBody['error'];
  }
  return { code: 'internal_error', message: `The hub answered ${response.status} ${response.statusText}`.trim() };
}

function agentPath(id: string): string {
  return `/api/agents/${encodeURIComponent(id)}`;
}

function entryPath(id: string, entryId: string): string {
  return `${agentPath(id)}/brain/${encodeURIComponent(entryId)}`;
}

function brainSearch(query: BrainQuery): string {
  const search = new URLSearchParams();
  if (query.type) search.set('type', query.type);
  if (query.tags && query.tags.length > 0) search.set('tags', query.tags.join(','));
  if (query.pinned !== undefined) search.set('pinned', String(query.pinned));
  if (query.dateFrom) search.set('dateFrom', query.dateFrom);
  if (query.dateTo) search.set('dateTo', query.dateTo);
  const text = search.toString();
  return text && `?${text}`;
}
