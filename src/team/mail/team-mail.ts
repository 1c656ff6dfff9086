import type { PageQuery } from '../../base/contract-fields.ts';
import type { WriteOptions } from '../calls/once.ts';
import type { Actor } from '../members/member.ts';
import type { TeamMembers } from '../members/team-members.ts';
import type { TeamParts } from '../team-parts.ts';
import type { MailDraft, MailReply } from './mail.ts';
import { findMail, findThread, readInbox, readMail, readThread } from './read-mail.ts';
import { replyToMail, sendMail } from './send-mail.ts';

type MailParts = Pick<TeamParts, 'store' | 'clock' | 'redact' | 'settings'>;
type ThreadsQuery = PageQuery & Partial<Omit<Parameters<MailParts['store']['threads']>[0], 'limit'>>;

/** The team's mail, for members and for the user. */
export function teamMail(parts: MailParts, members: Pick<TeamMembers, 'acting'>) {
  const { store } = parts;
  return {
    send: (actor: Actor, draft: MailDraft, options?: WriteOptions) =>
      sendMail({ ...parts, members }, actor, draft, options),
    reply: (actor: Actor, reply: MailReply, options?: WriteOptions) => replyToMail(parts, actor, reply, options),
    inbox: (actor: Actor, query?: PageQuery & { includeRead?: boolean }) => readInbox(parts, actor, query),
    read: (actor: Actor, mailId: string, options?: WriteOptions) => readMail(parts, actor, mailId, options),

    /** Lists threads for the user: those with the user, or all threads of the team (`all`). */
    threads: ({ limit = 50, ...query }: ThreadsQuery) =>
      store.threads({ all: false, onlyUnread: false, onlyEscalations: false, ...query, limit: Math.min(limit, 200) }),
    /** Returns any mail, and a thread, without marking anything as read. */
    get: (mailId: string) => findMail(store, mailId),
    thread: (threadId: string, query?: PageQuery) => findThread(parts, threadId, query),
    readThread: (threadId: string) => readThread(parts, threadId),
    unreadForHuman: () => store.countUnread({ toAgentId: null }),
  };
}
