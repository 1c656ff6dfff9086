import type { AgentArgument, KnowledgeQuery } from '../../src/agents/agent.ts';
import type { AgentPrompt } from '../../src/agents/agent-prompt.ts';
import type {
  DocumentBody,
  DocumentListBody,
  KnowledgeBody,
  PrimeBody,
  SearchBody,
  SyncStartedBody,
} from '../../src/http/api-types.ts';
import type { SourceInfo } from '../../src/knowledge/knowledge.ts';
import type { SearchRequest } from '../../src/knowledge/search-request.ts';
import { send } from './client.ts';

export interface NewSource {
  type: 'filesystem' | 'git';
  name: string;
  /** As in config. */
  settings: Record<string, unknown>;
}

export interface DocumentFilter {
  source?: string;
  text?: string;
}

export interface PrimeRequest {
  arguments: AgentArgument[];
  knowledge: KnowledgeQuery[];
  values: Record<string, string>;
}

const pageSize = 100;

export const knowledgeApi = {
  overview: (signal?: AbortSignal) => send<KnowledgeBody>('GET', '/api/knowledge', { signal }),
  addSource: (source: NewSource) => send<SourceInfo>('POST', '/api/knowledge/sources', { body: source }),
  removeSource: (source: string) => send<void>('DELETE', `/api/knowledge/sources/${encodeURIComponent(source)}`),
  sync: (request: { target: string; full?: boolean; allowEmpty?: boolean }) =>
    send<SyncStartedBody>('POST', '/api/knowledge/sync', { body: request }),
  cancelSync: (source: string) => send<void>('POST', '/api/knowledge/sync/cancel', { body: { source } }),
  embed: (rebuild: boolean) => send<void>('POST', '/api/knowledge/embed', { body: rebuild ? { rebuild } : {} }),
  listDocuments: (filter: DocumentFilter, cursor: string | null, signal?: AbortSignal) => {
    const search = new URLSearchParams({ limit: String(pageSize), ...filter, ...(cursor !== null && { cursor }) });
    return send<DocumentListBody>('GET', `/api/knowledge/documents?${search}`, { signal });
  },
  getDocument: (id: string, signal?: AbortSignal) =>
    send<DocumentBody>('GET', `/api/knowledge/documents/${encodeURIComponent(id)}`, { signal }),
  search: (request: SearchRequest, signal?: AbortSignal) =>
    send<SearchBody>('POST', '/api/knowledge/search', { body: request, signal }),
  prime: (request: PrimeRequest, signal?: AbortSignal) =>
    send<PrimeBody>('POST', '/api/knowledge/prime', { body: request, signal }),
  /** What a client would get, built by the agent's own code where it has some. */
  resolvePrompt: (id: string, values: Record<string, string>) =>
    send<{ result: AgentPrompt }>('POST', `/agents/${encodeURIComponent(id)}/prompt`, { body: { arguments: values } }),
};
