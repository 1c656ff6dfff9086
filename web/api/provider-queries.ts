import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { providersApi } from './providers.ts';

const keys = {
  providers: ['providers'] as const,
  list: ['providers', 'list'] as const,
  models: (name: string) => ['providers', 'models', name] as const,
};

export const useProviders = () =>
  useQuery({
    queryKey: keys.list,
    queryFn: async ({ signal }) => (await providersApi.list(signal)).providers,
  });

/** Asked for by a person, not by a screen that opens: it goes out to the provider. */
export const useProviderModels = (name: string, isWanted: boolean) =>
  useQuery({
    queryKey: keys.models(name),
    queryFn: async ({ signal }) => (await providersApi.models(name, signal)).models,
    enabled: isWanted,
    retry: false,
    staleTime: 5 * 60_000,
  });

/** Null forgets the stored key. */
export function useSetProviderKey(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (key: string | null) => (key === null ? providersApi.removeKey(name) : providersApi.setKey(name, key)),
    onSettled: () => {
      client.removeQueries({ queryKey: keys.models(name), type: 'inactive' });
      return client.invalidateQueries({ queryKey: keys.providers });
    },
  });
}
