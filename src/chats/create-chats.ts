import type { AgentEntry } from '../agents/agent-source.ts';
import { argumentsOf, checkArguments } from '../agents/check-arguments.ts';
import type { Clock } from '../base/clock.ts';
import { dayMs } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { newId } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import { parseWith } from '../base/validate.ts';
import type { ChatSession } from '../engine/chat-session.ts';
import { Answers } from './answers.ts';
import { toBlock } from './attachments/attachment-blocks.ts';
import { type AttachedFile, type AttachmentParts, readAttachments, sourcesOf } from './attachments/read-attachment.ts';
import type { Chat, ChatOrigin } from './chat.ts';
import { ChatFeed } from './chat-feed.ts';
import { type ChatChange, MessageInput, type NewChat } from './chat-input.ts';
import type { ChatRecord, ChatStore } from './chat-store.ts';
import { testTitle, titleOf } from './chat-title.ts';
import type { ChatContext, Chats } from './chats.ts';
import { followChat } from './follow-chat.ts';
import { forkChat } from './fork-chat.ts';
import { type HeldParts, type OpenSession, OpenSessions, type SessionRequest } from './open-sessions.ts';
import { RunningAnswer } from './running-answer.ts';
import { templateOf, testMessage } from './test-message.ts';

export interface ChatsParts {
  store: ChatStore;
  clock: Clock;
  logger: Logger;
  /** Returns the position from which a growing text may be the beginning of a secret. That part is not shown yet. */
  openFrom?: ((text: string) => number) | undefined;
  /** Throws AGENT_NOT_FOUND. */
  agentOf(agentId: string): Promise<AgentEntry>;
  /** Changes with the hub's tools and with the rules for calling them. */
  toolsRevision(): number | string;
  openSession(request: SessionRequest): Promise<ChatSession>;
  modelOf: HeldParts['modelOf'];
  /** Reads a document as text. Callers take turns. Throws INVALID_FORMAT and RATE_LIMITED. */
  readText(document: { name: string; content: Uint8Array; caller: string }): ReturnType<AttachmentParts['readText']>;
  contextOf(entry: AgentEntry, argumentValues: Readonly<Record<string, string>>): Promise<ChatContext>;
  /** How long an approval is awaited before it counts as denied. */
  approvalWaitMs?: Record<Exclude<ChatOrigin['kind'], 'a2a'>, number> | undefined;
}

type Message = Omit<Parameters<Chats['send']>[1], 'attachments'> & {
  files?: readonly AttachedFile[] | undefined;
  /** The text whose mentions of rules and references count. Default: the message. */
  mentionsIn?: string | undefined;
};
const waitMs = 50;
const approvalWaitMs = { chat: 14 * dayMs, test: dayMs };

