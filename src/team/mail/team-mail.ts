import { toIso } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import { type Actor, actorId } from '../actor.ts';
import { type WriteOptions, writeOnce } from '../calls/once.ts';
import type { TeamMembers } from '../members/team-members.ts';
import type { TeamParts } from '../team-parts.ts';
import type { Page, TeamReader, ThreadQuery } from '../team-store.ts';
import type { Mail, MailDraft, MailReply } from './mail.ts';
import { postMail } from './post-mail.ts';

type MailParts = Pick<TeamParts, 'store' | 'clock' | 'redact' | 'settings'>;

type ThreadsQuery = ThreadQuery & Partial<Omit<Parameters<TeamReader['threads']>[0], 'limit'>>;

type MailReceipt = {
  mailId: string;
  timestamp: string;
};

export const maxInboxMails = 100;

/** Exactly one: a member, or the person. */
export const recipientRule = {
  holds: ({ toAgentId, toHuman }: Pick<MailDraft, 'toAgentId' | 'toHuman'>) =>
    (toAgentId !== undefined) !== (toHuman === true),
  message: 'Must specify either `toAgentId` or `toHuman: true`',
};

export function teamMail(parts: MailParts, members: Pick<TeamMembers, 'acting'>) {
  const { clock, store } = parts;
  return {
    /** Newest first. */
    async inbox(
      actor: Actor,
      { includeRead = false, limit = maxInboxMails, cursor }: ThreadQuery & { includeRead?: boolean } = {},
    ): Promise<{ mails: Mail[]; unreadCount: number; cursor: string | null }> {
      const box = mailboxOf(actor);
      const [page, unreadCount] = await Promise.all([
        store.mailbox({ ...box, includeRead, limit: Math.min(limit, maxInboxMails), cursor }),
        store.countUnread(box),
      ]);
      return { mails: page.items, unreadCount, cursor: page.cursor };
    },

    /**
     * Marks it as read. A member's mail is its own; the person may open every mail and marks only its own. Throws
     * RESOURCE_NOT_FOUND, PERMISSION_DENIED.
     */
    read: (actor: Actor, mailId: string, options: WriteOptions = {}): Promise<Mail> =>
      writeOnce(parts, { actor, tool: 'mcp__mail__read', input: { mailId }, ...options }, async (rows) => {
        const mail = await findMail(rows, mailId);
        const isOwn = isRecipient(actor, mail);
        if (!isOwn && actor.kind === 'member') {
          throw new HubError(
            'PERMISSION_DENIED',
            `Mail "${mail.id}" belongs to another agent. list_inbox shows yours.`,
          );
        }
        if (!isOwn || mail.isRead) return mail;
        const at = clock.now();
        await rows.markRead(mail.id, at);
        return { ...mail, isRead: true, readAt: toIso(at) };
      }),

    /** Throws INVALID_ARGUMENTS, RESOURCE_NOT_FOUND for the recipient. */
    async send(actor: Actor, draft: MailDraft, options: WriteOptions = {}): Promise<MailReceipt> {
      if (!recipientRule.holds(draft)) throw new HubError('INVALID_ARGUMENTS', recipientRule.message);
      const toAgentId = draft.toAgentId ?? null;
      if (actor.kind === 'human' && toAgentId === null) {
        throw new HubError('INVALID_ARGUMENTS', 'toAgentId: is required; you are the person this mail would go to');
      }
      // Asked before the transaction, in which nothing may wait for another reader; a key's first answer needs no recipient.
      const isKnown = toAgentId === null || (await isMember(members, toAgentId));
      return writeOnce(parts, { actor, tool: 'mcp__mail__send', input: draft, ...options }, async (rows) => {
        if (!isKnown)
          throw new HubError('RESOURCE_NOT_FOUND', `toAgentId: there is no member "${toAgentId}" in the team.`);
        return receipt(await postMail(parts, rows, { ...draft, from: actor, toAgentId }));
      });
    },

    /** To the sender, `Re: ` once. Throws RESOURCE_NOT_FOUND, PERMISSION_DENIED, INVALID_AGENT_STATE when the sender is gone. */
    reply: (actor: Actor, reply: MailReply, options: WriteOptions = {}): Promise<MailReceipt> =>
      writeOnce(parts, { actor, tool: 'mcp__mail__reply', input: reply, ...options }, async (rows) => {
        const original = await findMail(rows, reply.originalMailId);
        if (!isRecipient(actor, original)) {
          throw new HubError('PERMISSION_DENIED', `Can only reply to mail you received; "${original.id}" is not one.`);
        }
        return receipt(
          await postMail(parts, rows, {
            from: actor,
            toAgentId: await senderOf(rows, original),
            subject: /^\s*re:/i.test(original.subject) ? original.subject : `Re: ${original.subject}`,
            body: reply.body,
            inReplyTo: original,
          }),
        );
      }),

    /** For the person. */
    threads: ({ limit = 50, ...query }: ThreadsQuery) =>
      store.threads({
        all: false,
        onlyUnread: false,
        onlyEscalations: false,
        ...query,
        limit: Math.min(limit, 200),
      }),

    /**
     * For the person: its newest mails, oldest first, or those before the page that gave the cursor; marks all that is for
     * the person as read, unless it only peeks. Throws RESOURCE_NOT_FOUND.
     */
    async openThread(
      threadId: string,
      { peek = false, ...query }: ThreadQuery & { peek?: boolean } = {},
    ): Promise<Page<Mail>> {
      const { items: mails, cursor } = await store.thread(threadId, query);
      if (mails.length === 0 && query.cursor === undefined)
        throw new HubError('RESOURCE_NOT_FOUND', `There is no thread "${threadId.slice(0, 80)}".`);
      const unread = mails.filter((mail) => mail.isForHuman && !mail.isRead);
      if (peek || unread.length === 0) return { items: mails, cursor };
      const at = clock.now();
      await store.write((rows) => rows.markThreadRead(threadId, at));
      const readAt = toIso(at);
      return { items: mails.map((mail) => (unread.includes(mail) ? { ...mail, isRead: true, readAt } : mail)), cursor };
    },

    unreadForHuman: () => store.countUnread({ toAgentId: null }),
  };
}

