import { useQuery } from '@tanstack/react-query';
import { request } from './client.ts';
import { keys } from './queries.ts';

/** Every tool with its allowed callers. Refetched when a screen opens, because agents and members change. */
export const useToolDetails = () =>
  useQuery({
    queryKey: [...keys.tools, 'details'],
    queryFn: async ({ signal }) => (await request('GET /api/tools', { signal })).tools,
    staleTime: 5_000,
  });
