import type { Message } from '../engine/message.ts';
import type { Usage } from '../engine/model.ts';
import type { ApprovalAnswer } from '../engine/run-events.ts';
import type { Chat, ChatEvent, ChatEventBody, ChatOrigin } from './chat.ts';
import type { ChatQuery } from './chat-input.ts';

/** A chat with what only the hub needs to know. */
export interface KeptChat {
  chat: Chat;
  /** For the agent's own prompt. */
  arguments: Readonly<Record<string, string>>;
  answering: AnsweringProcess | null;
}

export interface AnsweringProcess {
  runId: string;
  messageId: string;
  /** Which process it is: this one, another one that is there, or one that has ended. */
  place: 'here' | 'elsewhere' | 'gone';
  /** Number of the event that began the answer. */
  startSeq: number;
}

export interface AnswerStart {
  /** As the caller knows the chat; another number means that somebody was quicker. */
  lastSeq: number;
  /** A message that goes, with everything after it: it is kept, but counts no more. */
  rewindTo?: string | undefined;
  /** Of a session that begins with this message: the messages of the agent's own prompt, in place of those of the session before. */
  prompt?: readonly Message[] | undefined;
  messageId: string;
  text: string;
  runId: string;
  agentId: string;
  model: string;
  /** For a chat that has none yet. */
  title: string;
}

export interface AnswerProgress {
  runId: string;
  events: readonly ChatEventBody[];
  /** What the model said and was told since; kept after what is there. */
  messages: readonly Message[];
}

export interface AnswerEnd extends AnswerProgress {
  usage: Usage;
  cost: number | null;
  /** `interrupted` until the next message. */
  state: 'idle' | 'interrupted';
}

/** What other processes ask of the one that answers. */
export interface AnswerRequests {
  /** Runs that shall stop. */
  stops: string[];
  approvals: GivenApproval[];
}

export interface GivenApproval {
  runId: string;
  /** Number of the event that asked. */
  seq: number;
  toolUseId: string;
  answer: ApprovalAnswer;
}

/**
 * Every change of a chat is one transaction, and its events are numbered in it. Only the process that holds a chat's answer adds to
 * it: whoever is not (any more) gets CONFLICT. Without secrets, as runs are kept.
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
  /** Throws NOT_FOUND. */
  get(id: string): Promise<KeptChat>;
  list(query: ChatQuery): Promise<{ chats: (KeptChat & { snippet: string | null })[]; cursor: string | null }>;
  rename(id: string, title: string): Promise<void>;
  /** Throws NOT_FOUND, CONFLICT while it answers. */
  switchTo(
    id: string,
    change: { agentId: string; model: string | null; arguments: Readonly<Record<string, string>> },
  ): Promise<ChatEvent[]>;
  /** False when there was none. */
  remove(id: string): Promise<boolean>;
  /**
   * Deletes chats that were not used since `before`, and says which. One that is answered is used for as long as its process is
   * there; those of `except` stay in any case.
   */
  prune(before: number, options: { except: readonly string[] }): Promise<string[]>;
  /** On the disk when it resolves. Throws NOT_FOUND (also of the message that goes), CONFLICT. */
  begin(id: string, start: AnswerStart): Promise<ChatEvent[]>;
  /** Survives the end of this process, not of the machine. Throws CONFLICT. */
  append(id: string, progress: AnswerProgress): Promise<ChatEvent[]>;
  /** On the disk when it resolves. Throws CONFLICT when it ended before. */
  finish(id: string, end: AnswerEnd): Promise<ChatEvent[]>;
  /** In order. */
  events(id: string, options: { after: number; limit: number }): Promise<ChatEvent[]>;
  /** What the model said and was told, in order, as far as it counts; `messageId` of the person's message that it belongs to. */
  messages(id: string): Promise<{ messageId: string; message: Message }[]>;
  /** The person's last message. Undefined when there is none. */
  lastMessage(id: string): Promise<{ messageId: string; text: string } | undefined>;
  requestStop(id: string, runId: string): Promise<void>;
  /** The first answer counts. Throws NOT_FOUND when no such question is open, CONFLICT when it was answered otherwise. */
  approve(id: string, toolUseId: string, answer: ApprovalAnswer): Promise<GivenApproval>;
  /** What is asked of the answers that this process gives. */
  requests(): Promise<AnswerRequests>;
  /** After a change that lists show, of this or another process. */
  watch(onChange: () => void): () => void;
}
