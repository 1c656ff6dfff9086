import type { InvalidateQueryFilters, Query, QueryClient } from '@tanstack/react-query';

const outdated = new WeakSet<Query>();

/**
 * Refetches what a change made stale. A request that is under way may have been answered before the change, so it is followed by
 * another one. Cancelling it would starve slow requests while changes keep coming.
 */
export function refetchChanged(client: QueryClient, filters: InvalidateQueryFilters = {}): void {
  const underWay = client.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' });
  void client.invalidateQueries(filters, { cancelRefetch: false });
  for (const query of underWay) {
    if (outdated.has(query)) continue;
    outdated.add(query);
    const again = () => refetchChanged(client, { queryKey: query.queryKey, exact: true });
    // A failed one is left to the user.
    void query
      .fetch()
      .then(again, () => {})
      .finally(() => outdated.delete(query));
  }
}

/** Refetches after a lost connection. Requests that were under way may never be answered, so they are sent again. */
export async function refetchLost(client: QueryClient, filters: InvalidateQueryFilters = {}): Promise<void> {
  await client.cancelQueries({ ...filters, type: 'active' });
  await client.invalidateQueries(filters);
}
