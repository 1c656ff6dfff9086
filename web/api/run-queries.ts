import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type BodyOf, type QueryOf, request } from './client.ts';

export type RunQuery = Omit<QueryOf<'GET /api/runs'>, 'limit' | 'cursor'>;

const keys = {
  all: ['runs'] as const,
  list: (filter: RunQuery) => ['runs', 'list', filter] as const,
  totals: (filter: RunQuery) => ['runs', 'totals', filter] as const,
  run: (id: string) => ['runs', 'one', id] as const,
  prompt: (id: string, step: number) => ['run-prompt', id, step] as const,
};

/** A run's steps send no events: running ones are polled often, the list occasionally. */
const runningMs = 1_500;
const quietMs = 15_000;

export const useRuns = (filter: RunQuery) =>
  useInfiniteQuery({
    queryKey: keys.list(filter),
    queryFn: ({ signal, pageParam }) =>
      request('GET /api/runs', { query: { ...filter, limit: 50, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.cursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.runs.some((run) => run.status === 'running')) ? runningMs : quietMs,
  });

export const useRunTotals = (filter: RunQuery) =>
  useQuery({
    queryKey: keys.totals(filter),
    queryFn: ({ signal }) => request('GET /api/runs/totals', { query: filter, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: quietMs,
  });

export const useRun = (id: string) =>
  useQuery({
    queryKey: keys.run(id),
    queryFn: ({ signal }) => request('GET /api/runs/{id}', { params: { id }, signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? runningMs : false),
  });

/** What a step sent. It never changes. */
export const useStepPrompt = (id: string, step: number) =>
  useQuery({
    queryKey: keys.prompt(id, step),
    queryFn: ({ signal }) => request('GET /api/runs/{id}/steps/{step}', { params: { id, step: String(step) }, signal }),
    staleTime: 'static',
    gcTime: 60_000,
  });

export function useStartRun() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: BodyOf<'POST /api/runs'>) => request('POST /api/runs', { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.all }),
  });
}

export function useForkRun(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { step?: number; message?: string }) =>
      request('POST /api/runs/{id}/fork', { params: { id }, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.all }),
  });
}
