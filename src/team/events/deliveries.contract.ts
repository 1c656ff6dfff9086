import { z } from 'zod';
import { defineContract } from '../../base/contract.ts';
import { nextCursor, pageQuery } from '../../base/contract-fields.ts';

const moment = z.iso.datetime();
const deliveryStates = z.enum(['pending', 'done', 'dead']);
const Delivery = z.object({
  id: z.string(),
  eventId: z.string(),
  type: z.string(),
  data: z.string().describe('JSON text.'),
  createdAt: moment,
  target: z.string().describe('`handler:NAME:TYPE`, `webhook:NAME` or `inngest`.'),
  state: deliveryStates,
  attempts: z.int(),
  nextAttemptAt: moment.nullable(),
  lastError: z.string().nullable(),
  deliveredAt: moment.nullable(),
});
export type Delivery = z.infer<typeof Delivery>;

/** The failed deliveries to one target. */
export interface DeadLetters {
  count: number;
  /** The newest first; not all of them if they are many. */
  newest: Delivery[];
}

export const DeliveryCounts = z.object({ pending: z.int(), dead: z.int() });

export const deliveriesContract = defineContract('Team', {
  'GET /api/team/deliveries': {
    right: 'administer',
    summary: 'List event deliveries',
    query: pageQuery.extend({ state: deliveryStates.optional() }),
    answer: 'Deliveries, newest first.',
    output: z.object({ deliveries: z.array(Delivery), cursor: nextCursor, ...DeliveryCounts.shape }),
    errors: [400],
  },
  'POST /api/team/deliveries/{id}/retry': {
    right: 'administer',
    summary: 'Retry a failed delivery',
    answer: 'The delivery is due now.',
    output: z.object({ success: z.literal(true) }),
    errors: [404],
  },
});
