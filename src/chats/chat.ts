import { z } from 'zod';
import { Usage } from '../engine/model.ts';

const moment = z.number().describe('Milliseconds since the epoch.');

/** Where a conversation came from: a person, the test of a Tools-mode tool, another agent over A2A. */
const ChatOrigin = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('chat') }),
  z.object({ kind: z.literal('test'), tool: z.string(), parameters: z.record(z.string(), z.json()) }),
  z.object({ kind: z.literal('a2a') }),
]);
export type ChatOrigin = z.infer<typeof ChatOrigin>;

/** A conversation that is kept. Its id is the context id of its session. */
export const Chat = z.object({
  id: z.string(),
  agentId: z.string(),
  title: z.string(),
  /** `provider/model` that a person chose. */
  model: z.string().nullable().describe("Null if the agent's own model is used."),
  origin: ChatOrigin,
  /** `waiting`: a tool call needs approval. `interrupted`: the process that answered is gone. */
  state: z.enum(['idle', 'answering', 'waiting', 'interrupted']),
  createdAt: moment,
  updatedAt: moment,
  /** Of all answers together. */
  usage: Usage,
  cost: z.number().nullable().describe('In US dollars. Null if a price is unknown.'),
  /** Number of the newest event. */
  lastSeq: z.int(),
});
export type Chat = z.infer<typeof Chat>;
