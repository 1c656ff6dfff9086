import { keepPreviousData, type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Budget } from '../../src/usage/budgets.ts';
import { type QueryOf, request, urlOf } from './client.ts';
import { inboxKeys } from './inbox-queries.ts';

export type UsageRequest = QueryOf<'GET /api/usage'>;

const keys = { report: ['usage', 'report'] as const, budgets: ['usage', 'budgets'] as const };
const quietMs = 15_000;

export const useUsage = (query: UsageRequest) =>
  useQuery({
    queryKey: [...keys.report, query],
    // With its range: while the next report loads, the previous one is still drawn.
    queryFn: async ({ signal }) => {
      const { since, until } = query;
      return { since, until, report: await request('GET /api/usage', { query, signal }) };
    },
    placeholderData: keepPreviousData,
    refetchInterval: quietMs,
  });

export const usageExportUrl = (query: UsageRequest) => urlOf('GET /api/usage/export', { query });

export const useBudgets = () =>
  useQuery({
    queryKey: keys.budgets,
    queryFn: async ({ signal }) => (await request('GET /api/budgets', { signal })).budgets,
    refetchInterval: quietMs,
  });

export function useSetBudget() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, budget }: { id: string; budget: Budget & { version?: number | null } }) =>
      request('PUT /api/budgets/{id}', { params: { id }, body: budget }),
    onSuccess: () => refresh(client),
  });
}

export function useDeleteBudget() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => request('DELETE /api/budgets/{id}', { params: { id } }),
    onSuccess: () => refresh(client),
  });
}

/** A budget that was raised or deleted also leaves the inbox. */
function refresh(client: QueryClient): Promise<void> {
  void client.invalidateQueries({ queryKey: inboxKeys.items });
  return client.invalidateQueries({ queryKey: keys.budgets });
}
