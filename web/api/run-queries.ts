import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { StoredRun } from '../../src/engine/run-store.ts';
import { type BodyOf, type QueryOf, request } from './client.ts';
import { type ItemReader, type LoadedPages, useGrowingList } from './growing-list.ts';

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
const totalsMs = 60_000;
const pageSize = { first: 50, last: 200 };

const runReader: ItemReader<StoredRun> = {
  idOf: ({ id }) => id,
  timeOf: ({ startedAt }) => new Date(startedAt).toISOString(),
};
const isRunning = ({ status }: StoredRun) => status === 'running';

/** Runs, newest first. The first page is polled, and reaches down to the last run that is still running. */
export function useRuns(filter: RunQuery) {
  const client = useQueryClient();
  const queryKey = keys.list(filter);
  const { items, ...list } = useGrowingList({
    queryKey,
    reader: runReader,
    fetchPage: async (cursor, signal) => {
      const known = client.getQueryData<LoadedPages<StoredRun>>(queryKey)?.items ?? [];
      const reach = cursor === null ? known.findLastIndex(isRunning) + 1 : 0;
      const limit = Math.min(pageSize.last, Math.max(pageSize.first, reach));
      const page = await request('GET /api/runs', { query: { ...filter, limit, cursor }, signal });
      return { items: page.runs, cursor: page.cursor };
    },
    refetchEvery: (runs) => (runs.some(isRunning) ? runningMs : quietMs),
    keepsPrevious: true,
  });
  return { runs: items, ...list };
}

/** The totals change with the list: when a run begins, and when one ends. */
export function useRunTotals(filter: RunQuery, runs: readonly StoredRun[] | undefined) {
  const query = useQuery({
    queryKey: keys.totals(filter),
    queryFn: ({ signal }) => request('GET /api/runs/totals', { query: filter, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: totalsMs,
  });
  const { refetch } = query;
  const state = `${runs?.[0]?.id} ${runs?.filter(isRunning).length}`;
  const seen = useRef(state);
  useEffect(() => {
    if (seen.current === state) return;
    seen.current = state;
    void refetch();
  }, [state, refetch]);
  return query;
}

export const useRun = (id: string) =>
  useQuery({
    queryKey: keys.run(id),
    queryFn: ({ signal }) => request('GET /api/runs/{id}', { params: { id }, signal }),
    // A run that was stopped may end before the runs that it called.
    refetchInterval: ({ state: { data } }) => (data && [data, ...data.called].some(isRunning) ? runningMs : false),
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