/** A member has the mail since it was added: what one of its name got before is not its own. */
function mailboxOf(actor: Actor): { toAgentId: string | null; since?: string } {
  if (actor.kind === 'human') return { toAgentId: null };
  return { toAgentId: actor.member.id, since: actor.member.createdAt };
}

function isRecipient(actor: Actor, mail: Mail): boolean {
  if (actor.kind === 'human') return mail.isForHuman;
  return mail.toAgentId === actorId(actor) && mail.createdAt >= actor.member.createdAt;
}

async function findMail(rows: Pick<TeamReader, 'mail'>, id: string): Promise<Mail> {
  const mail = await rows.mail(id);
  if (!mail) throw new HubError('RESOURCE_NOT_FOUND', `There is no mail "${id.slice(0, 80)}".`);
  return mail;
}

/** Where a reply goes. Null: to the person. */
async function senderOf(rows: Pick<TeamReader, 'member'>, mail: Mail): Promise<string | null> {
  const { fromAgentId, fromAgentType } = mail;
  if (fromAgentType === 'HUMAN') return null;
  if (fromAgentId === null) {
    throw new HubError('INVALID_AGENT_STATE', `Mail "${mail.id}" is from the hub itself, which reads no replies.`);
  }
  const sender = await rows.member(fromAgentId);
  if (sender && sender.createdAt <= mail.createdAt) return fromAgentId;
  throw new HubError('INVALID_AGENT_STATE', `"${fromAgentId}", who sent mail "${mail.id}", is no longer in the team.`);
}

async function isMember(members: Pick<TeamMembers, 'acting'>, id: string): Promise<boolean> {
  try {
    await members.acting(id);
    return true;
  } catch (error) {
    if (error instanceof HubError && error.code === 'AGENT_NOT_FOUND') return false;
    throw error;
  }
}

function receipt({ mailId, at }: { mailId: string; at: number }): MailReceipt {
  return { mailId, timestamp: toIso(at) };
}
