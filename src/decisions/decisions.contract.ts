import { z } from 'zod';
import { defineContract } from '../base/contract.ts';
import { moment, nextCursor, pageQuery, wholeNumber } from '../base/contract-fields.ts';
import { decisionKinds } from '../tools/decision-log.ts';

/** PostgreSQL rejects NUL characters, even in queries. */
const name = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => !text.includes('\0'), 'must not contain a NUL character')
  .optional();
/** The filters of the list and of its chart. */
const filters = {
  agentId: name.describe('The id of a member.'),
  tool: name,
  kind: z.enum(decisionKinds).optional(),
  taskId: name,
  callId: name.describe('Returns the request and the outcome of one call.'),
  text: z.string().min(1).max(200).optional(),
};

const DecisionBody = z.object({
  seq: z.int(),
  callId: z.string(),
  kind: z.enum(decisionKinds),
  at: z.iso.datetime(),
  surface: z.string(),
  client: z.string().exactOptional().describe('The name of the key that a client called with.'),
  agentId: z.string().nullable(),
  persona: z.string().nullable(),
  taskId: z.string().nullable(),
  tool: z.string(),
  decision: z.string(),
  reasoning: z.string(),
  context: z.unknown().describe('The stored input or output. Null if it is not JSON. Stack traces stay on the server.'),
  chain: z.string(),
  chainNo: z.int(),
  hash: z.string(),
});
export type DecisionBody = z.infer<typeof DecisionBody>;

const DecisionListBody = z.object({
  decisions: z.array(DecisionBody),
  cursor: nextCursor,
  newest: z.string().nullable().describe('Send it as `after` to get newer entries, oldest first.'),
});
export type DecisionListBody = z.infer<typeof DecisionListBody>;

export const VerifyBody = z.object({
  rows: z.int().describe('The number of entries that were read.'),
  chains: z.int(),
  problems: z.array(z.object({ chain: z.string(), chainNo: z.int(), seq: z.int().nullable(), message: z.string() })),
  proven: z.array(z.string()),
  unproven: z.array(z.string()).describe('What cannot be proven here, and why.'),
});
export type VerifyBody = z.infer<typeof VerifyBody>;

/** The decision log, for the user. */
export const decisionsContract = defineContract('Decisions', {
  'GET /api/decisions': {
    right: 'administer',
    summary: 'List decisions',
    description: 'A page of a text search can be empty and still have a cursor: continue there.',
    query: pageQuery.extend({
      ...filters,
      since: moment.optional(),
      until: moment.optional(),
      after: z
        .string()
        .min(1)
        .max(500)
        .optional()
        .describe('`newest` of an earlier page. Returns newer entries, oldest first.'),
    }),
    answer: 'Decisions, newest first.',
    output: DecisionListBody,
    errors: [400],
  },
  'GET /api/decisions/counts': {
    right: 'administer',
    summary: 'Count calls and errors over time',
    description:
      'A call counts once, when it ends, if any of its entries matches: `errors` are the failed ones among `calls`. With `kind`, `calls` counts the entries of that kind. Only what lies between `since` and `until` counts.',
    query: z.strictObject({
      since: moment,
      until: moment,
      step: wholeNumber
        .min(1)
        .max(44_640)
        .describe(
          'The length of an interval in minutes. Intervals begin at its multiples, in UTC, so the first and the last may be partly outside the range.',
        ),
      ...filters,
    }),
    answer: 'One entry for each interval that has calls.',
    output: z.object({
      stepMinutes: z.int(),
      counts: z.array(z.object({ at: z.iso.datetime(), calls: z.int(), errors: z.int() })),
      completeSince: z.iso
        .datetime()
        .nullable()
        .describe('Set if the filter needs a search that stopped early: earlier entries are not counted.'),
    }),
    errors: [400],
  },
  'GET /api/decisions/tools': {
    right: 'administer',
    summary: 'List the tools in the log',
    answer: 'The names of the tools.',
    output: z.object({ tools: z.array(z.string()) }),
  },
  'GET /api/decisions/verify': {
    right: 'administer',
    hasOwnLimits: true,
    summary: 'Verify the log',
    description:
      'Reads the whole log, which may take a while. Reports which entries were changed or are missing, what that proves, and what it cannot prove.',
    answer: 'The report.',
    output: VerifyBody,
  },
  'GET /api/decisions/{seq}': {
    right: 'administer',
    summary: 'Read one decision',
    answer: 'The decision.',
    output: DecisionBody,
    errors: [404],
  },
});
