import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type BodyOf, request } from './client.ts';
import { settleDeletion } from './pending-deletions.ts';
import { providerKeys } from './provider-queries.ts';

export const settingsKeys = {
  all: ['settings'] as const,
  settings: ['settings', 'values'] as const,
  folders: ['settings', 'folders'] as const,
};

export type SettingsChange =
  | BodyOf<'POST /api/settings/preview'>['change']
  | BodyOf<'POST /api/models/preview'>['change'];
type ModelChange = BodyOf<'POST /api/models/preview'>['change'];

function isModelChange(change: SettingsChange): change is ModelChange {
  return ['provider', 'price', 'default', 'embeddings'].includes(change.kind);
}

export const useSettings = () =>
  useQuery({ queryKey: settingsKeys.settings, queryFn: ({ signal }) => request('GET /api/settings', { signal }) });

/** Whether the change removes a webhook, a peer or a provider. */
function isRemoval(change: SettingsChange): boolean {
  return (
    (change.kind === 'webhook' && change.webhook === null) ||
    (change.kind === 'peer' && change.peer === null) ||
    (change.kind === 'provider' && change.provider === null)
  );
}

/** Carries out a removal that waits for its notice to close, so that something new can have the name. */
async function settleRemoval(change: SettingsChange): Promise<void> {
  if ('name' in change && !isRemoval(change)) await settleDeletion(`${change.kind}/${change.name}`);
}

/** Shows where a change would go, without making it. */
export const usePreviewSettings = () =>
  useMutation({
    mutationFn: async (change: SettingsChange) => {
      await settleRemoval(change);
      return isModelChange(change)
        ? request('POST /api/models/preview', { body: { change } })
        : request('POST /api/settings/preview', { body: { change } });
    },
    gcTime: 0,
  });

export function useApplySettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ change, hash: seen }: { change: SettingsChange; hash: string | null }) => {
      const hash = seen === null ? {} : { hash: seen };
      const keepalive = isRemoval(change);
      return isModelChange(change)
        ? request('POST /api/models', { body: { change, ...hash }, keepalive })
        : request('POST /api/settings', { body: { change, ...hash }, keepalive });
    },
    onSettled: (_applied, _error, { change }) => {
      void client.invalidateQueries({ queryKey: providerKeys.providers });
      void client.invalidateQueries({ queryKey: ['team-permissions'] });
      const reloaded = client.invalidateQueries({ queryKey: settingsKeys.all });
      // A removed item stays hidden until lists no longer contain it.
      return isRemoval(change) ? reloaded : undefined;
    },
    gcTime: 0,
  });
}

export const useTestWebhook = () =>
  useMutation({
    mutationFn: (name: string) => request('POST /api/settings/webhooks/{name}/test', { params: { name } }),
  });

export const useTestPeer = () =>
  useMutation({
    mutationFn: (name: string) => request('POST /api/settings/peers/{name}/test', { params: { name } }),
  });

export const useFolders = () =>
  useQuery({
    queryKey: settingsKeys.folders,
    queryFn: async ({ signal }) => (await request('GET /api/trust', { signal })).folders,
  });

/** Lists the folders in a folder on the hub's machine; without a path, in the home folder. */
export const useFolderList = (path: string | undefined) =>
  useQuery({
    queryKey: ['folder-list', path ?? ''],
    queryFn: ({ signal }) => request('GET /api/folders', { query: { ...(path !== undefined && { path }) }, signal }),
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  });

export const useInspectFolder = () =>
  useMutation({ mutationFn: (folder: string) => request('GET /api/trust/folder', { query: { folder } }) });

/** What a folder's config may do. Refetched only on demand, so that nobody trusts what changed while they read. */
export const useFolder = (folder: string) =>
  useQuery({
    queryKey: ['trust-folder', folder],
    queryFn: ({ signal }) => request('GET /api/trust/folder', { query: { folder }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

export function useTrustFolder() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: BodyOf<'POST /api/trust'>) => request('POST /api/trust', { body }),
    onSettled: () => client.invalidateQueries({ queryKey: settingsKeys.all }),
  });
}

export function useUntrustFolder() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (folder: string) => request('DELETE /api/trust', { query: { folder } }),
    onSettled: () => client.invalidateQueries({ queryKey: settingsKeys.all }),
  });
}
