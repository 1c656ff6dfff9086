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

/** The model's input besides the messages, for display. */
export const ChatContext = z.object({
  system: z.string(),
  skills: z.array(z.object({ id: z.string(), name: z.string() })),
  tools: z.array(z.object({ name: z.string(), description: z.string(), needsApproval: z.boolean() })),
  /** Passages from the knowledge base in the system prompt. */
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

/** The stored conversations, for all surfaces: web, terminal, A2A. Each surface validates its input with `chat-input`. */
export interface Chats {
  /** `id` is a new one by default. Throws CONFLICT if it is taken. */
  create(chat: NewChat, options?: { id?: string | undefined }): Promise<Chat>;
  /** Throws NOT_FOUND. */
  get(id: string): Promise<Chat>;
  /** Newest first. */
  list(query: ChatQuery): Promise<{ chats: FoundChat[]; cursor: string | null }>;
  /**
   * Takes effect with the next message. A new agent starts without the previous agent's arguments. Throws NOT_FOUND,
   * AGENT_NOT_FOUND, CONFLICT while an answer is in progress, INVALID_ARGUMENTS for missing or unknown arguments.
   */
  update(id: string, change: ChatChange): Promise<Chat>;
  /** Stops an answer in progress, then deletes the chat. */
  remove(id: string): Promise<void>;
  /** Deletes chats not used since `before`, except those with an answer in progress. Returns how many. */
  prune(before: number): Promise<number>;
  /** Resolves when the message is stored and the answer has started. `replaces` is the id of a message to replace. Throws CONFLICT while an answer is in progress. */
  send(
    id: string,
    message: {
      text: string;
      replaces?: string | undefined;
      budget?: Budget | undefined;
      /** The number of agents in the chain of calls so far. The tools of this answer are called with it. */
      depth?: number | undefined;
      /** The budget of the calling run, which pays for the answer. */
      payer?: Purse | undefined;
      /** What the calling run has read from outside. */
      alreadyRead?: readonly string[] | undefined;
    },
  ): Promise<{ messageId: string; runId: string }>;
  /** Generates a new answer to the last message. */
  retry(id: string): Promise<{ messageId: string; runId: string }>;
  /** Resolves when the answer has ended, in whichever process it runs. */
  stop(id: string): Promise<void>;
  /** Throws NOT_FOUND if no such question is open, CONFLICT if it was decided differently. */
  answer(id: string, toolUseId: string, answer: ApprovalAnswer): Promise<void>;
  /** Yields the events after `after`, then new events of all processes, until aborted. */
  events(id: string, options: { after?: number | undefined; signal: AbortSignal }): AsyncIterable<ChatEvent>;
  context(id: string): Promise<ChatContext>;
  /** Stops answers and closes sessions. The chats stay in the store. */
  close(): Promise<void>;
}
