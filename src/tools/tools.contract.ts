import { z } from 'zod';
import { defineContract, outline } from '../base/contract.ts';
import type { JsonSchema } from '../base/json-schema/json-schema.ts';
import type { ContentBlock } from './content.ts';

const scope = z.strictObject({
  agent: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("The id of an agent. Only tools in the agent's scope can be listed or called."),
});
const schemaBody = outline<JsonSchema>()(z.record(z.string(), z.unknown()).describe('A JSON Schema.'));
const content = outline<ContentBlock[]>()(z.array(z.looseObject({ type: z.string() })));

const ToolBody = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  origin: z.string(),
  annotations: z.object({
    readOnlyHint: z.boolean(),
    destructiveHint: z.boolean(),
    idempotentHint: z.boolean(),
    openWorldHint: z.boolean(),
  }),
  inputSchema: schemaBody,
  outputSchema: schemaBody.nullable(),
});
export type ToolBody = z.infer<typeof ToolBody>;
/** A tool as `GET /tools/list` shows it, also under the field names of Context Harness. */
const ListedTool = ToolBody.extend({
  parameters: schemaBody.describe('The same as `inputSchema`.'),
  builtin: z.boolean().describe('Whether the tool is part of Agent Zoo.'),
});
export const ToolListBody = z.object({ tools: z.array(ListedTool) });

/** A tool, where it comes from, and who may call it. */
const ToolDetailBody = ToolBody.extend({
  /** Set for a tool of an external server. */
  server: z.object({ name: z.string(), remoteName: z.string() }).nullable(),
  isForMembers: z.boolean(),
  requiresApproval: z.boolean(),
  /** Agents that have the tool in their scope. */
  agents: z.array(z.object({ id: z.string(), name: z.string() })),
  /** Member types that may call the tool. */
  memberTypes: z.array(z.string()),
});
export type ToolDetailBody = z.infer<typeof ToolDetailBody>;

const ended = { callId: z.string(), durationMs: z.number() };
const ToolTrialBody = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    ...ended,
    content,
    structuredContent: z.json(),
    isError: z.boolean(),
  }),
  z.object({
    ok: z.literal(false),
    ...ended,
    error: z.object({
      code: z.string(),
      message: z.string(),
      issues: z
        .array(z.object({ path: z.string(), message: z.string() }))
        .exactOptional()
        .describe('The rejected fields, with the rule that each one breaks.'),
    }),
  }),
]);
export type ToolTrialBody = z.infer<typeof ToolTrialBody>;

export const ToolResultBody = z.object({
  result: z.record(z.string(), z.unknown()),
  content: content.exactOptional().describe('Content blocks, if the tool returned more than data.'),
});

export const toolsContract = defineContract('Tools', {
  'GET /api/tools': {
    right: 'administer',
    summary: 'List all tools and who may call them',
    answer: 'All tools, including those of the team and of external servers.',
    output: z.object({ tools: z.array(ToolDetailBody) }),
  },
  'POST /api/tools/{name}/call': {
    right: 'administer',
    isToolCall: true,
    hasOwnLimits: true,
    summary: 'Test a tool',
    description:
      'Makes a real call, which is checked and logged like any other. A failed call returns 200 with "ok": false.',
    body: z.strictObject({
      input: z.record(z.string(), z.unknown()).default({}),
      agentId: z.string().min(1).max(200).optional().describe('Call the tool within the scope of this agent.'),
      memberId: z.string().min(1).max(200).optional().describe('Call the tool as this member of the team.'),
    }),
    isBodyOptional: true,
    example: { input: {} },
    answer: 'The outcome of the call.',
    output: ToolTrialBody,
    errors: [400, 404],
  },
  'GET /tools/list': {
    right: 'use',
    scopedBy: 'handler',
    summary: 'List tools',
    query: scope,
    answer: 'The tools.',
    output: ToolListBody,
    errors: [404],
  },
  'POST /tools/{name}': {
    // The tool itself may need more.
    right: 'use',
    scopedBy: 'handler',
    hasOwnLimits: true,
    summary: 'Call a tool',
    description: 'The body is the input of the tool. An empty body means {}.',
    query: scope,
    body: z.record(z.string(), z.unknown()),
    isBodyOptional: true,
    isBodyPassedOn: true,
    example: { agentId: 'code-wizard' },
    answer: 'The result of the tool.',
    output: ToolResultBody,
    errors: [400, 403, 404, 500, 503],
  },
});
