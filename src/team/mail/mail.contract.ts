import { z } from 'zod';
import { defineContract } from '../../base/contract.ts';
import { flag, nextCursor, pageQuery } from '../../base/contract-fields.ts';
import { bodyText, Mail, MailDraft, MailThread } from './mail.ts';

const MailSent = z.object({ mailId: z.string(), timestamp: z.iso.datetime() });

const unreadCount = z.int().describe('Unread mails for the person, counted up to 1,000.');

/** The person's mail. Members have theirs by their tools. */
export const mailContract = defineContract('Mail', {
  'GET /api/mail': {
    right: 'administer',
    summary: 'List threads of mail',
    query: pageQuery.extend({
      all: flag.describe('Also those between members.'),
      unread: flag.describe('Only those with unread mail for the person.'),
      escalations: flag.describe('Only those that tell of a fault.'),
      text: z.string().trim().min(1).max(200).optional().describe('In subject or body.'),
    }),
    answer: 'By their newest mail.',
    output: z.object({ threads: z.array(MailThread), cursor: nextCursor, unread: unreadCount }),
    errors: [400],
  },
  'GET /api/mail/threads/{threadId}': {
    right: 'administer',
    summary: 'Open a thread',
    description: 'Marks as read what is for the person; `peek=true` does not.',
    query: pageQuery.extend({ peek: flag }),
    answer: 'Its mails, oldest first; of a long thread the newest, and a cursor for those before them.',
    output: z.object({ mails: z.array(Mail), cursor: nextCursor }),
    errors: [400, 404],
  },
  'GET /api/mail/{mailId}': {
    right: 'administer',
    summary: 'Read a mail',
    answer: 'The mail; read from now on when it is for the person.',
    output: Mail,
    errors: [404],
  },
  'POST /api/mail': {
    right: 'administer',
    summary: 'Write to a member',
    description: 'With an Idempotency-Key header the same request again sends nothing and gets the first answer.',
    body: MailDraft.omit({ toHuman: true }).required({ toAgentId: true }),
    example: { toAgentId: 'worker-1', subject: 'Hello', body: 'How far are you?' },
    takesIdempotencyKey: true,
    status: 201,
    answer: 'It is sent.',
    output: MailSent,
    errors: [400, 404],
  },
  'POST /api/mail/{mailId}/reply': {
    right: 'administer',
    summary: 'Answer a mail',
    body: z.strictObject({ body: bodyText }),
    example: { body: 'Go on with the second way.' },
    takesIdempotencyKey: true,
    status: 201,
    answer: 'It is sent.',
    output: MailSent,
    errors: [400, 404, 409],
  },
});
