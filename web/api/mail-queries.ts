import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Mail, MailThread } from '../../src/team/mail/mail.ts';
import { type BodyOf, type QueryOf, request } from './client.ts';
import { type Grown, type ItemReader, useGrowingList } from './growing-list.ts';

/** Which threads to list: the person's own, or those of the whole team. */
export type MailFilter = Omit<QueryOf<'GET /api/mail'>, 'limit' | 'cursor'>;

/** All below `mail` is fetched again when mail changed anywhere. */
const mailKeys = {
  mail: ['mail'] as const,
  unread: ['mail', 'unread'] as const,
  lists: ['mail', 'threads'] as const,
  list: (filter: MailFilter) => ['mail', 'threads', filter] as const,
  thread: (threadId: string) => ['mail', 'thread', threadId] as const,
};

const threadReader: ItemReader<MailThread> = {
  idOf: ({ threadId }) => threadId,
  momentOf: ({ last }) => last.createdAt,
};
const mailReader: ItemReader<Mail> = { idOf: ({ id }) => id, momentOf: ({ createdAt }) => createdAt };

/** How many mails wait for the person; 0 until it is known. */
export function useUnreadMail(): number {
  const { data } = useQuery({
    queryKey: mailKeys.unread,
    // One thread is asked for, so that the count comes cheaply.
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

/** Its mails, oldest first, as far back as they are loaded. Opening it marks it as read: the lists and the count follow. */
export function useMailThread(threadId: string) {
  const client = useQueryClient();
  const { items, ...list } = useGrowingList({
    queryKey: mailKeys.thread(threadId),
    reader: mailReader,
    fetchPage: async (cursor, signal) => {
      const query = { limit: 100, cursor };
      const page = await request('GET /api/mail/threads/{threadId}', { params: { threadId }, query, signal });
      client.setQueriesData<Grown<MailThread>>(
        { queryKey: mailKeys.lists },
        (now) => now && withThreadRead(now, threadId),
      );
      void client.invalidateQueries({ queryKey: mailKeys.unread });
      return { items: page.mails.toReversed(), cursor: page.cursor };
    },
  });
  return { mails: useMemo(() => items?.toReversed(), [items]), ...list };
}

/** The same key again is the same mail, not a second one. */
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

/** The person has read it, wherever it is listed. */
export function withThreadRead<L extends { items: MailThread[] }>(list: L, threadId: string): L {
  const isStale = (thread: MailThread) => thread.threadId === threadId && thread.unread > 0;
  if (!list.items.some(isStale)) return list;
  return { ...list, items: list.items.map((thread) => (isStale(thread) ? { ...thread, unread: 0 } : thread)) };
}