export function createChats(parts: ChatsParts): Chats {
  const { store, clock, logger } = parts;
  const feed = new ChatFeed();
  const publish = feed.publish.bind(feed);
  const answers = new Answers({ store, clock, logger, publish });
  const sessions = new OpenSessions({ ...parts, open: parts.openSession });
  const closing = new AbortController();
  const turns = new Map<string, Promise<unknown>>();
  // For changes by other processes. Chats that are answered here get all events anyway.
  const stopWatching = store.watch(() => {
    for (const chatId of feed.chatIds) if (!answers.isAnsweredHere(chatId)) feed.nudge(chatId);
  });

  /** Runs operations on one chat one after the other in this process. Between processes, the store decides. */
  function inTurn<T>(chatId: string, work: () => Promise<T>): Promise<T> {
    const result = (turns.get(chatId) ?? Promise.resolve()).then(work);
    const settled = result.then(
      () => {},
      () => {},
    );
    turns.set(chatId, settled);
    void settled.then(() => turns.get(chatId) === settled && turns.delete(chatId));
    return result;
  }

  function refuseClosed(): void {
    if (closing.signal.aborted) throw new HubError('UNAVAILABLE', 'The hub is closing.');
  }

  async function begin({ chat }: ChatRecord, openSession: OpenSession, message: Message) {
    const { text, files = [], mentionsIn, replaces, after, budget, payer, calledBy, alreadyRead = [] } = message;
    const messageId = newId('msg', clock.now());
    const runId = newId('run', clock.now());
    // Only a person approves, and over A2A there is none.
    const { kind } = chat.origin;
    const maxWaitMs = kind === 'a2a' ? undefined : (parts.approvalWaitMs ?? approvalWaitMs)[kind];
    const { provider, modelId } = openSession.session.model;
    const asked = openSession.session.question(text, { history: openSession.history, mentionsIn });
    const context = asked.content.slice(0, -1);
    const question = { ...asked, content: [...context, ...files.map(toBlock), ...asked.content.slice(-1)] };
    const outside = [...alreadyRead, ...sourcesOf(files)];
    const first = {
      lastSeq: chat.lastSeq,
      rewindTo: replaces,
      after: after === null ? '' : after,
      prompt: sessions.has(chat.id, openSession)
        ? undefined
        : openSession.session.messages.slice(0, openSession.promptMessages),
      messageId,
      text,
      attachments: files,
      context,
      outside,
      runId,
      agentId: chat.agentId,
      model: `${provider}/${modelId}`,
      title: titleOf(text),
    };
    async function start(): Promise<RunningAnswer> {
      try {
        const shown = await store.begin(chat.id, first);
        openSession.lastSeq = shown.at(-1)?.seq ?? chat.lastSeq;
        publish(chat.id, shown);
      } catch (error) {
        // The session was opened for this message only.
        if (!sessions.has(chat.id, openSession)) await openSession.session.close();
        openSession.isAwaited = false;
        throw error;
      }
      await sessions.keep(chat.id, openSession);
      return new RunningAnswer(
        { store, publish, logger, openFrom: parts.openFrom },
        {
          chatId: chat.id,
          runId,
          question,
          budget,
          payer,
          calledBy,
          alreadyRead: outside,
          openSession,
          maxWaitMs,
        },
      );
    }
    await answers.begin(chat.id, { start, onDone: () => feed.nudge(chat.id) });
    return { messageId, runId };
  }

  /** Returns the message that a new one follows (empty for none), or undefined if that is the last one of the active branch. */
  async function placeOf(id: string, { replaces, after }: Message): Promise<string | undefined> {
    if (replaces !== undefined) return store.parentOf(id, replaces);
    if (after === undefined) return undefined;
    const last = (await store.lastMessage(id))?.messageId ?? '';
    return (after ?? '') === last ? undefined : (after ?? '');
  }

  async function send(id: string, message: Message) {
    refuseClosed();
    const found = await answers.look(id);
    if (found.answering) throw isAnswering(found.chat);
    const { depth, workedFor } = message;
    const openSession = await sessions.ready(found, { upTo: await placeOf(id, message), depth, workedFor });
    return begin(found, openSession, message);
  }

  function filesOf(
    id: string,
    { attachments = [], callerKey: caller = 'owner' }: Pick<Parameters<Chats['send']>[1], 'attachments' | 'callerKey'>,
  ): Promise<AttachedFile[]> {
    const stored = (hashes: readonly string[]) => store.attachments(id, hashes);
    const readText = (name: string, content: Uint8Array) => parts.readText({ name, content, caller });
    return readAttachments({ readText, stored }, attachments);
  }

  async function sendWithFiles(id: string, { attachments, ...message }: Parameters<Chats['send']>[1]) {
    const files = await filesOf(id, { attachments, callerKey: message.callerKey });
    return inTurn(id, () => send(id, { ...message, files }));
  }

  async function stop(id: string): Promise<void> {
    for (let stoppedRunId: string | undefined; ; ) {
      const { answering } = await answers.look(id);
      if (!answering || (stoppedRunId !== undefined && answering.runId !== stoppedRunId)) return;
      const here = answers.of(id);
      if (here?.runId === answering.runId) {
        here.abort('The answer was stopped.');
        await here.done;
        return;
      }
      if (stoppedRunId === undefined) await store.requestStop(id, answering.runId);
      stoppedRunId = answering.runId;
      await clock.sleep(waitMs, closing.signal);
    }
  }

  /** Validates everything before writing anything. */
  async function create(
    request: NewChat,
    { id, workedFor, callerKey }: NonNullable<Parameters<Chats['create']>[1]> = {},
  ): Promise<Chat> {
    refuseClosed();
    const entry = await parts.agentOf(request.agentId);
    const { agent } = entry;
    if (request.model !== undefined) await parts.modelOf(request.model, entry);
    const { origin = { kind: 'chat' } } = request;
    const isTest = origin.kind === 'test';
    const message = isTest ? testMessage(agent, origin) : request.message;
    const now = clock.now();
    const chat = {
      id: id ?? newId('chat', now),
      agentId: agent.id,
      title: request.title ?? (isTest ? testTitle(origin.tool, now) : ''),
      model: request.model ?? null,
      origin,
      arguments: { ...request.arguments, ...(isTest && argumentsOf(agent, origin.parameters)) },
    };
    if (message === undefined) {
      await store.create(chat);
      return (await store.get(chat.id)).chat;
    }
    // A filled template may be empty or too long.
    const text = isTest ? parseWith(MessageInput.shape.text, message, { what: 'The message' }) : message;
    const files = await filesOf(chat.id, { attachments: request.attachments, callerKey });
    const draft = toRecord(chat, now);
    const openSession = await sessions.ready(draft, { workedFor });
    try {
      await store.create(chat);
    } catch (error) {
      await openSession.session.close();
      throw error;
    }
    await begin(draft, openSession, { text, files, mentionsIn: isTest ? templateOf(agent, origin.tool) : undefined });
    return (await store.get(chat.id)).chat;
  }

  async function remove(id: string): Promise<void> {
    await inTurn(id, async () => {
      await stop(id);
      await store.remove(id);
      await sessions.drop(id);
      feed.nudge(id);
    });
  }

  return {
    create,
    fork: (fork) => forkChat({ store, clock, create, send: sendWithFiles, remove }, fork),
    get: async (id) => (await answers.look(id)).chat,
    async list(query) {
      const { chats, cursor } = await store.list(query);
      const shown = chats.map(({ chat, answering, snippet, isOnOtherBranch }) => {
        const state = answering && answers.isGone(chat.id, answering) ? 'interrupted' : chat.state;
        return { ...chat, state, snippet, isOnOtherBranch };
      });
      return { chats: shown, cursor };
    },
    async update(id, { title, ...change }) {
      return inTurn(id, async () => {
        const found = await answers.look(id);
        const next = afterChange(found, change);
        if (next) {
          if (found.answering) throw isAnswering(found.chat);
          const isOther = next.agentId !== found.chat.agentId;
          if (isOther || change.arguments) checkArguments((await parts.agentOf(next.agentId)).agent, next.arguments);
          if (typeof change.model === 'string') await parts.modelOf(change.model, await parts.agentOf(next.agentId));
          publish(id, await store.switchTo(id, next));
        }
        if (title !== undefined) await store.rename(id, title);
        return (await store.get(id)).chat;
      });
    },
    remove,
    async prune(before) {
      const deletedIds = await store.prune(before, { except: answers.chatIds });
      for (const id of deletedIds) {
        await sessions.drop(id);
        feed.nudge(id);
      }
      return deletedIds.length;
    },
    send: sendWithFiles,
    retry: (id, { messageId: wanted, workedFor } = {}) =>
      inTurn(id, async () => {
        await answers.look(id);
        const asked = await (wanted === undefined ? store.lastMessage(id) : store.message(id, wanted));
        if (!asked) throw new HubError('INVALID_ARGUMENTS', 'This chat has no message to answer. Send one first.');
        const { text, messageId: replaces, attachments } = asked;
        const files = await filesOf(id, { attachments: attachments.map(({ hash, name }) => ({ hash, name })) });
        return send(id, { text, replaces, files, workedFor });
      }),
    chooseBranch: (id, messageId) =>
      inTurn(id, async () => {
        await answers.look(id);
        publish(id, await store.chooseBranch(id, messageId));
        return (await store.get(id)).chat;
      }),
    stop,
    async answer(id, toolUseId, answer) {
      await answers.look(id);
      const approval = await store.approve(id, toolUseId, answer);
      const here = answers.of(id);
      if (here?.runId === approval.runId) here.give(approval);
    },
    events(id, { after = 0, signal }) {
      const isAnsweredHere = (chatId: string) => answers.isAnsweredHere(chatId);
      const look = (chatId: string) => answers.look(chatId);
      const until = AbortSignal.any([signal, closing.signal]);
      return followChat({ store, feed, clock, look, isAnsweredHere }, id, { after, signal: until });
    },
    async attachment(id, hash) {
      await store.get(id);
      const file = (await store.attachments(id, [hash])).get(hash);
      if (!file) throw new HubError('NOT_FOUND', `This chat has no attachment "${hash.slice(0, 80)}".`);
      return file;
    },
    async context(id) {
      const { chat, arguments: argumentValues } = await answers.look(id);
      return parts.contextOf(await parts.agentOf(chat.agentId), argumentValues);
    },
    async close() {
      closing.abort();
      await Promise.all(turns.values());
      await answers.close();
      stopWatching();
    },
  };
}

