import { z } from 'zod';
import type { Budget } from '../engine/budget.ts';
import type { ApprovalAnswer } from '../engine/run-events.ts';
import type { Purse } from '../tools/caller.ts';
import { Chat, type ChatEvent } from './chat.ts';
import type { ChatChange, ChatQuery, NewChat } from './chat-input.ts';

export const FoundChat = Chat.extend({
  snippet: z.string().nullable().describe('The matching text. Null without a text search, and if the title matched.'),
});
export type FoundChat = z.infer<typeof FoundChat>;

/** What the model is given beside the messages, for people to look at. */
export const ChatContext = z.object({
  system: z.string(),
  skills: z.array(z.object({ id: z.string(), name: z.string() })),
  tools: z.array(z.object({ name: z.string(), description: z.string(), needsApproval: z.boolean() })),
  /** Of the knowledge base, in the system prompt. */
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
});
export type ChatContext = z.infer<typeof ChatContext>;

/** The conversations that are kept, for every surface: web, terminal, A2A. Each surface checks what it is given by `chat-input`. */
export interface Chats {
  create(chat: NewChat): Promise<Chat>;
  /** Throws NOT_FOUND. */
  get(id: string): Promise<Chat>;
  /** Newest first. */
  list(query: ChatQuery): Promise<{ chats: FoundChat[]; cursor: string | null }>;
  /**
   * Takes effect with the next message. Another agent begins without the arguments of the one before. Throws NOT_FOUND,
   * AGENT_NOT_FOUND, CONFLICT while it answers, INVALID_ARGUMENTS for arguments that are missing or not the agent's.
   */
  update(id: string, change: ChatChange): Promise<Chat>;
  /** Stops its answer first. */
  remove(id: string): Promise<void>;
  /** Deletes chats that nobody used since, and says how many; one that is being answered stays. */
  prune(before: number): Promise<number>;
  /** Returns when the message is kept and the answer has begun. `replaces`: the id of a message that it is sent instead of. Throws CONFLICT while it answers. */
  send(
    id: string,
    message: {
      text: string;
      replaces?: string | undefined;
      budget?: Budget | undefined;
      /** How many agents called each other before this one; the tools of this answer are called with it. */
      depth?: number | undefined;
      /** Of the run that asks, where one does: it pays for the answer. */
      payer?: Purse | undefined;
    },
  ): Promise<{ messageId: string; runId: string }>;
  /** Answers the last message again. */
  retry(id: string): Promise<{ messageId: string; runId: string }>;
  /** Resolves when the answer has ended, in whichever process it runs. */
  stop(id: string): Promise<void>;
  /** Throws NOT_FOUND when no such question is open, CONFLICT when it was answered otherwise. */
  answer(id: string, toolUseId: string, answer: ApprovalAnswer): Promise<void>;
  /** What happened after `after`, then what happens, until the signal. Of every process. */
  events(id: string, options: { after?: number | undefined; signal: AbortSignal }): AsyncIterable<ChatEvent>;
  context(id: string): Promise<ChatContext>;
  /** Stops answers and lets go of sessions; what was said stays in the store. */
  close(): Promise<void>;
}
