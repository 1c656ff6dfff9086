import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { FoundChat } from '../../src/chats/chats.ts';
import { chatKeys } from './chat-queries.ts';
import { send } from './client.ts';

const mostShown = 20;

/** The newest tests of one tool. They are chats, and are fetched again when a chat changed anywhere. */
export const useToolTests = (agentId: string, tool: string) =>
  useQuery({
    queryKey: [...chatKeys.lists, 'tests', agentId, tool],
    queryFn: async ({ signal }) => {
      const search = new URLSearchParams({ origin: 'test', agentId, tool, limit: String(mostShown) });
      return (await send<{ chats: FoundChat[] }>('GET', `/api/chats?${search}`, { signal })).chats;
    },
    placeholderData: keepPreviousData,
  });
