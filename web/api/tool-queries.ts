import { useQuery } from '@tanstack/react-query';
import { request } from './client.ts';
import { keys } from './queries.ts';

/** Every tool with who may call it. Agents and members come and go, so a screen that opens asks again. */
export const useToolDetails = () =>
  useQuery({
    queryKey: [...keys.tools, 'details'],
    queryFn: async ({ signal }) => (await request('GET /api/tools', { signal })).tools,
    staleTime: 5_000,
  });
