import {
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { Chat } from '../../src/chats/chat.ts';
import { ApiError, type BodyOf, type QueryOf, request } from './client.ts';

export type ChatChange = BodyOf<'PATCH /api/chats/{id}'>;
export type ChatFilter = Pick<QueryOf<'GET /api/chats'>, 'text' | 'agentId' | 'origin'>;

/** Everything below `chats` is refetched when any chat changes. */
export const chatKeys = {
  chats: ['chats'] as const,
  lists: ['chats', 'list'] as const,
  list: (filter: ChatFilter) => ['chats', 'list', filter] as const,
  ones: ['chats', 'one'] as const,
  one: (id: string) => ['chats', 'one', id] as const,
  approvals: (id: string) => ['chats', 'approvals', id] as const,
  context: (id: string) => ['chats', 'one', id, 'context'] as const,
};

export const useChats = (filter: ChatFilter) =>
  useInfiniteQuery({
    queryKey: chatKeys.list(filter),
    queryFn: ({ signal, pageParam }) => {
      // Later pages are larger, because a change refetches all of them.
      const limit = pageParam === null ? 40 : 200;
      const query = { ...filter, text: filter.text || null, limit, cursor: pageParam };
      return request('GET /api/chats', { query, signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.cursor,
    placeholderData: keepPreviousData,
  });

const chatOptions = (id: string) =>
  queryOptions({
    queryKey: chatKeys.one(id),
    queryFn: ({ signal }) => request('GET /api/chats/{id}', { params: { id }, signal }),
  });

export const useChat = (id: string) => useQuery(chatOptions(id));

/** Returns the chats with these ids, without deleted ones. */
export function useOpenChats(ids: readonly string[]): { id: string; chat: Chat | undefined }[] {
  const found = useQueries({ queries: ids.map(chatOptions) });
  return ids.flatMap((id, index) => {
    const { data: chat, error } = found[index] ?? {};
    return error instanceof ApiError && error.isNotFound ? [] : [{ id, chat }];
  });
}

/** The context for the next message; the hub builds it on each request. */
export const useChatContext = (id: string) =>
  useQuery({
    queryKey: chatKeys.context(id),
    queryFn: ({ signal }) => request('GET /api/chats/{id}/context', { params: { id }, signal }),
    placeholderData: keepPreviousData,
  });

/** The tools that the user approved for the chat. */
export const useChatApprovals = (id: string) =>
  useQuery({
    queryKey: chatKeys.approvals(id),
    queryFn: async ({ signal }) =>
      (await request('GET /api/chats/{id}/approved-tools', { params: { id }, signal })).tools,
  });

export function useRevokeApproval(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (tool: string) => request('DELETE /api/chats/{id}/approved-tools/{tool}', { params: { id, tool } }),
    onSettled: () => client.invalidateQueries({ queryKey: chatKeys.approvals(id) }),
  });
}

export function useCreateChat() {
  const cacheChat = useCacheChat();
  return useMutation({
    mutationFn: (body: BodyOf<'POST /api/chats'>) => request('POST /api/chats', { body }),
    onSuccess: cacheChat,
  });
}

export function useUpdateChat(id: string) {
  const client = useQueryClient();
  const cacheChat = useCacheChat();
  return useMutation({
    mutationFn: (body: ChatChange) => request('PATCH /api/chats/{id}', { params: { id }, body }),
    onSuccess: (chat) => {
      cacheChat(chat);
      void client.invalidateQueries({ queryKey: chatKeys.context(id) });
    },
  });
}

export function useRemoveChat() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => request('DELETE /api/chats/{id}', { params: { id } }),
    onSuccess: (_, id) => {
      client.removeQueries({ queryKey: chatKeys.one(id) });
      void client.invalidateQueries({ queryKey: chatKeys.lists });
    },
  });
}

function useCacheChat() {
  const client = useQueryClient();
  return (chat: Chat) => {
    client.setQueryData(chatKeys.one(chat.id), chat);
    void client.invalidateQueries({ queryKey: chatKeys.lists });
  };
}

const maxToolTests = 20;

/** The newest tests of one tool. Tests are chats, so they are refetched when any chat changes. */
export const useToolTests = (agentId: string, tool: string) =>
  useQuery({
    queryKey: [...chatKeys.lists, 'tests', agentId, tool],
    queryFn: async ({ signal }) => {
      const query = { origin: 'test', agentId, tool, limit: maxToolTests } as const;
      return (await request('GET /api/chats', { query, signal })).chats;
    },
    placeholderData: keepPreviousData,
  });
