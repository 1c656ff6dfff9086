import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ProviderConnection, ProviderTrial } from '../../src/models/language-models.ts';
import { type BodyOf, request } from './client.ts';
import { settleDeletion } from './pending-deletions.ts';

export const providerKeys = {
  providers: ['providers'] as const,
  list: ['providers', 'list'] as const,
  models: (name: string) => ['providers', 'models', name] as const,
  defaultModel: ['providers', 'default'] as const,
  embeddings: ['providers', 'embeddings'] as const,
  facts: ['model-facts'] as const,
};

export const useProviders = () =>
  useQuery({
    queryKey: providerKeys.list,
    queryFn: async ({ signal }) => (await request('GET /api/providers', { signal })).providers,
  });

/** Asks the provider for its models, which also tests its key. Runs only on the user's request. */
export const useProviderModels = (name: string, isWanted: boolean) => useQuery(modelsOf(name, isWanted));

/** Returns a function that asks a provider for its models, unless it replied a short while ago. */
export function useAskForModels() {
  const client = useQueryClient();
  return (name: string) => client.fetchQuery(modelsOf(name, true));
}

/** Asks several providers at once. */
export const useModelsOf = (names: readonly string[], isWanted: boolean) =>
  useQueries({ queries: names.map((name) => modelsOf(name, isWanted)) });

function modelsOf(name: string, isWanted: boolean) {
  return {
    queryKey: providerKeys.models(name),
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      request('GET /api/providers/{name}/models', { params: { name }, signal, mayTakeLong: true }),
    enabled: isWanted,
    retry: false,
    staleTime: 5 * 60_000,
  };
}

/** Prices and context sizes. They change only with a new version of the hub. */
export const useModelFacts = (isWanted: boolean) =>
  useQuery({
    queryKey: providerKeys.facts,
    queryFn: ({ signal }) => request('GET /api/models/facts', { signal }),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const useDefaultModel = () =>
  useQuery({
    queryKey: providerKeys.defaultModel,
    queryFn: ({ signal }) => request('GET /api/models/default', { signal }),
  });

/** Chooses the default model of a hub whose config file sets none. */
export function useSetDefaultModel() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: BodyOf<'PUT /api/models/default'>) => request('PUT /api/models/default', { body }),
    onSuccess: (saved) => client.setQueryData(providerKeys.defaultModel, saved),
    onError: () => client.invalidateQueries({ queryKey: providerKeys.defaultModel }),
  });
}

export const useEmbeddings = () =>
  useQuery({
    queryKey: providerKeys.embeddings,
    queryFn: ({ signal }) => request('GET /api/models/embeddings', { signal }),
  });

/** Asks the model to embed a short text before it is chosen. For a hub whose config file sets no embeddings. */
export function useChooseEmbeddings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: BodyOf<'PUT /api/models/embeddings'>) => request('PUT /api/models/embeddings', { body }),
    onSuccess: (saved) => client.setQueryData(providerKeys.embeddings, saved),
    onError: () => client.invalidateQueries({ queryKey: providerKeys.embeddings }),
  });
}

export function useRemoveProviderKey() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (name: string) => request('DELETE /api/providers/{name}/key', { params: { name } }),
    onSettled: (_removed, _error, name) => refresh(name),
  });
}

export function useRemoveProvider() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (name: string) => request('DELETE /api/providers/{name}', { params: { name } }),
    onSettled: (_removed, _error, name) => refresh(name),
  });
}

/** Asks the provider for its models, and one of them for a short answer. */
export function useTestProvider() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ name, model }: { name: string; model?: string | undefined }) =>
      request('POST /api/providers/{name}/test', { params: { name }, body: model === undefined ? {} : { model } }),
    onSettled: (_tested, _error, { name }) => refresh(name),
  });
}

/** What to try: a provider or a key that is not saved yet, or the provider as it is. */
export type ProviderChange = { name: string; trial: ProviderTrial | null };

/** Asks a provider for its models. What was entered is saved once it answers. */
export function useConnectProvider() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async ({ name, trial }: ProviderChange): Promise<ProviderConnection> => {
      const params = { name };
      if (trial?.kind === 'provider') await settleDeletion(`provider/${name}`);
      if (trial) return request('POST /api/providers/{name}/connect', { params, body: { trial } });
      const tested = await request('POST /api/providers/{name}/test', { params, body: { model: null } });
      return { ...tested, isSaved: true };
    },
    onSettled: (_tested, _error, { name }) => refresh(name),
  });
}

/** Saves what was entered without asking the provider. */
export function useSaveTrial() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ name, trial }: { name: string; trial: ProviderTrial }) => {
      const params = { name };
      if (trial.kind === 'provider') return request('PUT /api/providers/{name}', { params, body: trial.input });
      const { key, baseUrl } = trial;
      return request('PUT /api/providers/{name}/key', { params, body: { key, ...(baseUrl && { baseUrl }) } });
    },
    onSettled: (_saved, _error, { name }) => refresh(name),
  });
}

function useRefresh() {
  const client = useQueryClient();
  return (name: string) => {
    client.removeQueries({ queryKey: providerKeys.models(name), type: 'inactive' });
    return client.invalidateQueries({ queryKey: providerKeys.providers });
  };
}
