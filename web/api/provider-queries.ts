import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ProviderInfo } from '../../src/models/language-models.ts';
import { request } from './client.ts';

const keys = {
  providers: ['providers'] as const,
  list: ['providers', 'list'] as const,
  models: (name: string) => ['providers', 'models', name] as const,
};

export const useProviders = () =>
  useQuery({
    queryKey: keys.list,
    queryFn: async ({ signal }) => (await request('GET /api/providers', { signal })).providers,
  });

/** Asks the provider for its models, which also tests its key. Runs only on the user's request. */
export const useProviderModels = (name: string, isWanted: boolean) =>
  useQuery({
    queryKey: keys.models(name),
    queryFn: async ({ signal }) =>
      (await request('GET /api/providers/{name}/models', { params: { name }, signal })).models,
    enabled: isWanted,
    retry: false,
    staleTime: 5 * 60_000,
  });

/** Stores a key for the address that the user saw; null removes it. */
export function useSetProviderKey({ name, baseUrl }: Pick<ProviderInfo, 'name' | 'baseUrl'>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (key: string | null) =>
      key === null
        ? request('DELETE /api/providers/{name}/key', { params: { name } })
        : request('PUT /api/providers/{name}/key', {
            params: { name },
            body: { key, ...(baseUrl !== null && { baseUrl }) },
          }),
    onSettled: () => {
      client.removeQueries({ queryKey: keys.models(name), type: 'inactive' });
      return client.invalidateQueries({ queryKey: keys.providers });
    },
  });
}
