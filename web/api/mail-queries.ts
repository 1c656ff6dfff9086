import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Mail, MailThread } from '../../src/team/mail/mail.ts';
import { type BodyOf, type QueryOf, request } from './client.ts';
import { type ItemReader, type LoadedPages, useGrowingList } from './growing-list.ts';

/** Which threads to list: the user's own or the whole team's. */
export type MailFilter = Omit<QueryOf<'GET /api/mail'>, 'limit' | 'cursor'>;

/** Everything below `mail` is refetched when any mail changes. */
const mailKeys = {
  mail: ['mail'] as const,
  unread: ['mail', 'unread'] as const,
  lists: ['mail', 'threads'] as const,
  list: (filter: MailFilter) => ['mail', 'threads', filter] as const,
  thread: (threadId: string) => ['mail', 'thread', threadId] as const,
};

const threadReader: ItemReader<MailThread> = {
  idOf: ({ threadId }) => threadId,
  timeOf: ({ last }) => last.createdAt,
};
const mailReader: ItemReader<Mail> = { idOf: ({ id }) => id, timeOf: ({ createdAt }) => createdAt };

/** Returns the number of unread mails; 0 while loading. */
export function useUnreadMail(): number {
  const { data } = useQuery({
    queryKey: mailKeys.unread,
    // Asks for one thread only: the count comes with it.
    queryFn: ({ signal }) => request('GET /api/mail', { query: { unread: true, limit: 1 }, signal }),
  });
  return data?.unread ?? 0;
}

/** Threads, newest first. */
export function useMailThreads(filter: MailFilter) {
  const { items, ...list } = useGrowingList({
    queryKey: mailKeys.list(filter),
    reader: threadReader,
    fetchPage: async (cursor, signal) => {
      const page = await request('GET /api/mail', { query: { ...filter, limit: 50, cursor }, signal });
      return { items: page.threads, cursor: page.cursor };
    },
    keepsPrevious: true,
  });
  return { threads: items, ...list };
}

/** The loaded mails of a thread, oldest first. Showing unread mail marks the thread as read, in the cached lists too. */
export function useMailThread(threadId: string) {
  const client = useQueryClient();
  const { items, ...list } = useGrowingList({
    queryKey: mailKeys.thread(threadId),
    reader: mailReader,
    fetchPage: async (cursor, signal) => {
      const query = { limit: 100, cursor };
      const page = await request('GET /api/mail/threads/{threadId}', { params: { threadId }, query, signal });
      const mails = await markRead(threadId, page.mails, signal);
      client.setQueriesData<LoadedPages<MailThread>>(
        { queryKey: mailKeys.lists },
        (now) => now && withThreadRead(now, threadId),
      );
      void client.invalidateQueries({ queryKey: mailKeys.unread });
      return { items: mails.toReversed(), cursor: page.cursor };
    },
  });
  return { mails: useMemo(() => items?.toReversed(), [items]), ...list };
}

/** Returns the mails as read. If they cannot be marked, the user still sees them. */
async function markRead(threadId: string, mails: Mail[], signal: AbortSignal | undefined): Promise<Mail[]> {
  const isNew = (mail: Mail) => mail.isForHuman && !mail.isRead;
  if (!mails.some(isNew)) return mails;
  try {
    const { readAt } = await request('POST /api/mail/threads/{threadId}/read', { params: { threadId }, signal });
    return mails.map((mail) => (isNew(mail) ? { ...mail, isRead: true, readAt } : mail));
  } catch (error) {
    if (signal?.aborted) throw error;
    return mails;
  }
}

/** Sending again with the same key does not send a second mail. */
export function useReply() {
  return useMutation({
    mutationFn: ({ mailId, body, key }: { mailId: string; body: string; key: string }) =>
      request('POST /api/mail/{mailId}/reply', { params: { mailId }, body: { body }, idempotencyKey: key }),
    onSuccess: useRefreshMail(),
  });
}

export function useWriteMail() {
  return useMutation({
    mutationFn: ({ mail, key }: { mail: BodyOf<'POST /api/mail'>; key: string }) =>
      request('POST /api/mail', { body: mail, idempotencyKey: key }),
    onSuccess: useRefreshMail(),
  });
}

function useRefreshMail() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: mailKeys.mail });
}

/** Returns the list with a thread marked as read. */
export function withThreadRead<L extends { items: MailThread[] }>(list: L, threadId: string): L {
  const isStale = (thread: MailThread) => thread.threadId === threadId && thread.unread > 0;
  if (!list.items.some(isStale)) return list;
  return { ...list, items: list.items.map((thread) => (isStale(thread) ? { ...thread, unread: 0 } : thread)) };
}
