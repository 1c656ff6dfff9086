import { z } from 'zod';
import type { Tool } from '../../tools/tool.ts';
import { defineTeamTool } from '../define-team-tool.ts';
import type { Team } from '../team.ts';
import { Mail, MailDraft, MailReply, maxUnreadCount } from './mail.ts';
import { maxInboxMails, recipientRule } from './team-mail.ts';

/** A mail as a member sees it, with the thread it belongs to. */
const MailBody = Mail.pick({
  id: true,
  threadId: true,
  inReplyTo: true,
  fromAgentId: true,
  fromAgentType: true,
  subject: true,
  body: true,
  isRead: true,
  createdAt: true,
  readAt: true,
});

const Receipt = z.object({ mailId: z.string(), timestamp: z.iso.datetime() });

/** The tools for the calling member's own mailbox. */
export function mailTools({ mail, members }: Pick<Team, 'mail' | 'members'>): Tool[] {
  return [
    defineTeamTool(members, {
      name: 'mcp__mail__list_inbox',
      title: 'List your inbox',
      description:
        'Lists the mail you received, newest first: only what you have not read, unless includeRead is true. Look here when you begin, and whenever you wait for an answer. Nothing is marked as read; mcp__mail__read does that. With a cursor in the answer there is more: send it back to get the next page.',
      annotations: { readOnlyHint: true, idempotentHint: true },
      input: z.strictObject({
        includeRead: z.boolean().default(false).describe('Also what you have read. Default: false.'),
        limit: z.int().min(1).max(maxInboxMails).default(maxInboxMails).describe('How many at most.'),
        cursor: z.string().min(1).max(500).optional().describe('From the page before.'),
      }),
      output: z.object({
        count: z.int().describe('How many are in this list.'),
        unreadCount: z
          .int()
          .describe(`How many unread mails you have in all; ${maxUnreadCount} means as many or more.`),
        mails: z.array(MailBody),
        cursor: z.string().nullable().describe('For the next page; null when there is none.'),
      }),
      run: async ({ includeRead, limit, cursor }, { actor }) => {
        const inbox = await mail.inbox(actor, { includeRead, limit, ...(cursor !== undefined && { cursor }) });
        const mails = inbox.mails.map(toBody);
        return { count: mails.length, unreadCount: inbox.unreadCount, mails, cursor: inbox.cursor };
      },
    }),
    defineTeamTool(members, {
      name: 'mcp__mail__read',
      title: 'Read a mail',
      description:
        'Returns one mail you received and marks it as read, so that mcp__mail__list_inbox no longer shows it as new. Take the id from there.',
      annotations: { idempotentHint: true },
      input: z.strictObject({ mailId: z.string().min(1).max(100).describe('The id of the mail.') }),
      output: MailBody,
      run: async ({ mailId }, { actor, options }) => toBody(await mail.read(actor, mailId, options)),
    }),
    defineTeamTool(members, {
      name: 'mcp__mail__send',
      title: 'Send a mail',
      description:
        'Sends a mail to another member of the team (toAgentId) or to the person in charge (toHuman: true), one of the two. Use it to ask for help, to report, or to hand work over; say in the body all that the reader needs. To answer a mail use mcp__mail__reply, which keeps the thread together.',
      input: MailDraft,
      rule: recipientRule,
      output: Receipt,
      run: (draft, { actor, options }) => mail.send(actor, draft, options),
    }),
    defineTeamTool(members, {
      name: 'mcp__mail__reply',
      title: 'Reply to a mail',
      description:
        'Answers a mail you received. It goes to the sender, in the same thread, with "Re: " before the subject.',
      input: MailReply,
      output: Receipt,
      run: (reply, { actor, options }) => mail.reply(actor, reply, options),
    }),
  ];
}

function toBody(mail: Mail): z.infer<typeof MailBody> {
  const { id, threadId, inReplyTo, fromAgentId, fromAgentType, subject, body, isRead, createdAt, readAt } = mail;
  return { id, threadId, inReplyTo, fromAgentId, fromAgentType, subject, body, isRead, createdAt, readAt };
}
