import {
  keepPreviousData,
  QueryClient,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { AgentInput } from '../../src/agents/agent.ts';
import type { AgentDetail } from '../../src/agents/agents.contract.ts';
import type { OnTakenId } from '../../src/agents/transfer-agents.ts';
import type { BrainEntryChange, BrainQuery, NewBrainEntry } from '../../src/brain/brain.ts';
import { ApiError, type BodyOf, request } from './client.ts';

/** A tree of keys: invalidating a prefix refetches everything below it. */
export const keys = {
  agents: ['agents'] as const,
  /** Refetched with the agents. */
  deletedAgents: ['agents', 'deleted'] as const,
  agent: (id: string) => ['agent', id] as const,
  agentDetail: (id: string) => ['agent', id, 'detail'] as const,
  compiled: (id: string) => ['agent', id, 'compiled'] as const,
  versions: (id: string) => ['agent', id, 'versions'] as const,
  version: (id: string, revision: number) => ['agent', id, 'versions', revision] as const,
  grants: (id: string) => ['agent', id, 'approvals'] as const,
  brain: (id: string) => ['agent', id, 'brain'] as const,
  context: ['context'] as const,
  workspaces: ['workspaces'] as const,
  offer: ['offer'] as const,
  templates: ['templates'] as const,
  tools: ['tools'] as const,
  connect: ['connect'] as const,
  status: ['status'] as const,
  /** Everything a sync can change. */
  knowledge: ['knowledge'] as const,
  knowledgeOverview: ['knowledge', 'overview'] as const,
  documents: ['knowledge', 'documents'] as const,
  document: (id: string) => ['knowledge', 'document', id] as const,
  knowledgeSearch: ['knowledge', 'search'] as const,
  priming: ['knowledge', 'prime'] as const,
  /** Set by live events, never fetched. */
  embeddingNews: ['embedding news'] as const,
};

/** The hub may be on this machine, so it is asked even while the browser has no network. By default, requests would wait. */
const networkMode = 'always';

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      mutations: { networkMode },
      queries: {
        networkMode,
        // The default is not to, in this mode: what failed without the network would stay so.
        refetchOnReconnect: true,
        // Live events invalidate changed data; this covers a lost connection.
        staleTime: 30_000,
        retry: (failures, error) =>
          failures < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
        retryDelay: (attempt) => 400 * 2 ** attempt,
      },
    },
  });
}

const agentDetailOptions = (id: string) =>
  queryOptions({
    queryKey: keys.agentDetail(id),
    queryFn: ({ signal }) => request('GET /api/agents/{id}', { params: { id }, signal }),
    // Empty while no agent is selected.
    enabled: id !== '',
  });

export const useAgents = () =>
  useQuery({ queryKey: keys.agents, queryFn: ({ signal }) => request('GET /api/agents', { signal }) });
/** The agents that can be restored, the last deleted first. */
export const useDeletedAgents = () =>
  useQuery({
    queryKey: keys.deletedAgents,
    queryFn: async ({ signal }) => (await request('GET /api/deleted-agents', { signal })).agents,
  });
export const useAgent = (id: string) => useQuery(agentDetailOptions(id));
export const useTemplates = () =>
  useQuery({
    queryKey: keys.templates,
    queryFn: async ({ signal }) => (await request('GET /api/templates', { signal })).templates,
    staleTime: Number.POSITIVE_INFINITY,
  });
export const useTools = () =>
  useQuery({
    queryKey: keys.tools,
    queryFn: async ({ signal }) => (await request('GET /tools/list', { signal })).tools,
  });
export const useConnect = (agentId: string | null) =>
  useQuery({
    queryKey: [...keys.connect, agentId],
    queryFn: ({ signal }) => request('GET /api/connect', { query: { agent: agentId }, signal }),
    placeholderData: keepPreviousData,
  });
export const useStatus = () =>
  useQuery({ queryKey: keys.status, queryFn: ({ signal }) => request('GET /api/status', { signal }) });
/** The versions of an agent, newest first. */
export const useVersions = (id: string) =>
  useInfiniteQuery({
    queryKey: keys.versions(id),
    queryFn: async ({ signal, pageParam: before }) => {
      const query = { before, limit: before === null ? 100 : 1_000 };
      return (await request('GET /api/agents/{id}/versions', { params: { id }, query, signal })).versions;
    },
    initialPageParam: null as number | null,
    getNextPageParam: (last) => {
      const oldest = last.at(-1)?.revision ?? 1;
      return oldest > 1 ? oldest : null;
    },
    select: ({ pages }) => pages.flat(),
  });
export const useGrants = (id: string) =>
  useQuery({
    queryKey: keys.grants(id),
    // A chat in another tab may have added one.
    staleTime: 0,
    queryFn: async ({ signal }) =>
      (await request('GET /api/agents/{id}/approvals', { params: { id }, signal })).approvals,
  });

export function useRemoveGrant(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (tool: string) => request('DELETE /api/agents/{id}/approvals/{tool}', { params: { id, tool } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.grants(id) }),
  });
}

