import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ServerBody, ServerInputBody, ServerListBody } from '../../src/http/server-types.ts';
import { keys as appKeys } from './queries.ts';
import { type AcceptedTool, type ServerAction, serversApi, type ToolChange } from './servers.ts';

export const serverKeys = {
  servers: ['servers'] as const,
  list: ['servers', 'list'] as const,
  one: (name: string) => ['servers', 'one', name] as const,
  log: (name: string) => ['servers', 'log', name] as const,
};

export const useServers = () =>
  useQuery({ queryKey: serverKeys.list, queryFn: ({ signal }) => serversApi.list(signal) });

export const useServer = (name: string) =>
  useQuery({ queryKey: serverKeys.one(name), queryFn: ({ signal }) => serversApi.get(name, signal) });

export const useServerLog = (name: string) =>
  useQuery({ queryKey: serverKeys.log(name), queryFn: ({ signal }) => serversApi.log(name, signal) });

export function useAddServer() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: ServerInputBody) => serversApi.add(input),
    onSuccess: (server) => takeServer(client, server),
    onSettled: () => refresh(client),
  });
}

/** Fails with an ApiError whose `isConflict` is true when somebody saved in between. */
export function useUpdateServer(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (save: { definition: unknown; revision: number | null }) => serversApi.update(name, save),
    onSuccess: (server) => takeServer(client, server),
    onSettled: () => refresh(client),
  });
}

export function useRemoveServer() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => serversApi.remove(name),
    onSuccess: (_, name) =>
      client.setQueryData<ServerListBody>(
        serverKeys.list,
        (body) => body && { servers: body.servers.filter((server) => server.name !== name) },
      ),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: appKeys.tools });
      return client.invalidateQueries({ queryKey: serverKeys.list });
    },
  });
}

/** Connects and lists, and keeps nothing. */
export function useTestServer() {
  return useMutation({
    mutationFn: ({ signal, ...input }: ServerInputBody & { signal: AbortSignal }) => serversApi.test(input, signal),
  });
}

export function useServerAction(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (action: ServerAction) => serversApi.act(name, action),
    onSuccess: (server) => takeServer(client, server),
    // A connection that failed changed the state, too.
    onSettled: () => refresh(client),
  });
}

export function useSignIn(name: string) {
  const client = useQueryClient();
  return useMutation({ mutationFn: () => serversApi.signIn(name), onSettled: () => refresh(client) });
}

/** Fails with an ApiError whose `isConflict` is true when the server proposes something else by now. */
export function useAcceptTools(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (tools: readonly AcceptedTool[]) => serversApi.accept(name, tools),
    onSuccess: (server) => takeServer(client, server),
    onSettled: () => refresh(client),
  });
}

export function useSetServerTool(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ tool, change }: { tool: string; change: ToolChange }) => serversApi.setTool(name, tool, change),
    onSuccess: (server) => takeServer(client, server),
    onSettled: () => refresh(client),
  });
}

/** Puts the hub's answer where both screens read it. */
function takeServer(client: QueryClient, server: ServerBody): void {
  client.setQueryData(serverKeys.one(server.name), server);
  client.setQueryData<ServerListBody>(
    serverKeys.list,
    (body) => body && { servers: body.servers.map((each) => (each.name === server.name ? server : each)) },
  );
}

function refresh(client: QueryClient): Promise<void> {
  void client.invalidateQueries({ queryKey: appKeys.tools });
  return client.invalidateQueries({ queryKey: serverKeys.servers });
}
