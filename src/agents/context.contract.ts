import { z } from 'zod';
import { defineContract } from '../base/contract.ts';
import { Agent } from './agent.ts';

/** What becomes of one of an agent's context references. */
export const ContextItem = z.object({
  /** As the agent names it. */
  ref: z.string(),
  /** Where a client can read it: the page itself, or a resource of the hub for a file. */
  uri: z.string(),
  mimeType: z.string().exactOptional(),
  /** `embedded`: its text is in the prompt. `link`: clients get its address. `missing`: it cannot be delivered; `note` says why. */
  delivery: z.enum(['embedded', 'link', 'missing']),
  /** An estimate; null if it was not read. */
  tokens: z.int().nullable(),
  /** Why it is not embedded, as a sentence. */
  note: z.string().exactOptional(),
});
export type ContextItem = z.infer<typeof ContextItem>;

const ContextPreview = z.object({
  items: z.array(ContextItem),
  /** The text that the prompt gets; empty if there are no references. */
  text: z.string(),
  /** How many tokens of the budget the embedded text uses. */
  used: z.int(),
});
export type ContextPreview = z.infer<typeof ContextPreview>;

export const contextContract = defineContract('Agents', {
  'POST /api/agents/context': {
    right: 'administer',
    hasOwnLimits: true,
    isAct: false,
    summary: 'Preview the files and pages an agent would be given',
    description: 'Reads files inside the allowed folders, and public addresses.',
    body: z.strictObject({
      id: Agent.shape.id,
      contextRefs: Agent.shape.contextRefs,
      contextBudget: Agent.shape.contextBudget,
    }),
    example: { id: 'code-wizard', contextRefs: ['docs/style.md'], contextBudget: 4_000 },
    answer: 'What becomes of each reference, and the text for the prompt.',
    output: ContextPreview,
    errors: [400],
  },
});
