import { z } from 'zod';
import { defineContract, outline } from '../base/contract.ts';
import { SearchResult } from '../knowledge/search/search-request.ts';
import { AgentArgument, AgentSourceKind, KnowledgeQuery } from './agent.ts';
import type { AgentPrompt } from './agent-prompt.ts';

const Arguments = z.record(z.string(), z.unknown());

export const PromptAgentListBody = z.object({
  agents: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      tools: z.array(z.string()),
      source: AgentSourceKind,
      arguments: z.array(AgentArgument),
    }),
  ),
});

export const PromptBody = z.object({
  result: outline<AgentPrompt>()(
    z.object({
      system: z.string(),
      tools: z.array(z.string()),
      messages: z.array(z.object({ role: z.enum(['user', 'assistant', 'system']), content: z.unknown() })),
    }),
  ),
});

/** Prompts for clients that do not use MCP. */
export const promptsContract = defineContract('Prompts', {
  'GET /agents/list': {
    right: 'use',
    scopedBy: 'handler',
    summary: 'List agents and their arguments',
    answer: 'The agents. `name` is the id.',
    output: PromptAgentListBody,
  },
  'POST /agents/{name}/prompt': {
    right: 'use',
    scopedBy: 'name',
    hasOwnLimits: true,
    summary: "Resolve an agent's prompt",
    description:
      'Send the arguments under `arguments`, or as the body itself. An empty body means no arguments. A script gets any JSON value; other agents take text, numbers and booleans.',
    body: z.union([z.object({ arguments: Arguments.nullable() }), Arguments]),
    isBodyOptional: true,
    isBodyPassedOn: true,
    example: { arguments: { service: 'payments-api' } },
    answer: 'The prompt.',
    output: PromptBody,
    errors: [400, 404, 408, 500],
  },
});

/** The result of one of an agent's searches. */
const Priming = z.object({
  query: KnowledgeQuery,
  words: z.string().describe('The words that were searched for.'),
  passages: z.array(SearchResult),
});
export type Priming = z.infer<typeof Priming>;

const PrimeBody = z.object({
  primings: z.array(Priming),
  /** The text after the compiled prompt; empty if nothing was found. */
  text: z.string(),
});
export type PrimeBody = z.infer<typeof PrimeBody>;

export const primeContract = defineContract('Knowledge', {
  'POST /api/knowledge/prime': {
    right: 'use',
    hasOwnLimits: true,
    summary: 'Preview the passages an agent would be primed with',
    body: z.strictObject({
      arguments: z.array(AgentArgument).max(50).default([]),
      knowledge: z.array(KnowledgeQuery).max(20),
      values: z.record(z.string(), z.string().max(10_000)).default({}),
    }),
    example: { arguments: [], knowledge: [{ query: 'coding standards', limit: 3 }], values: {} },
    answer: 'The passages, and the text they would add to the prompt.',
    output: PrimeBody,
    errors: [400],
  },
});
