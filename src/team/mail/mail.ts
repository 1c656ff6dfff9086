import { z } from 'zod';
import { MemberId, MemberType } from '../members/member.ts';

const moment = z.iso.datetime();

export const SenderType = z.enum([...MemberType.options, 'HUMAN', 'SYSTEM']);
export type SenderType = z.infer<typeof SenderType>;

/** What a fault left in a mail: the same fault again within the window raises `count`. */
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
  /** The id of the first mail of its thread. */
  threadId: z.string(),
  inReplyTo: z.string().nullable(),
  /** Null: the person, or the hub itself (`fromAgentType` tells). */
  fromAgentId: z.string().nullable(),
  fromAgentType: SenderType,
  /** Null when it is for the person. */
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

export const maxSubject = 500;
export const maxBody = 100_000;

export const subjectText = z.string().trim().min(1).max(maxSubject);
export const bodyText = z.string().min(1).max(maxBody);

/** A new mail. It must have exactly one of `toAgentId` and `toHuman: true`. */
export const MailDraft = z.strictObject({
  toAgentId: MemberId.optional(),
  toHuman: z.boolean().optional(),
  subject: subjectText,
  body: bodyText,
});
export type MailDraft = z.infer<typeof MailDraft>;

export const MailReply = z.strictObject({ originalMailId: z.string().min(1).max(100), body: bodyText });
export type MailReply = z.infer<typeof MailReply>;

/** Unread mails are counted up to here: nobody needs to know how many more there are. */
export const maxUnreadCount = 1_000;

/** A thread as a list shows it. */
export const MailThread = z.object({
  threadId: z.string(),
  subject: z.string(),
  /** Ids of members; null stands for the person. */
  participants: z.array(z.string().nullable()),
  mails: z.int(),
  /** Of those for the reader. */
  unread: z.int(),
  last: Mail,
  hasEscalation: z.boolean(),
});
export type MailThread = z.infer<typeof MailThread>;
