import { toIso } from '../../base/clock.ts';
import type { Page, PageQuery } from '../../base/contract-fields.ts';
import { HubError } from '../../base/hub-error.ts';
import { type WriteOptions, writeOnce } from '../calls/once.ts';
import type { Actor } from '../members/member.ts';
import type { TeamReader } from '../team.store.ts';
import type { TeamParts } from '../team-parts.ts';
import { isRecipient, type Mail, maxInboxMails, type ReadReceipt } from './mail.ts';

type ReadParts = Pick<TeamParts, 'store' | 'clock'>;

/** Lists the actor's mail, newest first. */
export async function readInbox(
  { store }: Pick<ReadParts, 'store'>,
  actor: Actor,
  { includeRead = false, limit = maxInboxMails, cursor }: PageQuery & { includeRead?: boolean } = {},
): Promise<{ mails: Mail[]; unreadCount: number; cursor: string | null }> {
  // A member does not get mail that was sent to an earlier member with the same id.
  const mailbox =
    actor.kind === 'human' ? { toAgentId: null } : { toAgentId: actor.member.id, since: actor.member.createdAt };
  const [page, unreadCount] = await Promise.all([
    store.mailbox({ ...mailbox, includeRead, limit: Math.min(limit, maxInboxMails), cursor }),
    store.countUnread(mailbox),
  ]);
  return { mails: page.items, unreadCount, cursor: page.cursor };
}

/**
 * Returns a mail and marks it as read if the actor is its recipient. The user may open every mail, a member only its own. Throws
 * RESOURCE_NOT_FOUND, PERMISSION_DENIED.
 */
export function readMail(parts: ReadParts, actor: Actor, mailId: string, options: WriteOptions = {}): Promise<Mail> {
  return writeOnce(parts, { actor, tool: 'mcp__mail__read', input: { mailId }, ...options }, async (rows) => {
    const mail = await findMail(rows, mailId);
    const isOwn = isRecipient(actor, mail);
    if (!isOwn && actor.kind === 'member') {
      throw new HubError('PERMISSION_DENIED', `Mail "${mail.id}" belongs to another agent. list_inbox shows yours.`);
    }
    if (!isOwn || mail.isRead) return mail;
    const at = parts.clock.now();
    await rows.markRead(mail.id, at);
    return { ...mail, isRead: true, readAt: toIso(at) };
  });
}

/** Returns the newest mails of a thread, oldest first, for the user. Throws RESOURCE_NOT_FOUND. */
export async function findThread(
  { store }: Pick<ReadParts, 'store'>,
  threadId: string,
  query: PageQuery = {},
): Promise<Page<Mail>> {
  const page = await store.thread(threadId, query);
  if (page.items.length > 0 || query.cursor !== undefined) return page;
  throw new HubError('RESOURCE_NOT_FOUND', `There is no thread "${threadId.slice(0, 80)}".`);
}

/** Marks the user's mails in a thread as read. Throws RESOURCE_NOT_FOUND. */
export async function readThread({ store, clock }: ReadParts, threadId: string): Promise<ReadReceipt> {
  await findThread({ store }, threadId, { limit: 1 });
  const at = clock.now();
  await store.write((rows) => rows.markThreadRead(threadId, at));
  return { threadId, readAt: toIso(at) };
}

/** Throws RESOURCE_NOT_FOUND. */
export async function findMail(rows: Pick<TeamReader, 'mail'>, id: string): Promise<Mail> {
  const mail = await rows.mail(id);
  if (!mail) throw new HubError('RESOURCE_NOT_FOUND', `There is no mail "${id.slice(0, 80)}".`);
  return mail;
}
