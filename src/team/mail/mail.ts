import { z } from 'zod';
import { type Actor, MemberId, MemberType } from '../members/member.ts';

const moment = z.iso.datetime();

const SenderType = z.enum([...MemberType.options, 'HUMAN', 'SYSTEM']);

/** The failed call that a mail reports. The same failure within the escalation window raises `count`. */
export const Escalation = z.object({
  tool: z.string(),
  code: z.string(),
  callId: z.string(),
  count: z.int(),
  isCritical: z.boolean(),
  lastAt: moment,
});
export type Escalation = z.infer<typeof Escalation>;

export const Mail = z.object({
  id: z.string(),
  /** The id of the first mail in the thread. */
  threadId: z.string(),
  inReplyTo: z.string().nullable(),
  /** Null for the user and for the hub itself; `fromAgentType` tells them apart. */
  fromAgentId: z.string().nullable(),
  fromAgentType: SenderType,
  /** Null for the user. */
  toAgentId: z.string().nullable(),
  isForHuman: z.boolean(),
  subject: z.string(),
  body: z.string(),
  isRead: z.boolean(),
  createdAt: moment,
  readAt: moment.nullable(),
  escalation: Escalation.nullable(),
});
export type Mail = z.infer<typeof Mail>;

/** A mail as a member reads it in its own inbox. */
export const ReceivedMail = Mail.omit({ toAgentId: true, isForHuman: true, escalation: true });
export type ReceivedMail = z.infer<typeof ReceivedMail>;

/** A thread as a list shows it. */
export const MailThread = z.object({
  threadId: z.string(),
  subject: z.string(),
  /** Ids of members; null stands for the user. */
  participants: z.array(z.string().nullable()),
  mails: z.int(),
  /** Unread mails for the user. */
  unread: z.int(),
  last: Mail,
  hasEscalation: z.boolean(),
});
export type MailThread = z.infer<typeof MailThread>;

export const maxSubject = 500;
export const maxBody = 100_000;
export const maxInboxMails = 100;
/** Unread mails are counted up to this number. */
export const maxUnreadCount = 1_000;

export const subjectText = z.string().trim().min(1).max(maxSubject);
export const bodyText = z.string().min(1).max(maxBody);

/** A new mail. `recipientRule` says who can receive it. */
export const MailDraft = z.strictObject({
  toAgentId: MemberId.optional(),
  toHuman: z.boolean().optional(),
  subject: subjectText,
  body: bodyText,
});
export type MailDraft = z.infer<typeof MailDraft>;

export const MailReply = z.strictObject({ originalMailId: z.string().min(1).max(100), body: bodyText });
export type MailReply = z.infer<typeof MailReply>;

export const MailReceipt = z.object({ mailId: z.string(), timestamp: moment });
export type MailReceipt = z.infer<typeof MailReceipt>;

/** When the user's mails in a thread were marked as read. */
export const ReadReceipt = z.object({ threadId: z.string(), readAt: moment });
export type ReadReceipt = z.infer<typeof ReadReceipt>;

/** A mail has exactly one recipient: a member, or the user. */
export const recipientRule = {
  holds: ({ toAgentId, toHuman }: Pick<MailDraft, 'toAgentId' | 'toHuman'>) =>
    (toAgentId !== undefined) !== (toHuman === true),
  message: 'Must specify either `toAgentId` or `toHuman: true`',
};

/** The content of a mail, and its sender and recipient. */
export interface Posting extends Pick<Mail, 'toAgentId' | 'subject' | 'body'> {
  from: Actor | { kind: 'system' };
  inReplyTo?: Pick<Mail, 'id' | 'threadId'>;
  escalation?: Omit<Escalation, 'count' | 'lastAt'>;
}

/** Returns an unread mail. Without `inReplyTo`, it begins a thread. */
export function newMail(posting: Posting, { id, createdAt }: Pick<Mail, 'id' | 'createdAt'>): Mail {
  const { from, toAgentId, subject, body, inReplyTo, escalation } = posting;
  return {
    id,
    threadId: inReplyTo?.threadId ?? id,
    inReplyTo: inReplyTo?.id ?? null,
    fromAgentId: from.kind === 'member' ? from.member.id : null,
    fromAgentType: from.kind === 'member' ? from.member.type : from.kind === 'human' ? 'HUMAN' : 'SYSTEM',
    toAgentId,
    isForHuman: toAgentId === null,
    subject,
    body,
    isRead: false,
    createdAt,
    readAt: null,
    escalation: escalation ? { ...escalation, count: 1, lastAt: createdAt } : null,
  };
}

/** Says whether a mail is the actor's own. Mail to an earlier member of the same name is not. */
export function isRecipient(actor: Actor, mail: Mail): boolean {
  if (actor.kind === 'human') return mail.isForHuman;
  return mail.toAgentId === actor.member.id && mail.createdAt >= actor.member.createdAt;
}
