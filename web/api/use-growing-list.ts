import { keepPreviousData, type QueryKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { addNextPage, type Grown, type ItemReader, mergeFirstPage } from './growing-list.ts';

export interface GrowingList<T> {
  queryKey: QueryKey;
  reader: ItemReader<T>;
  /** Newest first; null is the first page. */
  fetchPage: (cursor: string | null, signal?: AbortSignal) => Promise<Grown<T>>;
  /** Show what another key held until this one's is there. */
  keepsPrevious?: boolean;
}

/** A list that is loaded page by page. News refresh the first page and leave the rest where it is. */
export function useGrowingList<T>({ queryKey, reader, fetchPage, keepsPrevious = false }: GrowingList<T>) {
  const client = useQueryClient();
  const query = useQuery<Grown<T>>({
    queryKey,
    queryFn: async ({ signal }) => {
      const page = await fetchPage(null, signal);
      return mergeFirstPage(reader, client.getQueryData<Grown<T>>(queryKey), page);
    },
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
  });
  const more = useMutation({
    mutationFn: async (cursor: string) => {
      const page = await fetchPage(cursor);
      client.setQueryData<Grown<T>>(queryKey, (now) =>
        // Another page was begun in between: this one no longer fits below it.
        now?.cursor === cursor ? addNextPage(reader, now, page) : now,
      );
    },
  });
  const cursor = query.data?.cursor ?? null;
  return {
    items: query.data?.items,
    error: query.error,
    /** They answer an earlier key; the next ones are on their way. */
    isOld: query.isPlaceholderData,
    retry: () => void query.refetch(),
    hasMore: cursor !== null,
    isLoadingMore: more.isPending,
    moreError: more.error,
    loadMore: () => {
      if (cursor !== null && !more.isPending && !query.isPlaceholderData) more.mutate(cursor);
    },
  };
}
