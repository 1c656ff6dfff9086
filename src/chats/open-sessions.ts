import type { AgentEntry } from '../agents/agent-source.ts';
import type { Clock } from '../base/clock.ts';
import type { ChatSession } from '../engine/chat-session.ts';
import type { Message } from '../engine/message.ts';
import { pairResults } from '../engine/pair-results.ts';
import type { WorkedFor } from '../tools/caller.ts';
import { linkedIn, withContent } from './attachments/attachment-blocks.ts';
import type { ChatRecord, ChatStore } from './chat-store.ts';

export interface SessionRequest {
  chatId: string;
  agentId: string;
  arguments: Readonly<Record<string, string>>;
  model: string | undefined;
  depth: number | undefined;
  /** `headless` for another agent over A2A: there is nobody to approve anything. */
  kind: 'interactive' | 'headless';
  /** What the chat has read from outside. */
  outside: readonly string[];
  workedFor: WorkedFor | undefined;
}

export interface HeldParts {
  store: Pick<ChatStore, 'messages' | 'attachments'>;
  clock: Clock;
  agentOf(agentId: string): Promise<AgentEntry>;
  /** Returns the model, the same one until it, its key or its address changes. Null is the agent's own model, or the default. Throws INVALID_ARGUMENTS, NOT_CONFIGURED. */
  modelOf(name: string | null, entry: AgentEntry): Promise<object>;
  /** Changes with the hub's tools and with the rules for calling them. */
  toolsRevision(): number | string;
  open(request: SessionRequest): Promise<ChatSession>;
}

/** A session that knows a chat up to `lastSeq`. */
export interface OpenSession {
  session: ChatSession;
  lastSeq: number;
  /** The earlier messages, for the first message in the session; empty afterwards. */
  history: readonly Message[];
  /** The number of messages from the agent's prompt, with which the session began. */
  promptMessages: number;
  readonly inputs: SessionInputs;
  usedAt: number;
  /** A message is about to be sent, so the session must not be closed. */
  isAwaited: boolean;
}

/** The inputs of a session. If one of them changes, the next message gets a new session. */
interface SessionInputs {
  entry: AgentEntry;
  /** The model itself: a new key or address makes a new one. */
  model: object;
  depth: number | undefined;
  tools: number | string;
  /** Whom model calls are counted for. */
  workedFor: WorkedFor;
}

interface Position {
  upTo?: string | undefined;
  depth?: number | undefined;
  workedFor?: WorkedFor | undefined;
}

const theUser: WorkedFor = { client: '', memberId: '' };
const maxSessions = 100;
const idleMs = 30 * 60_000;

/**
 * The open sessions of chats in this process. An idle session is closed after half an hour, or when there are too many. The next
 * message then starts from the stored messages, as after a restart.
 */
export class OpenSessions {
  readonly #parts: HeldParts;
  readonly #sessions = new Map<string, OpenSession>();

  constructor(parts: HeldParts) {
    this.#parts = parts;
  }

  /**
   * Returns a session for the next message, which follows the message `upTo` (empty for none) or else the active branch. Throws as
   * `Sessions.open` does, and NOT_FOUND.
   */
  async ready(
    { chat, arguments: given }: ChatRecord,
    { upTo, depth, workedFor = theUser }: Position,
  ): Promise<OpenSession> {
    const { clock, agentOf, modelOf, toolsRevision } = this.#parts;
    const entry = await agentOf(chat.agentId);
    const inputs = { entry, model: await modelOf(chat.model, entry), depth, tools: toolsRevision(), workedFor };
    const before = this.#sessions.get(chat.id);
    const isCurrent = before !== undefined && before.lastSeq === chat.lastSeq && !before.session.isClosed;
    if (isCurrent && upTo === undefined && isSame(before.inputs, inputs)) {
      before.usedAt = clock.now();
      before.isAwaited = true;
      return before;
    }
    const history = isCurrent && upTo === undefined ? messagesIn(before) : await this.#keptMessages(chat.id, upTo);
    const session = await this.#parts.open({
      chatId: chat.id,
      agentId: chat.agentId,
      arguments: given,
      model: chat.model ?? undefined,
      depth,
      workedFor,
      kind: chat.origin.kind === 'a2a' ? 'headless' : 'interactive',
      outside: chat.outside,
    });
    const promptMessages = session.messages.length;
    return {
      session,
      lastSeq: chat.lastSeq,
      history,
      promptMessages,
      inputs,
      usedAt: clock.now(),
      isAwaited: true,
    };
  }

  /** Keeps a session for the next message and replaces the previous one. */
  async keep(chatId: string, openSession: OpenSession): Promise<void> {
    const before = this.#sessions.get(chatId);
    this.#sessions.delete(chatId);
    this.#sessions.set(chatId, openSession);
    if (before && before !== openSession) await before.session.close();
    await this.#closeIdle();
  }

  has(chatId: string, openSession: OpenSession): boolean {
    return this.#sessions.get(chatId) === openSession;
  }

  async drop(chatId: string): Promise<void> {
    const openSession = this.#sessions.get(chatId);
    this.#sessions.delete(chatId);
    await openSession?.session.close();
  }

  /** Closes the oldest sessions first: a map keeps the order of insertion. */
  async #closeIdle(): Promise<void> {
    const now = this.#parts.clock.now();
    for (const [chatId, { session, usedAt, isAwaited }] of this.#sessions) {
      if (session.isBusy || isAwaited) continue;
      if (this.#sessions.size > maxSessions || now - usedAt > idleMs) await this.drop(chatId);
    }
  }

  async #keptMessages(chatId: string, upTo: string | undefined): Promise<readonly Message[]> {
    const stored = await this.#parts.store.messages(chatId, { upTo });
    const messages = stored.map(({ message }) => message);
    const hashes = messages.flatMap((message) => linkedIn(message).map(({ hash }) => hash));
    return pairResults(withContent(messages, await this.#parts.store.attachments(chatId, hashes)));
  }
}

function isSame(one: SessionInputs, other: SessionInputs): boolean {
  return (
    one.entry === other.entry &&
    one.model === other.model &&
    one.depth === other.depth &&
    one.tools === other.tools &&
    one.workedFor.client === other.workedFor.client &&
    one.workedFor.memberId === other.workedFor.memberId
  );
}

function messagesIn({ session, promptMessages, history }: OpenSession): readonly Message[] {
  return history.length > 0 ? history : session.messages.slice(promptMessages);
}
