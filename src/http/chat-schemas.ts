import { z } from 'zod';
import type * as Api from './chat-types.ts';

/** The bodies of `chat-types.ts` as schemas, for the API's description of itself. The compiler keeps both alike. */

const moment = z.number().describe('Milliseconds since the epoch.');
const Usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number(),
  reasoningTokens: z.number(),
});

export const ChatBody = z.object({
  id: z.string(),
  agentId: z.string(),
  title: z.string(),
  model: z.string().nullable().describe("Null while the agent's own is used."),
  origin: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('chat') }),
    z.object({ kind: z.literal('test'), tool: z.string(), parameters: z.record(z.string(), z.json()) }),
    z.object({ kind: z.literal('a2a') }),
  ]),
  state: z.enum(['idle', 'answering', 'waiting', 'interrupted']),
  createdAt: moment,
  updatedAt: moment,
  usage: Usage,
  cost: z.number().nullable().describe('US dollars; null when a price is not known.'),
  lastSeq: z.int(),
}) satisfies z.ZodType<Api.ChatBody>;

export const ChatListBody = z.object({
  chats: z.array(ChatBody.extend({ snippet: z.string().nullable() })),
  cursor: z.string().nullable(),
}) satisfies z.ZodType<Api.ChatListBody>;

export const MessageSentBody = z.object({
  messageId: z.string(),
  runId: z.string(),
}) satisfies z.ZodType<Api.MessageSentBody>;

export const ChatContextBody = z.object({
  system: z.string(),
  skills: z.array(z.object({ id: z.string(), name: z.string() })),
  tools: z.array(z.object({ name: z.string(), description: z.string(), needsApproval: z.boolean() })),
  passages: z.array(
    z.object({
      documentId: z.string(),
      title: z.string(),
      source: z.string(),
      path: z.string(),
      text: z.string(),
      score: z.number(),
    }),
  ),
}) satisfies z.ZodType<Api.ChatContextBody>;
