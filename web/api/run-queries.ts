import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { request } from './client.ts';

const keys = {
  list: (agentId: string | undefined) => ['runs', 'list', agentId ?? null] as const,
  run: (id: string) => ['runs', 'one', id] as const,
};

/** A run's steps send no events: running ones are polled often, the list occasionally. */
const runningMs = 1_500;
const quietMs = 15_000;

export const useRuns = (agentId: string | undefined) =>
  useInfiniteQuery({
    queryKey: keys.list(agentId),
    queryFn: ({ signal, pageParam }) =>
      request('GET /api/runs', { query: { agent: agentId, limit: 50, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.cursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.runs.some((run) => run.status === 'running')) ? runningMs : quietMs,
  });

export const useRun = (id: string) =>
  useQuery({
    queryKey: keys.run(id),
    queryFn: ({ signal }) => request('GET /api/runs/{id}', { params: { id }, signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? runningMs : false),
  });
