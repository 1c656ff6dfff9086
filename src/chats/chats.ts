import { z } from 'zod';
import type { Budget } from '../engine/budget.ts';
import type { Message } from '../engine/message.ts';
import type { ApprovalAnswer } from '../engine/run-events.ts';
import type { Purse, RunCall, WorkedFor } from '../tools/caller.ts';
import type { AttachmentInput } from './attachments/attachment.ts';
import type { AttachedFile } from './attachments/read-attachment.ts';
import { Chat, type ChatEvent } from './chat.ts';
import type { ChatChange, ChatQuery, NewChat } from './chat-input.ts';

export const FoundChat = Chat.extend({
  snippet: z.string().nullable().describe('The matching text. Null without a text search, and if the title matched.'),
  isOnOtherBranch: z.boolean().describe('Whether the matching text is only on a branch that is not active.'),
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

/** Who sends a message; the user by default. */
interface SentBy {
  /** Whom the answer is counted for. */
  workedFor?: WorkedFor | undefined;
  /** Identifies the sender. Senders take turns in having their files read. */
  callerKey?: string | undefined;
}

/** What is known of the run that gave an answer, for a copy of the answer. */
export interface CopiedAnswer {
  /** Null for a run of a program. */
  agentId: string | null;
  model: string;
  startedAt: number;
  finishedAt: number;
  end: Pick<Extract<ChatEvent, { type: 'answer.finished' }>, 'status' | 'reason' | 'error' | 'usage' | 'cost'>;
  /** Its tool calls, in the order in which they ended. */
  calls: readonly { id: string; durationMs: number }[];
}

/** A new chat that continues another conversation. */
export interface ForkedChat extends SentBy, Pick<NewChat, 'agentId' | 'model' | 'title' | 'arguments'> {
  /** The chat whose attachments and arguments for the agent's prompt it takes over; null if there is none. */
  from: string | null;
  /** The messages it begins with, without those of the agent's prompt. Each has the run that added it. */
  history: readonly { message: Message; runId: string }[];
  /** What is known of these runs, by id. Their usage counts where they ran, and not again in this chat. */
  answers: ReadonlyMap<string, CopiedAnswer>;
  /** What that conversation has read from outside. */
  outside: readonly string[];
  /** The next message. */
  text: string;
  /** Its files, which the other chat has. None by default. */
  attachments?: readonly AttachmentInput[] | undefined;
}

/** The stored conversations, for all surfaces: web, terminal, A2A. Each surface validates its input with `chat-input`. */
export interface Chats {
  /** `id` is a new one by default. Throws CONFLICT if it is taken. */
  create(chat: NewChat, options?: SentBy & { id?: string | undefined }): Promise<Chat>;
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
  /**
   * Resolves when the message is stored and the answer has started. `replaces` is the id of a message to replace, and `after` the id of the
   * message to follow (null: none); both keep other branches. Throws NOT_FOUND for them, CONFLICT while an answer is in progress.
   */
  send(
    id: string,
    message: SentBy & {
      text: string;
      /** Throws INVALID_ARGUMENTS for a file that cannot be attached. */
      attachments?: readonly AttachmentInput[] | undefined;
      replaces?: string | undefined;
      after?: string | null | undefined;
      budget?: Budget | undefined;
      /** The number of agents in the chain of calls so far. The tools of this answer are called with it. */
      depth?: number | undefined;
      /** The budget of the calling run, which pays for the answer. */
      payer?: Purse | undefined;
      /** The call of the calling run. */
      calledBy?: RunCall | undefined;
      /** What the calling run has read from outside. */
      alreadyRead?: readonly string[] | undefined;
    },
  ): Promise<{ messageId: string; runId: string }>;
  /** Creates a chat that continues another conversation with a new message. Throws whatever `create` and `send` throw. */
  fork(fork: ForkedChat): Promise<{ chatId: string; runId: string }>;
  /** Answers a message again, by default the last one of the active branch. Throws NOT_FOUND, INVALID_ARGUMENTS without a message. */
  retry(
    id: string,
    options?: SentBy & { messageId?: string | undefined },
  ): Promise<{ messageId: string; runId: string }>;
  /** Makes the newest branch with this message the active one. Throws NOT_FOUND, and CONFLICT while an answer is in progress. */
  chooseBranch(id: string, messageId: string): Promise<Chat>;
  /** Resolves when the answer has ended, in whichever process it runs. */
  stop(id: string): Promise<void>;
  /** Throws NOT_FOUND if no such question is open, CONFLICT if it was decided differently. */
  answer(id: string, toolUseId: string, answer: ApprovalAnswer): Promise<void>;
  /** Yields the events after `after`, then new events of all processes, until aborted. */
  events(id: string, options: { after?: number | undefined; signal: AbortSignal }): AsyncIterable<ChatEvent>;
  /** Returns a file of a message. Throws NOT_FOUND. */
  attachment(id: string, hash: string): Promise<Pick<AttachedFile, 'hash' | 'mimeType' | 'data'>>;
  context(id: string): Promise<ChatContext>;
  /** Stops answers and closes sessions. The chats stay in the store. */
  close(): Promise<void>;
}
