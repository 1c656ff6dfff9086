import { useQuery } from '@tanstack/react-query';
import { keys } from './queries.ts';
import { toolsApi } from './tools.ts';

/** Every tool with who may call it. Agents and members come and go, so a screen that opens asks again. */
export const useToolDetails = () =>
  useQuery({
    queryKey: [...keys.tools, 'details'],
    queryFn: async ({ signal }) => (await toolsApi.list(signal)).tools,
    staleTime: 5_000,
  });
