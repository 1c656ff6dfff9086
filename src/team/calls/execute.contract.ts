import { z } from 'zod';
import { defineContract } from '../../base/contract.ts';
import { teamErrorStatuses } from '../../base/error-codes.ts';

/** An optional text. Null counts as omitted. */
const text = z.string().min(1).max(200).nullish();

const fields = 'agentId, toolName, input and idempotencyKey';

export const ToolCallBody = z.strictObject(
  {
    agentId: text.describe('Optional if you send a token.'),
    toolName: z.string().min(1),
    // The tool checks it, so that a rejected call is logged like every call.
    input: z
      .unknown()
      .meta({ type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} })
      .optional(),
    idempotencyKey: text,
  },
  {
    error: (issue) => {
      if (issue.code === 'invalid_type') return 'The body must be a JSON object with agentId, toolName and input.';
      if (issue.code === 'unrecognized_keys') return `${issue.keys[0]}: is not a known field. A call has ${fields}.`;
      return undefined;
    },
  },
);

/** Served directly by Node's server, without the layers of other routes, because every worker calls this route all the time. */
export const executeContract = defineContract('Team', {
  'POST /mcp/execute': {
    // The tool itself may require more.
    right: 'use',
    summary: 'Call a tool as a member of the team',
    description:
      "Send the member's token as `Authorization: Bearer`; `agentId` must name that member. While no member has a token, `agentId` alone identifies the caller. " +
      `With an idempotencyKey (or the Idempotency-Key header), repeating a call has no second effect. A failure is {success: false, error: {code, message, details}}; code is one of ${Object.keys(teamErrorStatuses).join(', ')}. details.retryable tells whether you can send the same call again.`,
    body: ToolCallBody,
    example: {
      agentId: 'worker-123',
      toolName: 'mcp__mail__send',
      input: { toAgentId: 'supervisor-456', subject: 'Task Blocked', body: 'I need help unblocking this task' },
    },
    takesIdempotencyKey: true,
    answer: 'The result of the tool.',
    output: z.object({
      success: z.literal(true),
      data: z.record(z.string(), z.unknown()),
      timestamp: z.iso.datetime(),
    }),
    errors: [400, 403, 404, 409, 500, 503, 507],
  },
});
