import type { Message } from '../engine/message.ts';
import type { Usage } from '../engine/model.ts';
import type { ApprovalAnswer } from '../engine/run-events.ts';
import type { Attachment } from './attachments/attachment.ts';
import type { AttachedFile } from './attachments/read-attachment.ts';
import type { Chat, ChatEvent, ChatEventBody, ChatOrigin } from './chat.ts';
import type { ChatQuery } from './chat-input.ts';

/** A chat with the fields that only the hub needs. */
export interface ChatRecord {
  chat: Chat;
  /** Arguments for the agent's prompt. */
  arguments: Readonly<Record<string, string>>;
  answering: AnsweringProcess | null;
}

export interface AnsweringProcess {
  runId: string;
  messageId: string;
  /** Whether this process runs it, another running process, or one that has ended. */
  state: 'here' | 'elsewhere' | 'gone';
  /** The number of the event that started the answer. */
  startSeq: number;
}

export interface AnswerStart {
  /** The newest event that the caller knows. Another number means that someone else was faster. */
  lastSeq: number;
  /** A message to replace. The new one follows the same message, on a branch of its own. */
  rewindTo?: string | undefined;
  /** The message that the new one follows; empty for none. Default: the last one of the active branch. */
  after?: string | undefined;
  /** For a new session: the messages of the agent's prompt, which replace those of the previous session. */
  prompt?: readonly Message[] | undefined;
  messageId: string;
  text: string;
  attachments?: readonly AttachedFile[] | undefined;
  /** What the model sees before the text, such as rules that it names. */
  context?: Message['content'] | undefined;
  /** The sources of the text from outside that the message contains, or that its sender has read. None by default. */
  outside?: readonly string[] | undefined;
  runId: string;
  agentId: string;
  model: string;
  /** The title for a chat without one. */
  title: string;
}

export interface AnswerProgress {
  runId: string;
  events: readonly ChatEventBody[];
  /** New messages to and from the model, to append. */
  messages: readonly Message[];
}

export interface AnswerEnd extends AnswerProgress {
  usage: Usage;
  cost: number | null;
  /** The state `interrupted` lasts until the next message. */
  state: 'idle' | 'interrupted';
}

/** What a new chat begins with. */
export interface AdoptedTurns {
  /** The chat whose attachments it takes over; null if there is none. */
  from: string | null;
  /** The attachments of the messages, by hash. */
  attachments: readonly string[];
  turns: readonly {
    messageId: string;
    /** The run that gave the answer, in another conversation. */
    runId: string;
    /** Each with the time at which it happened, if that is known. */
    events: readonly { at?: number | undefined; event: ChatEventBody }[];
    messages: readonly Message[];
  }[];
  /** What the conversation has read from outside. */
  outside: readonly string[];
}

/** A call that waits for an approval. */
export interface OpenApproval {
  chatId: string;
  agentId: string;
  toolUseId: string;
  tool: string;
  input: unknown;
  /** What the chat has read from outside, if that is why it asks. */
  outside: readonly string[];
  at: number;
}

/** Requests from other processes to the one that answers. */
export interface AnswerRequests {
  /** Runs to stop. */
  stops: string[];
  approvals: GivenApproval[];
}

export interface GivenApproval {
  runId: string;
  /** The number of the event that asked. */
  seq: number;
  toolUseId: string;
  answer: ApprovalAnswer;
}

export interface UserMessage {
  messageId: string;
  text: string;
  attachments: readonly Attachment[];
}

/** What a text search found in a chat. */
export interface Found {
  snippet: string | null;
  /** The snippet is not on the active branch. */
  isOnOtherBranch: boolean;
}

/**
 * The stored chats. Every change is one transaction that also numbers its events. Only the process that runs an answer adds to it;
 * others get CONFLICT. Secrets are removed, as in runs.
 */
export interface ChatStore {
  create(chat: {
    id: string;
    agentId: string;
    title: string;
    model: string | null;
    origin: ChatOrigin;
    arguments: Readonly<Record<string, string>>;
  }): Promise<void>;
  /** Adds the turns of another conversation to a chat without messages. Throws CONFLICT if it has some. */
  adopt(id: string, adopted: AdoptedTurns): Promise<void>;
  /** Throws NOT_FOUND. */
  get(id: string): Promise<ChatRecord>;
  list(query: ChatQuery): Promise<{ chats: (ChatRecord & Found)[]; cursor: string | null }>;
  rename(id: string, title: string): Promise<void>;
  /** Throws NOT_FOUND, and CONFLICT while an answer is in progress. */
  switchTo(
    id: string,
    change: { agentId: string; model: string | null; arguments: Readonly<Record<string, string>> },
  ): Promise<ChatEvent[]>;
  /** Returns false if there is no such chat. */
  remove(id: string): Promise<boolean>;
  /**
   * Deletes chats not used since `before`, except those in `except` and those whose answer is in progress in a running process.
   * Returns their ids.
   */
  prune(before: number, options: { except: readonly string[] }): Promise<string[]>;
  /** Returns the number of chats not used since `before`. */
  countOlder(before: number): Promise<number>;
  /** Durable when it resolves. Throws NOT_FOUND for the chat or the replaced message, CONFLICT. */
  begin(id: string, start: AnswerStart): Promise<ChatEvent[]>;
  /** Survives a crash of this process, but perhaps not of the machine. Throws CONFLICT. */
  append(id: string, progress: AnswerProgress): Promise<ChatEvent[]>;
  /** Durable when it resolves. Throws CONFLICT if the answer has already ended. */
  finish(id: string, end: AnswerEnd): Promise<ChatEvent[]>;
  /** In order. */
  events(id: string, options: { after: number; limit: number }): Promise<ChatEvent[]>;
  /**
   * Returns the messages to and from the model, in order, each with the id of the user's message it belongs to: those of the active
   * branch, or those up to the message `upTo` (empty for none).
   */
  messages(id: string, options?: { upTo?: string | undefined }): Promise<{ messageId: string; message: Message }[]>;
  /** Returns the id of the message before this one, on any branch; empty for the first. Throws NOT_FOUND. */
  parentOf(id: string, messageId: string): Promise<string>;
  /** Makes the newest branch with this message the active one. Throws NOT_FOUND, and CONFLICT while an answer is in progress. */
  chooseBranch(id: string, messageId: string): Promise<ChatEvent[]>;
  /** Returns the user's last message on the active branch, or undefined if there is none. */
  lastMessage(id: string): Promise<UserMessage | undefined>;
  /** Returns a message of the user, on any branch. Throws NOT_FOUND. */
  message(id: string, messageId: string): Promise<UserMessage>;
  /** Returns the files with these hashes that belong to a chat. */
  attachments(id: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Omit<AttachedFile, 'name'>>>;
  /** Returns the chats with an answer in progress, except those that another running process answers. */
  unattended(): Promise<string[]>;
  requestStop(id: string, runId: string): Promise<void>;
  /** The first decision counts. Throws NOT_FOUND if no such question is open, CONFLICT if it was decided differently. */
  approve(id: string, toolUseId: string, answer: ApprovalAnswer): Promise<GivenApproval>;
  /** Returns the calls of all chats that wait for an approval, the oldest first. */
  openApprovals(limit: number): Promise<OpenApproval[]>;
  /** Returns requests to the answers that this process runs. */
  requests(): Promise<AnswerRequests>;
  /** Calls back after changes that lists show, by this or another process. */
  watch(onChange: () => void): () => void;
}
