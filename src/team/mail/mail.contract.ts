import { z } from 'zod';
import { defineContract } from '../../base/contract.ts';
import { flag, nextCursor, pageQuery } from '../../base/contract-fields.ts';
import { Mail, MailDraft, MailReceipt, MailReply, MailThread, ReadReceipt } from './mail.ts';

const unreadCount = z.int().describe('The number of unread mails for you, counted up to 1,000.');

/** The user's mail. Members use their tools instead. */
export const mailContract = defineContract('Mail', {
  'GET /api/mail': {
    right: 'administer',
    summary: 'List mail threads',
    query: pageQuery.extend({
      all: flag.describe('Include threads between members.'),
      unread: flag.describe('Only threads with unread mail for you.'),
      escalations: flag.describe('Only threads that report a failure.'),
      text: z.string().trim().min(1).max(200).optional().describe('Text to find in subject or body.'),
    }),
    answer: 'Threads, by newest mail.',
    output: z.object({ threads: z.array(MailThread), cursor: nextCursor, unread: unreadCount }),
    errors: [400],
  },
  'GET /api/mail/threads/{threadId}': {
    right: 'administer',
    summary: 'Read a mail thread',
    description: 'Marks nothing as read; `POST /api/mail/threads/{threadId}/read` does.',
    query: pageQuery,
    answer: 'The mails, oldest first. For a long thread, the newest ones and a cursor for earlier ones.',
    output: z.object({ mails: z.array(Mail), cursor: nextCursor }),
    errors: [400, 404],
  },
  'GET /api/mail/{mailId}': {
    right: 'administer',
    summary: 'Read a mail',
    answer: 'The mail.',
    output: Mail,
    errors: [404],
  },
  'POST /api/mail/threads/{threadId}/read': {
    right: 'administer',
    isToolCall: true,
    summary: 'Mark the mail to you in a thread as read',
    answer: 'When it was marked.',
    output: ReadReceipt,
    errors: [404],
  },
  'POST /api/mail/{mailId}/read': {
    right: 'administer',
    isToolCall: true,
    summary: 'Mark a mail to you as read',
    answer: 'The mail.',
    output: Mail,
    errors: [404],
  },
  'POST /api/mail': {
    right: 'administer',
    isToolCall: true,
    summary: 'Send mail to a member',
    description:
      'With an Idempotency-Key header, repeating the request sends no second mail and returns the first reply.',
    body: MailDraft.omit({ toHuman: true }).required({ toAgentId: true }),
    example: { toAgentId: 'worker-1', subject: 'Hello', body: 'How far are you?' },
    takesIdempotencyKey: true,
    status: 201,
    answer: 'The mail was sent.',
    output: MailReceipt,
    errors: [400, 404],
  },
  'POST /api/mail/{mailId}/reply': {
    right: 'administer',
    isToolCall: true,
    summary: 'Reply to a mail',
    body: MailReply.omit({ originalMailId: true }),
    example: { body: 'Continue with the second option.' },
    takesIdempotencyKey: true,
    status: 201,
    answer: 'The mail was sent.',
    output: MailReceipt,
    errors: [400, 404, 409],
  },
});
