import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type MailFilter, mailApi, type NewMail } from './mail.ts';
import { addNextPage, type LoadedThreads, mergeFirstPage, withThreadRead } from './merge-threads.ts';

/** All below `mail` is fetched again when mail changed anywhere. */
const mailKeys = {
  mail: ['mail'] as const,
  unread: ['mail', 'unread'] as const,
  lists: ['mail', 'threads'] as const,
  list: (filter: MailFilter) => ['mail', 'threads', filter] as const,
  thread: (threadId: string) => ['mail', 'thread', threadId] as const,
};

/** How many mails wait for the person; 0 until it is known. */
export function useUnreadMail(): number {
  return useQuery({ queryKey: mailKeys.unread, queryFn: ({ signal }) => mailApi.countUnread(signal) }).data ?? 0;
}

/** Threads, newest first. News refresh the first page and leave the rest where it is. */
export function useMailThreads(filter: MailFilter) {
  const client = useQueryClient();
  const queryKey = mailKeys.list(filter);
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<LoadedThreads> => {
      const { threads, cursor } = await mailApi.listThreads(filter, null, signal);
      return mergeFirstPage(client.getQueryData<LoadedThreads>(queryKey), { threads, cursor });
    },
    placeholderData: keepPreviousData,
  });
  const more = useMutation({
    mutationFn: async (cursor: string) => {
      const page = await mailApi.listThreads(filter, cursor);
      client.setQueryData<LoadedThreads>(queryKey, (now) =>
        // Another page was begun in between: this one no longer fits below it.
        now?.cursor === cursor ? addNextPage(now, page) : now,
      );
    },
  });
  const cursor = query.data?.cursor ?? null;
  return {
    threads: query.data?.threads,
    error: query.error,
    /** They answer an earlier filter; the next ones are on their way. */
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

/** Opening it marks it as read: the lists and the count follow. */
export function useMailThread(threadId: string) {
  const client = useQueryClient();
  return useQuery({
    queryKey: mailKeys.thread(threadId),
    queryFn: async ({ signal }) => {
      const { mails } = await mailApi.openThread(threadId, signal);
      client.setQueriesData<LoadedThreads>({ queryKey: mailKeys.lists }, (now) => now && withThreadRead(now, threadId));
      void client.invalidateQueries({ queryKey: mailKeys.unread });
      return mails;
    },
  });
}

export function useReply() {
  return useMutation({
    mutationFn: ({ mailId, body, key }: { mailId: string; body: string; key: string }) =>
      mailApi.reply(mailId, body, key),
    onSuccess: useRefreshMail(),
  });
}

export function useWriteMail() {
  return useMutation({
    mutationFn: ({ mail, key }: { mail: NewMail; key: string }) => mailApi.write(mail, key),
    onSuccess: useRefreshMail(),
  });
}

function useRefreshMail() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: mailKeys.mail });
}
