import { keepPreviousData, type QueryKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

/** The loaded part of a list, newest first and without gaps, and the cursor of the next page. */
export interface LoadedPages<T> {
  items: T[];
  cursor: string | null;
}

/** How to identify and sort a list's items. */
export interface ItemReader<T> {
  idOf: (item: T) => string;
  /** An ISO time. */
  timeOf: (item: T) => string;
}

/**
 * Merges a refetched first page with the pages loaded before, so that a change costs one request. If so much is new that
 * the two do not overlap, the older pages are dropped.
 */
export function mergeFirstPage<T>(
  reader: ItemReader<T>,
  before: LoadedPages<T> | undefined,
  page: LoadedPages<T>,
): LoadedPages<T> {
  // A search may return an empty page with a cursor: it has found nothing yet and keeps the earlier items.
  if (before && page.items.length === 0 && page.cursor !== null) return before;
  const newestBefore = before?.items[0];
  const oldestInPage = page.items.at(-1);
  if (!before || !newestBefore || !oldestInPage || page.cursor === null) return page;
  const timeOf = (item: T) => Date.parse(reader.timeOf(item));
  if (timeOf(oldestInPage) > timeOf(newestBefore)) return page;
  const inPage = new Set(page.items.map(reader.idOf));
  const below = before.items.filter((item) => !inPage.has(reader.idOf(item)) && timeOf(item) <= timeOf(oldestInPage));
  if (below.length === 0) return page;
  return { items: [...page.items, ...below], cursor: before.cursor };
}

/** Appends the next page, without items that are already loaded. */
export function addNextPage<T>(reader: ItemReader<T>, before: LoadedPages<T>, page: LoadedPages<T>): LoadedPages<T> {
  const known = new Set(before.items.map(reader.idOf));
  return {
    items: [...before.items, ...page.items.filter((item) => !known.has(reader.idOf(item)))],
    cursor: page.cursor,
  };
}

interface GrowingList<T> {
  queryKey: QueryKey;
  reader: ItemReader<T>;
  /** Fetches a page, newest first; null is the first page. */
  fetchPage: (cursor: string | null, signal?: AbortSignal) => Promise<LoadedPages<T>>;
  /** Returns after how many milliseconds the first page is fetched again. */
  refetchEvery?: (items: readonly T[]) => number;
  /** Keeps showing the previous key's items until new ones arrive. */
  keepsPrevious?: boolean;
}

/** A list loaded page by page. A change refetches only its first page. */
export function useGrowingList<T>({
  queryKey,
  reader,
  fetchPage,
  refetchEvery,
  keepsPrevious = false,
}: GrowingList<T>) {
  const client = useQueryClient();
  const query = useQuery<LoadedPages<T>>({
    queryKey,
    queryFn: async ({ signal }) => {
      const page = await fetchPage(null, signal);
      return mergeFirstPage(reader, client.getQueryData<LoadedPages<T>>(queryKey), page);
    },
    ...(refetchEvery && { refetchInterval: ({ state }) => refetchEvery(state.data?.items ?? []) }),
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
  });
  const more = useMutation({
    mutationFn: async (cursor: string) => {
      const page = await fetchPage(cursor);
      client.setQueryData<LoadedPages<T>>(queryKey, (now) =>
        // The list changed in the meantime: this page no longer fits.
        now?.cursor === cursor ? addNextPage(reader, now, page) : now,
      );
    },
  });
  const cursor = query.data?.cursor ?? null;
  return {
    items: query.data?.items,
    error: query.error,
    /** Whether the items belong to the previous key. */
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
