import {
  keepPreviousData,
  QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { AgentInput } from '../../src/agents/agent.ts';
import type { BrainEntryChange, BrainQuery, NewBrainEntry } from '../../src/agents/brain.ts';
import type { OnTakenId } from '../../src/agents/transfer-agents.ts';
import type { AgentDetail } from '../../src/http/api-types.ts';
import { ApiError, api } from './client.ts';

/** One tree of keys: invalidating a prefix refreshes all below it. */
export const keys = {
  agents: ['agents'] as const,
  agent: (id: string) => ['agent', id] as const,
  agentDetail: (id: string) => ['agent', id, 'detail'] as const,
  compiled: (id: string) => ['agent', id, 'compiled'] as const,
  versions: (id: string) => ['agent', id, 'versions'] as const,
  version: (id: string, revision: number) => ['agent', id, 'versions', revision] as const,
  brain: (id: string) => ['agent', id, 'brain'] as const,
  templates: ['templates'] as const,
  tools: ['tools'] as const,
  connect: ['connect'] as const,
  status: ['status'] as const,
  /** Everything that another sync could change. */
  knowledge: ['knowledge'] as const,
  knowledgeOverview: ['knowledge', 'overview'] as const,
  documents: ['knowledge', 'documents'] as const,
  document: (id: string) => ['knowledge', 'document', id] as const,
  knowledgeSearch: ['knowledge', 'search'] as const,
  priming: ['knowledge', 'prime'] as const,
  /** Told by the hub, never asked for. */
  embeddingNews: ['embedding news'] as const,
};

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // Live events say when something is old; this only covers a lost connection.
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
    queryFn: ({ signal }) => api.getAgent(id, signal),
    // Empty: none is chosen yet.
    enabled: id !== '',
  });

export const useAgents = () => useQuery({ queryKey: keys.agents, queryFn: ({ signal }) => api.listAgents(signal) });
export const useAgent = (id: string) => useQuery(agentDetailOptions(id));
export const useTemplates = () =>
  useQuery({
    queryKey: keys.templates,
    queryFn: async ({ signal }) => (await api.listTemplates(signal)).templates,
    staleTime: Number.POSITIVE_INFINITY,
  });
export const useTools = () =>
  useQuery({ queryKey: keys.tools, queryFn: async ({ signal }) => (await api.listTools(signal)).tools });
export const useConnect = (agentId: string | null) =>
  useQuery({
    queryKey: [...keys.connect, agentId],
    queryFn: ({ signal }) => api.getConnect(agentId, signal),
    placeholderData: keepPreviousData,
  });
export const useStatus = () => useQuery({ queryKey: keys.status, queryFn: ({ signal }) => api.getStatus(signal) });
export const useVersions = (id: string) =>
  useQuery({
    queryKey: keys.versions(id),
    queryFn: async ({ signal }) => (await api.listVersions(id, signal)).versions,
  });
export const useVersion = (id: string, revision: number | null) =>
  useQuery({
    queryKey: keys.version(id, revision ?? -1),
    queryFn: ({ signal }) => api.getVersion(id, revision ?? -1, signal),
    enabled: revision !== null,
    // A version never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
export const useBrain = (id: string, query: BrainQuery) =>
  useQuery({
    queryKey: [...keys.brain(id), query],
    queryFn: async ({ signal }) => (await api.queryBrain(id, query, signal)).entries,
    placeholderData: keepPreviousData,
  });

/** Puts the hub's answer into the cache and refreshes what was made from it. */
function useTakeDetail() {
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
  return useMutation({ mutationFn: (input: AgentInput) => api.createAgent(input), onSuccess: useTakeDetail() });
}

/** Fails with an ApiError whose `isConflict` is true when somebody saved in between. */
export function useUpdateAgent(id: string) {
  return useMutation({
    mutationFn: (save: { input: AgentInput; revision: number | null }) =>
      api.updateAgent(id, save.input, save.revision),
    onSuccess: useTakeDetail(),
  });
}

export function useDeleteAgent() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.deleteAgent(id),
    onSuccess: (_, id) => {
      client.removeQueries({ queryKey: keys.agentDetail(id) });
      void client.invalidateQueries({ queryKey: keys.agents });
      void client.invalidateQueries({ queryKey: keys.status });
    },
  });
}

export function useUndeleteAgent() {
  return useMutation({ mutationFn: (id: string) => api.undeleteAgent(id), onSuccess: useTakeDetail() });
}

export function useCloneAgent() {
  return useMutation({
    mutationFn: (clone: { id: string; name?: string; newId?: string }) =>
      api.cloneAgent(clone.id, { ...(clone.name && { name: clone.name }), ...(clone.newId && { id: clone.newId }) }),
    onSuccess: useTakeDetail(),
  });
}

export function useRestoreVersion(id: string) {
  return useMutation({
    mutationFn: (choice: { revision: number; expectedRevision: number | null }) =>
      api.restoreVersion(id, choice.revision, choice.expectedRevision),
    onSuccess: useTakeDetail(),
  });
}

export function useImportAgents() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (file: { document: unknown; onTakenId?: OnTakenId }) => api.importAgents(file.document, file.onTakenId),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.agents }),
  });
}

export function useCreateBrainEntry(id: string) {
  return useMutation({
    mutationFn: (entry: NewBrainEntry) => api.createBrainEntry(id, entry),
    onSettled: useRefreshBrain(id),
  });
}

export function useUpdateBrainEntry(id: string) {
  return useMutation({
    mutationFn: (edit: { entryId: string; change: BrainEntryChange }) =>
      api.updateBrainEntry(id, edit.entryId, edit.change),
    onSettled: useRefreshBrain(id),
  });
}

export function useDeleteBrainEntry(id: string) {
  return useMutation({
    mutationFn: (entryId: string) => api.deleteBrainEntry(id, entryId),
    onSettled: useRefreshBrain(id),
  });
}

export function usePinBrainEntry(id: string) {
  return useMutation({
    mutationFn: (pin: { entryId: string; pinned: boolean }) => api.pinBrainEntry(id, pin.entryId, pin.pinned),
    onSettled: useRefreshBrain(id),
  });
}

function useRefreshBrain(id: string) {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: keys.brain(id) });
}
