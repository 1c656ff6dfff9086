import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ServerInfo } from '../../src/servers/servers.ts';
import { type BodyOf, type ReplyOf, request } from './client.ts';
import { settleDeletion } from './pending-deletions.ts';
import { keys as appKeys } from './queries.ts';

type ServerInput = BodyOf<'POST /api/servers'>;
type ServerList = ReplyOf<'GET /api/servers'>;
/** The user's settings for one tool; null follows the server and the tool's definition. */
export type ToolChange = BodyOf<'PATCH /api/servers/{name}/tools/{tool}'>;
export type ServerAction = 'connect' | 'disconnect' | 'reconnect' | 'sign-out';

export const serverKeys = {
  servers: ['servers'] as const,
  list: ['servers', 'list'] as const,
  ones: ['servers', 'one'] as const,
  one: (name: string) => ['servers', 'one', name] as const,
  log: (name: string) => ['servers', 'log', name] as const,
};

export const useServers = () =>
  useQuery({ queryKey: serverKeys.list, queryFn: ({ signal }) => request('GET /api/servers', { signal }) });

export const useServer = (name: string) =>
  useQuery({
    queryKey: serverKeys.one(name),
    queryFn: ({ signal }) => request('GET /api/servers/{name}', { params: { name }, signal }),
  });

export const useServerLog = (name: string) =>
  useQuery({
    queryKey: serverKeys.log(name),
    queryFn: ({ signal }) => request('GET /api/servers/{name}/log', { params: { name }, signal }),
  });

export function useAddServer() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: ServerInput) => {
      await settleDeletion(`server/${body.name}`);
      return request('POST /api/servers', { body });
    },
    onSuccess: (server) => cacheServer(client, server),
    onSettled: () => refresh(client),
  });
}

/** Fails with an ApiError with `isConflict` if another save came first. */
export function useUpdateServer(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: BodyOf<'PUT /api/servers/{name}'>) =>
      request('PUT /api/servers/{name}', { params: { name }, body }),
    onSuccess: (server) => cacheServer(client, server),
    onSettled: () => refresh(client),
  });
}

export function useRemoveServer() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => request('DELETE /api/servers/{name}', { params: { name } }),
    onSuccess: (_, name) =>
      client.setQueryData<ServerList>(
        serverKeys.list,
        (body) => body && { servers: body.servers.filter((server) => server.name !== name) },
      ),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: appKeys.tools });
      return client.invalidateQueries({ queryKey: serverKeys.list });
    },
  });
}

/** Connects and lists the tools without saving the server. */
export function useTestServer() {
  return useMutation({
    mutationFn: ({ signal, ...body }: ServerInput & { signal: AbortSignal }) =>
      request('POST /api/servers/test', { body, signal }),
  });
}

export function useServerAction(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (action: ServerAction) => request(`POST /api/servers/{name}/${action}`, { params: { name } }),
    onSuccess: (server) => cacheServer(client, server),
    // A failed connection also changes the state.
    onSettled: () => refresh(client),
  });
}

export function useSignIn(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('POST /api/servers/{name}/sign-in', { params: { name } }),
    onSettled: () => refresh(client),
  });
}

/** Accepts the definitions with the hash the user saw. Fails with an ApiError with `isConflict` if they have changed since. */
export function useAcceptTools(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (tools: { tool: string; hash?: string }[]) =>
      request('POST /api/servers/{name}/accept', { params: { name }, body: { tools } }),
    onSuccess: (server) => cacheServer(client, server),
    onSettled: () => refresh(client),
  });
}

export function useSetServerTool(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ tool, change }: { tool: string; change: ToolChange }) =>
      request('PATCH /api/servers/{name}/tools/{tool}', { params: { name, tool }, body: change }),
    onSuccess: (server) => cacheServer(client, server),
    onSettled: () => refresh(client),
  });
}

/** Caches the hub's reply for both screens. */
function cacheServer(client: QueryClient, server: ServerInfo): void {
  client.setQueryData(serverKeys.one(server.name), server);
  client.setQueryData<ServerList>(
    serverKeys.list,
    (body) => body && { servers: body.servers.map((each) => (each.name === server.name ? server : each)) },
  );
}

function refresh(client: QueryClient): Promise<void> {
  void client.invalidateQueries({ queryKey: appKeys.tools });
  return client.invalidateQueries({ queryKey: serverKeys.servers });
}
