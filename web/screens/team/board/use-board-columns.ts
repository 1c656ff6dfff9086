import { useEffect, useState } from 'react';
import type { TaskState } from '../../../../src/team/work/task-moves.ts';
import type { Task } from '../../../../src/team/work/work.ts';
import { useDeleted } from '../../../api/pending-deletions.ts';
import { useTaskColumn } from '../../../api/work-queries.ts';
import { useMinute } from '../../../ui/use-minute.ts';
import { boardOrder } from './board-order.ts';
import type { BoardSearch } from './board-search.ts';
import { filtersInBrowser, filterTasks, hubFilter } from './filter-tasks.ts';

export interface BoardColumn {
  state: TaskState;
  tasks: readonly Task[];
  hasMore: boolean;
  isLoadingMore: boolean;
  /** Why the next tasks could not be loaded; null if nothing has failed. */
  moreError: Error | null;
  loadMore: () => void;
}

/** Returns the loaded tasks of each state. Filters that the browser applies load all tasks. */
export function useBoardColumns(search: BoardSearch) {
  const byChange = hubFilter(search, new Date(useMinute()));
  const [sort] = boardOrder.use();
  const filter = sort === undefined ? byChange : { ...byChange, sort };
  const deleted = useDeleted();
  const queries = [
    ['PENDING', useTaskColumn('PENDING', filter)],
    ['ASSIGNED', useTaskColumn('ASSIGNED', filter)],
    ['IN_PROGRESS', useTaskColumn('IN_PROGRESS', filter)],
    ['REVIEW', useTaskColumn('REVIEW', filter)],
    ['BLOCKED', useTaskColumn('BLOCKED', filter)],
    // What is done is no longer urgent.
    ['COMPLETED', useTaskColumn('COMPLETED', byChange)],
    ['FAILED', useTaskColumn('FAILED', filter)],
  ] as const;
  const needsAll = filtersInBrowser(search);
  useEffect(() => {
    if (!needsAll) return;
    for (const [, query] of queries) {
      if (query.hasNextPage && !query.isFetching && !query.isError) void query.fetchNextPage();
    }
  });
  const columns: BoardColumn[] = queries.map(([state, query]) => ({
    state,
    tasks: filterTasks(query.data?.pages.flatMap((page) => page.tasks) ?? [], search).filter(
      ({ id }) => !deleted.has(`task/${id}`),
    ),
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    moreError: query.isFetchNextPageError ? query.error : null,
    loadMore: () => {
      if (query.hasNextPage && !query.isFetching) void query.fetchNextPage();
    },
  }));
  const hasNoTasks = columns.every(({ tasks, hasMore }) => tasks.length === 0 && !hasMore);
  // The lists update one by one, so a moving task may briefly be in none. Keep the board meanwhile.
  const [wasEmpty, setWasEmpty] = useState(true);
  const isEmpty = hasNoTasks && (wasEmpty || !queries.some(([, query]) => query.isFetching));
  if (isEmpty !== wasEmpty) setWasEmpty(isEmpty);
  const failed = queries.find(([, query]) => query.isError && query.data === undefined)?.[1];
  return {
    columns,
    isEmpty,
    error: failed?.error ?? null,
    isLoading: !failed && queries.some(([, query]) => query.data === undefined),
    /** The tasks belong to an earlier filter; new ones are loading. */
    isOld: queries.some(([, query]) => query.isPlaceholderData),
    retry: () => {
      for (const [, query] of queries) if (query.isError) void query.refetch();
    },
  };
}
