import { z } from 'zod';
import type { Route } from './route.ts';

const codes = [
  'PERMISSION_DENIED',
  'TOOL_NOT_FOUND',
  'INVALID_INPUT',
  'AGENT_NOT_FOUND',
  'RESOURCE_NOT_FOUND',
  'INVALID_AGENT_STATE',
  'INTERNAL_ERROR',
  'TRANSIENT_ERROR',
] as const;

/** `POST /mcp/execute` for the API's description; `execute-handler.ts` answers it. */
export const executeOperation: Omit<Route, 'handle'> = {
  method: 'post',
  path: '/mcp/execute',
  group: 'Team',
  summary: 'Call a tool as a member of the team',
  description:
    'Send the token of the member as `Authorization: Bearer`; `agentId` must be that member. While no member has a token, `agentId` is believed. ' +
    `With an idempotencyKey (or the header Idempotency-Key) the same call again has no second effect. A failure is {success: false, error: {code, message, details}} with one of ${codes.join(', ')}; details.retryable says whether the same call may be sent again.`,
  body: {
    schema: z.strictObject({
      agentId: z.string().min(1).max(200).optional().describe('May be left out with a token.'),
      toolName: z.string().min(1),
      input: z.record(z.string(), z.unknown()).optional(),
      idempotencyKey: z.string().min(1).max(200).optional(),
    }),
    example: {
      agentId: 'worker-123',
      toolName: 'mcp__mail__send',
      input: { toAgentId: 'supervisor-456', subject: 'Task Blocked', body: 'I need help unblocking this task' },
    },
  },
  answer: {
    status: 200,
    description: 'What the tool returned.',
    schema: z.object({
      success: z.literal(true),
      data: z.record(z.string(), z.unknown()),
      timestamp: z.iso.datetime(),
    }),
  },
  errors: [400, 403, 404, 409, 500, 503, 507],
};
