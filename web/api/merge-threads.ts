import type { MailThread } from '../../src/team/mail.ts';

/** Threads as they were loaded: the newest pages without a gap, and where the next one begins. */
export interface LoadedThreads {
  threads: MailThread[];
  cursor: string | null;
}

/**
 * The first page again, over what was loaded before. What lies below it stays, so that news cost one page and not every
 * page; when so much is new that the two do not meet, what lies below is left to be loaded again.
 */
export function mergeFirstPage(before: LoadedThreads | undefined, page: LoadedThreads): LoadedThreads {
  // A search that has looked at enough for one page found nothing yet and says where to go on; so did the one before.
  if (before && page.threads.length === 0 && page.cursor !== null) return before;
  const newestBefore = before?.threads[0];
  const oldestInPage = page.threads.at(-1);
  if (!before || !newestBefore || !oldestInPage || page.cursor === null) return page;
  if (momentOf(oldestInPage) > momentOf(newestBefore)) return page;
  const inPage = new Set(page.threads.map((thread) => thread.threadId));
  const below = before.threads.filter(
    (thread) => !inPage.has(thread.threadId) && momentOf(thread) <= momentOf(oldestInPage),
  );
  if (below.length === 0) return page;
  return { threads: [...page.threads, ...below], cursor: before.cursor };
}

/** The next page, below what there is. A thread that moved up in the meantime is not shown twice. */
export function addNextPage(before: LoadedThreads, page: LoadedThreads): LoadedThreads {
  const known = new Set(before.threads.map((thread) => thread.threadId));
  return {
    threads: [...before.threads, ...page.threads.filter((thread) => !known.has(thread.threadId))],
    cursor: page.cursor,
  };
}

/** The person has read it, wherever it is listed. */
export function withThreadRead(loaded: LoadedThreads, threadId: string): LoadedThreads {
  const isStale = (thread: MailThread) => thread.threadId === threadId && thread.unread > 0;
  if (!loaded.threads.some(isStale)) return loaded;
  return {
    ...loaded,
    threads: loaded.threads.map((thread) => (isStale(thread) ? { ...thread, unread: 0 } : thread)),
  };
}

function momentOf(thread: MailThread): number {
  return Date.parse(thread.last.createdAt);
}