export const useVersion = (id: string, revision: number | null) =>
  useQuery({
    queryKey: keys.version(id, revision ?? -1),
    queryFn: ({ signal }) =>
      request('GET /api/agents/{id}/versions/{revision}', { params: { id, revision: String(revision ?? -1) }, signal }),
    enabled: revision !== null,
    // A version never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
export const useBrain = (id: string, query: BrainQuery) =>
  useQuery({
    queryKey: [...keys.brain(id), query],
    queryFn: async ({ signal }) => {
      const { tags, pinned, ...rest } = query;
      const search = { ...rest, tags: tags?.join(',') || null, pinned };
      return (await request('GET /api/agents/{id}/brain', { params: { id }, query: search, signal })).entries;
    },
    placeholderData: keepPreviousData,
  });

/** Caches the hub's reply and refetches data derived from it. */
function useCacheDetail() {
  const client = useQueryClient();
  return (detail: AgentDetail) => {
    client.setQueryData(keys.agentDetail(detail.id), detail);
    void client.invalidateQueries({ queryKey: keys.agents });
    void client.invalidateQueries({ queryKey: keys.status });
    void client.invalidateQueries({ queryKey: keys.versions(detail.id), exact: true });
    void client.invalidateQueries({ queryKey: keys.compiled(detail.id) });
  };
}

export function useCreateAgent() {
  return useMutation({
    mutationFn: (body: AgentInput) => request('POST /api/agents', { body }),
    onSuccess: useCacheDetail(),
  });
}

/** Fails with an ApiError with `isConflict` if another save came first. */
export function useUpdateAgent(id: string) {
  return useMutation({
    mutationFn: (save: { input: AgentInput; revision: number | null }) =>
      request('PUT /api/agents/{id}', { params: { id }, body: save.input, ifMatch: save.revision }),
    onSuccess: useCacheDetail(),
  });
}

export function useDeleteAgent() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => request('DELETE /api/agents/{id}', { params: { id } }),
    onSuccess: (_, id) => {
      client.removeQueries({ queryKey: keys.agentDetail(id) });
      void client.invalidateQueries({ queryKey: keys.agents });
      void client.invalidateQueries({ queryKey: keys.status });
    },
  });
}

export function useUndeleteAgent() {
  return useMutation({
    mutationFn: (id: string) => request('POST /api/agents/{id}/undelete', { params: { id } }),
    onSuccess: useCacheDetail(),
  });
}

export function useCloneAgent() {
  return useMutation({
    mutationFn: ({ id, name, newId }: { id: string; name?: string; newId?: string }) => {
      const body = { ...(name && { name }), ...(newId && { id: newId }) };
      return request('POST /api/agents/{id}/clone', { params: { id }, body });
    },
    onSuccess: useCacheDetail(),
  });
}

export function useRestoreVersion(id: string) {
  return useMutation({
    mutationFn: ({ revision, expectedRevision }: { revision: number; expectedRevision: number | null }) => {
      const params = { id, revision: String(revision) };
      return request('POST /api/agents/{id}/versions/{revision}/restore', { params, ifMatch: expectedRevision });
    },
    onSuccess: useCacheDetail(),
  });
}

export function useImportAgents() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ document, onTakenId }: { document: unknown; onTakenId?: OnTakenId }) =>
      // Not checked here: the hub validates the file.
      request('POST /api/import', { query: { onTakenId }, body: document as BodyOf<'POST /api/import'> }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.agents }),
  });
}

/** The default agents of folders. */
export const useWorkspaces = () =>
  useQuery({ queryKey: keys.workspaces, queryFn: ({ signal }) => request('GET /api/workspaces', { signal }) });

export function useSetWorkspace() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: BodyOf<'PUT /api/workspaces'>) => request('PUT /api/workspaces', { body }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.workspaces }),
  });
}

export function useClearWorkspace() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (folder: string) => request('DELETE /api/workspaces', { query: { folder } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.workspaces }),
  });
}

export type ContextRequest = BodyOf<'POST /api/agents/context'>;

export const useContextPreview = (body: ContextRequest | null) =>
  useQuery({
    queryKey: [...keys.context, body],
    queryFn: ({ signal }) => request('POST /api/agents/context', { body: body ?? { id: 'none' }, signal }),
    enabled: body !== null,
    placeholderData: keepPreviousData,
  });

/** The agents of AgentZoo on the hub's machine, until they are imported or declined. */
export const useAgentZooOffer = () =>
  useQuery({
    queryKey: keys.offer,
    queryFn: async ({ signal }) => (await request('GET /api/import/offer', { signal })).offer,
    staleTime: Number.POSITIVE_INFINITY,
  });

export function useAcceptOffer() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('POST /api/import/offer', {}),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.agents }),
        client.invalidateQueries({ queryKey: keys.offer }),
      ]),
  });
}

export function useDeclineOffer() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('DELETE /api/import/offer', {}),
    onSettled: () => client.invalidateQueries({ queryKey: keys.offer }),
  });
}

export function useCreateBrainEntry(id: string) {
  return useMutation({
    mutationFn: (body: NewBrainEntry) => request('POST /api/agents/{id}/brain', { params: { id }, body }),
    onSettled: useRefreshBrain(id),
  });
}

export function useUpdateBrainEntry(id: string) {
  return useMutation({
    mutationFn: ({ entryId, change }: { entryId: string; change: BrainEntryChange }) =>
      request('PUT /api/agents/{id}/brain/{entryId}', { params: { id, entryId }, body: change }),
    onSettled: useRefreshBrain(id),
  });
}

export function useDeleteBrainEntry(id: string) {
  return useMutation({
    mutationFn: (entryId: string) => request('DELETE /api/agents/{id}/brain/{entryId}', { params: { id, entryId } }),
    onSettled: useRefreshBrain(id),
  });
}

export function usePinBrainEntry(id: string) {
  return useMutation({
    mutationFn: ({ entryId, pinned }: { entryId: string; pinned: boolean }) =>
      request('PATCH /api/agents/{id}/brain/{entryId}/pin', { params: { id, entryId }, body: { pinned } }),
    onSettled: useRefreshBrain(id),
  });
}

function useRefreshBrain(id: string) {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: keys.brain(id) });
}
