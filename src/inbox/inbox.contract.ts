import { z } from 'zod';
import { defineContract } from '../base/contract.ts';
import { FirstSteps, InboxItem } from './inbox.ts';

const ids = z.array(z.string().min(1).max(500)).min(1).max(200);

/** What waits for the owner. Each item names the operation that settles it, and the owner may use all of them. */
export const inboxContract = defineContract('Inbox', {
  'GET /api/inbox': {
    right: 'administer',
    summary: 'List what is waiting for you',
    description:
      'Approvals, reviews, tools to accept, failures, unread mail, parts of the config to trust, and sign-ins that are needed or expire soon. At most 50 of each kind.',
    answer: 'The items, the most urgent first, then the newest.',
    output: z.object({
      items: z.array(InboxItem),
      hasMore: z.boolean().describe('Whether a kind has more items than are listed.'),
    }),
  },
  'POST /api/inbox/dismissed': {
    right: 'administer',
    summary: 'Dismiss items',
    description:
      'Failures, tools to accept, sign-ins and trust questions leave the inbox until something new happens. The other items wait until they are settled.',
    body: z.strictObject({ ids }),
    example: { ids: ['run:run_01'] },
    shownFields: ['ids'],
    status: 204,
    answer: 'They are dismissed.',
    errors: [400],
  },
  'DELETE /api/inbox/dismissed/{id}': {
    right: 'administer',
    summary: 'Undo a dismissal',
    status: 204,
    answer: 'It is no longer dismissed.',
  },
  'GET /api/first-steps': {
    right: 'administer',
    summary: 'Read how far this hub is set up',
    answer: 'What was seen to work, and the MCP clients that have connected.',
    output: FirstSteps,
  },
});
