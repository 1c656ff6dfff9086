import { z } from 'zod';
import type { Tool, ToolContext } from '../../tools/tool.ts';
import { defineTeamTool } from '../define-team-tool.ts';
import type { Team } from '../team.ts';
import {
  type Mail,
  MailDraft,
  MailReceipt,
  MailReply,
  maxInboxMails,
  maxUnreadCount,
  ReadReceipt,
  ReceivedMail,
  recipientRule,
} from './mail.ts';

/** The tools for the calling member's mailbox. */
export function mailTools({ mail, members }: Pick<Team, 'mail' | 'members'>): Tool[] {
  return [
    defineTeamTool(members, {
      name: 'mcp__mail__list_inbox',
      title: 'List your inbox',
      description:
        'Lists the mail you received, newest first: only unread mail, unless includeRead is true. Look here when you start, and whenever you wait for an answer. This marks nothing as read; mcp__mail__read does. If the result has a cursor, send it back to get the next page.',
      annotations: { readOnlyHint: true, idempotentHint: true },
      input: z.strictObject({
        includeRead: z.boolean().default(false).describe('Also list mail you have read. Default: false.'),
        limit: z.int().min(1).max(maxInboxMails).default(maxInboxMails).describe('The maximum number of mails.'),
        cursor: z.string().min(1).max(500).optional().describe('The cursor of the previous page.'),
      }),
      output: z.object({
        count: z.int().describe('The number of mails in this list.'),
        unreadCount: z
          .int()
          .describe(`The number of unread mails you have; ${maxUnreadCount} means that many or more.`),
        mails: z.array(ReceivedMail),
        cursor: z.string().nullable().describe('The cursor of the next page. Null on the last page.'),
      }),
      run: async (query, { actor, context }) => {
        const { mails, unreadCount, cursor } = await mail.inbox(actor, query);
        for (const each of mails) noteReading(context, each);
        return { count: mails.length, unreadCount, mails: mails.map(toReceived), cursor };
      },
    }),
    defineTeamTool(members, {
      name: 'mcp__mail__read',
      title: 'Read a mail',
      description:
        'Returns one mail you received and marks it as read, so that mcp__mail__list_inbox no longer shows it as new. Take the id from there.',
      annotations: { idempotentHint: true },
      input: z.strictObject({ mailId: z.string().min(1).max(100).describe('The id of the mail.') }),
      output: ReceivedMail,
      run: async ({ mailId }, { actor, options, context }) => {
        const found = await mail.read(actor, mailId, options);
        noteReading(context, found);
        return toReceived(found);
      },
    }),
    defineTeamTool(members, {
      name: 'mcp__mail__read_thread',
      title: 'Mark a thread as read',
      description: "Marks the user's mails in a thread as read.",
      annotations: { idempotentHint: true },
      isForUser: true,
      input: z.strictObject({ threadId: z.string().min(1).max(100) }),
      output: ReadReceipt,
      run: ({ threadId }) => mail.readThread(threadId),
    }),
    defineTeamTool(members, {
      name: 'mcp__mail__send',
      title: 'Send a mail',
      description:
        'Sends a mail to another member of the team (toAgentId) or to the person in charge (toHuman: true): name exactly one of them. Use it to ask for help, to report, or to hand over work. Put everything the reader needs into the body. To answer a mail, use mcp__mail__reply, which keeps the thread together.',
      input: MailDraft,
      rule: recipientRule,
      output: MailReceipt,
      run: (draft, { actor, options }) => mail.send(actor, draft, options),
    }),
    defineTeamTool(members, {
      name: 'mcp__mail__reply',
      title: 'Reply to a mail',
      description:
        'Answers a mail you received. The reply goes to the sender, in the same thread, with "Re: " before the subject.',
      input: MailReply,
      output: MailReceipt,
      run: (reply, { actor, options }) => mail.reply(actor, reply, options),
    }),
  ];
}

/** Tells a run that it reads what another member wrote. The user's own mail does not count as text from outside. */
function noteReading({ caller }: ToolContext, { fromAgentId }: Pick<Mail, 'fromAgentId'>): void {
  if (fromAgentId !== null) caller.reading?.add(`mail from ${fromAgentId}`);
}

function toReceived({
  toAgentId: _to,
  isForHuman: _isForHuman,
  escalation: _escalation,
  ...received
}: Mail): ReceivedMail {
  return received;
}
