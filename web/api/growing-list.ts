import { keepPreviousData, type QueryKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

/** What was loaded of a list, newest first: its newest pages without a gap, and where the next one begins. */
export interface Grown<T> {
  items: T[];
  cursor: string | null;
}

/** How the items of a list are told apart, and by which moment they are sorted. */
export interface ItemReader<T> {
  idOf: (item: T) => string;
  /** ISO. */
  momentOf: (item: T) => string;
}

/**
 * The first page again, over what was loaded before. What lies below it stays, so that news cost one page and not every
 * page; when so much is new that the two do not meet, what lies below is left to be loaded again.
 */
export function mergeFirstPage<T>(reader: ItemReader<T>, before: Grown<T> | undefined, page: Grown<T>): Grown<T> {
  // A search that has looked at enough for one page found nothing yet and says where to go on; so did the one before.
  if (before && page.items.length === 0 && page.cursor !== null) return before;
  const newestBefore = before?.items[0];
  const oldestInPage = page.items.at(-1);
  if (!before || !newestBefore || !oldestInPage || page.cursor === null) return page;
  const timeOf = (item: T) => Date.parse(reader.momentOf(item));
  if (timeOf(oldestInPage) > timeOf(newestBefore)) return page;
  const inPage = new Set(page.items.map(reader.idOf));
  const below = before.items.filter((item) => !inPage.has(reader.idOf(item)) && timeOf(item) <= timeOf(oldestInPage));
  if (below.length === 0) return page;
  return { items: [...page.items, ...below], cursor: before.cursor };
}

/** The next page, below what there is. An item that moved up in the meantime is not shown twice. */
export function addNextPage<T>(reader: ItemReader<T>, before: Grown<T>, page: Grown<T>): Grown<T> {
  const known = new Set(before.items.map(reader.idOf));
  return {
    items: [...before.items, ...page.items.filter((item) => !known.has(reader.idOf(item)))],
    cursor: page.cursor,
  };
}

interface GrowingList<T> {
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
