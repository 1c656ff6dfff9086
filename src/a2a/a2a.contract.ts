import { z } from 'zod';
import { defineContract } from '../base/contract.ts';

const Card = z.looseObject({
  name: z.string(),
  description: z.string(),
  version: z.string(),
  supportedInterfaces: z.array(z.looseObject({ url: z.string(), protocolBinding: z.string() })),
  skills: z.array(z.looseObject({ id: z.string(), name: z.string() })),
});

/** Autonomous agents as A2A peers: cards, their registry, and the address for messages. */
export const a2aContract = defineContract('A2A', {
  'GET /agents': {
    right: 'use',
    scopedBy: 'handler',
    summary: 'List agent cards',
    answer: 'The card and card address of every autonomous agent. Has an ETag.',
    output: z.object({
      agents: z.array(
        z.object({
          id: z.string(),
          cardUrl: z.string(),
          card: Card,
          name: z.string(),
          description: z.string(),
          path: z.string(),
          url: z.string(),
          agentCard: z.string().describe('The same as `cardUrl`.'),
        }),
      ),
      count: z.int(),
    }),
  },
  'GET /agents/{id}/.well-known/agent-card.json': {
    right: 'use',
    scopedBy: 'id',
    summary: 'Read the card of an autonomous agent',
    description: 'The same card serves A2A 1.0 and 0.3. It has an ETag; a matching If-None-Match returns 304.',
    answer: 'The card.',
    output: Card,
    errors: [404],
  },
  'POST /agents/{id}/a2a': {
    right: 'work',
    scopedBy: 'id',
    hasOwnLimits: true,
    summary: 'Send a message to an autonomous agent',
    description:
      'Accepts A2A 1.0 JSON-RPC (SendMessage, SendStreamingMessage, GetTask, ListTasks, CancelTask, SubscribeToTask). Without the A2A-Version header, the request is read as A2A 0.3. Streams are server-sent events.',
    body: z.looseObject({
      jsonrpc: z.literal('2.0'),
      id: z.union([z.string(), z.number(), z.null()]).optional(),
      method: z.string(),
      params: z.looseObject({}).optional(),
    }),
    isBodyPassedOn: true,
    example: {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'Hello' }] } },
    },
    answer: 'A JSON-RPC response, which can carry an A2A error.',
    output: z.looseObject({}),
    errors: [400, 404, 413, 415],
  },
});

/** Returns the id for the reply to a JSON-RPC request; null if the request has no valid id. */
export function requestId(body: unknown): string | number | null {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
