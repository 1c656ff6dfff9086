import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { chatKeys } from './chat-queries.ts';
import { request } from './client.ts';

const maxShown = 20;

/** The newest tests of one tool. They are chats, and are fetched again when a chat changed anywhere. */
export const useToolTests = (agentId: string, tool: string) =>
  useQuery({
    queryKey: [...chatKeys.lists, 'tests', agentId, tool],
    queryFn: async ({ signal }) => {
      const query = { origin: 'test', agentId, tool, limit: maxShown } as const;
      return (await request('GET /api/chats', { query, signal })).chats;
    },
    placeholderData: keepPreviousData,
  });
