import type { MailThread } from '../../src/team/mail/mail.ts';

/** The person has read it, wherever it is listed. */
export function withThreadRead<L extends { items: MailThread[] }>(list: L, threadId: string): L {
  const isStale = (thread: MailThread) => thread.threadId === threadId && thread.unread > 0;
  if (!list.items.some(isStale)) return list;
  return { ...list, items: list.items.map((thread) => (isStale(thread) ? { ...thread, unread: 0 } : thread)) };
}