function isAnswering({ id, state }: Pick<Chat, 'id' | 'state'>): HubError {
  const message =
    state === 'waiting'
      ? `The chat ${id} is waiting for approval of a tool call. Approve or deny it, or stop the answer first.`
      : `The chat ${id} is still answering. Wait for the answer, or stop it first.`;
  return new HubError('CONFLICT', message);
}

/** Returns undefined if nothing changes. Arguments belong to their agent. */
function afterChange(
  { chat, arguments: before }: ChatRecord,
  { agentId = chat.agentId, model = chat.model, arguments: newArguments }: Omit<ChatChange, 'title'>,
): Parameters<ChatStore['switchTo']>[1] | undefined {
  const isOther = agentId !== chat.agentId;
  if (!isOther && model === chat.model && newArguments === undefined) return undefined;
  return { agentId, model, arguments: newArguments ?? (isOther ? {} : before) };
}

type NewChatRow = Parameters<ChatStore['create']>[0];

/** Returns a chat before it is stored. */
function toRecord(
  { id, agentId, title, model, origin, arguments: argumentValues }: NewChatRow,
  now: number,
): ChatRecord {
  const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };
  const times = { createdAt: now, updatedAt: now };
  const chat: Chat = {
    id,
    agentId,
    title,
    model,
    origin,
    state: 'idle',
    ...times,
    usage,
    cost: 0,
    outside: [],
    lastSeq: 0,
  };
  return { chat, arguments: argumentValues, answering: null };
}
