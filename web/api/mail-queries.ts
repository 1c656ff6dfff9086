import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Mail, MailThread } from '../../src/team/mail.ts';
import type { Grown, ItemReader } from './growing-list.ts';
import { type MailFilter, mailApi, type NewMail } from './mail.ts';
import { withThreadRead } from './read-threads.ts';
import { useGrowingList } from './use-growing-list.ts';

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
  return useQuery({ queryKey: mailKeys.unread, queryFn: ({ signal }) => mailApi.countUnread(signal) }).data ?? 0;
}

/** Threads, newest first. */
export function useMailThreads(filter: MailFilter) {
  const { items, ...list } = useGrowingList({
    queryKey: mailKeys.list(filter),
    reader: threadReader,
    fetchPage: async (cursor, signal) => {
      const page = await mailApi.listThreads(filter, cursor, signal);
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
      const page = await mailApi.openThread(threadId, cursor, signal);
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
