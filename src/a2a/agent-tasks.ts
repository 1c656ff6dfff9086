import { createHash } from 'node:crypto';
import type { StreamResponse, Task } from '@a2a-js/sdk';
import { RequestMalformedError, TaskNotFoundError } from '@a2a-js/sdk/errors';
import { HubError } from '../base/hub-error.ts';
import type { Chat, ChatEvent } from '../chats/chat.ts';
import type { Chats } from '../chats/chats.ts';
import { addEvent, emptyTranscript, type Transcript } from '../chats/transcript.ts';
import {
  answerArtifact,
  answerText,
  hasEnded,
  type KnownTask,
  readTaskId,
  textSeparator,
  toStatus,
  toTask,
  toTaskId,
  workingMessage,
} from './task.ts';

/** The A2A conversations of one agent that a caller may see. Chats of other agents and of users are not visible here. */
export interface AgentChats {
  chats: Chats;
  agentId: string;
  /** Identifies the caller. A conversation whose id the caller chose is visible to no other. */
  caller: string;
}

/** Throws RequestMalformedError. */
export async function findChat(agentChats: AgentChats, contextId: string): Promise<Chat> {
  const chat = await lookUpChat(agentChats, contextId);
  if (chat) return chat;
  throw new RequestMalformedError(
    `There is no conversation "${contextId.slice(0, 80)}" with this agent. Leave out contextId to start one; the reply contains its id.`,
  );
}

/** Finds a conversation by the id that the hub gave it, or by the id that this caller chose. */
export async function lookUpChat(agentChats: AgentChats, contextId: string): Promise<Chat | undefined> {
  const { chats, agentId } = agentChats;
  for (const id of [contextId, ownChatId(agentChats, contextId)]) {
    const chat = await orUndefined(chats.get(id));
    if (chat && chat.agentId === agentId && isVisible(agentChats, chat)) return chat;
  }
  return undefined;
}

/**
 * Returns the id of the chat for a context id that a caller chose. It contains the caller, so that two callers who choose the same id
 * never meet.
 */
export function ownChatId({ agentId, caller }: Omit<AgentChats, 'chats'>, contextId: string): string {
  const digest = createHash('sha256').update(JSON.stringify([caller, agentId, contextId]));
  return `chat_a2a${digest.digest('hex').slice(0, 32)}`;
}

/** Tells whether an id has the form of those that the hub gives. Callers cannot choose such an id. */
export function isHubId(contextId: string): boolean {
  return contextId.startsWith('chat_');
}

function contextIdOf({ id, origin }: Chat): string {
  return (origin.kind === 'a2a' && origin.contextId) || id;
}

/** Tells whether a chat is a conversation over A2A that the caller may see. */
export function isVisible(agentChats: AgentChats, { id, origin }: Chat): boolean {
  if (origin.kind !== 'a2a') return false;
  return origin.contextId === undefined || id === ownChatId(agentChats, origin.contextId);
}

/** Throws TaskNotFoundError. */
export async function findTask(agentChats: AgentChats, taskId: string): Promise<KnownTask> {
  const { chats, agentId } = agentChats;
  const ids = readTaskId(taskId);
  const chat = ids && (await orUndefined(chats.get(ids.chatId)));
  if (ids && chat && isVisible(agentChats, chat)) {
    const known = taskInTranscript(await readChat(chats, chat), chat, { runId: ids.runId, updatedAt: chat.updatedAt });
    if (known?.answer.agentId === agentId) return settled(known, chat);
  }
  throw new TaskNotFoundError(`This agent has no task "${taskId.slice(0, 120)}".`);
}

/** Returns all tasks of a conversation in their current state. */
export async function tasksOfChat({ chats, agentId }: AgentChats, chat: Chat): Promise<KnownTask[]> {
  const { turns } = await readChat(chats, chat);
  return turns
    .flatMap((turn) => turn.answers.map((answer) => ({ turn, answer })))
    .filter(({ answer }) => answer.agentId === agentId)
    .map(({ turn, answer }) => {
      const updatedAt = answer.finishedAt ?? chat.updatedAt;
      return settled({ chatId: chat.id, contextId: contextIdOf(chat), turn, answer, updatedAt }, chat);
    });
}

export interface TaskUpdate {
  known: KnownTask;
  response: StreamResponse;
}

/** Yields the current task, then its updates, until it ends. */
export async function* followTask(
  { chats }: AgentChats,
  start: { chatId: string; runId: string },
  signal: AbortSignal,
): AsyncGenerator<TaskUpdate, void, undefined> {
  const { chatId, runId } = start;
  const chat = await chats.get(chatId);
  let transcript = await readChat(chats, chat, signal);
  const find = (updatedAt: number) => taskInTranscript(transcript, chat, { runId, updatedAt });
  const found = find(chat.updatedAt);
  if (!found) throw new TaskNotFoundError(`The task "${toTaskId(chatId, runId)}" no longer exists.`);
  let known = settled(found, chat);
  yield { known, response: { payload: { $case: 'task', value: toTask(known) } } };
  if (hasEnded(known)) return;
  for await (const event of chats.events(chatId, { after: transcript.lastSeq, signal })) {
    const before = known;
    transcript = addEvent(transcript, event);
    const next = find(event.at);
    if (!next) throw new TaskNotFoundError('The conversation was changed and no longer contains this task.');
    known = next;
    if (!('runId' in event) || event.runId !== runId) continue;
    const response = toUpdate(event, before, known);
    if (response) yield { known, response };
    if (event.type === 'answer.finished') return;
  }
}

function toUpdate(event: ChatEvent, before: KnownTask, known: KnownTask): StreamResponse | undefined {
  switch (event.type) {
    case 'text': {
      const isNewBlock = countTexts(known) > countTexts(before) && countTexts(before) > 0;
      const hasBegun = countTexts(before) > 0;
      return artifactUpdate(known, (isNewBlock ? textSeparator : '') + event.delta, hasBegun);
    }
    case 'tick.retried':
      // The text of this tick is discarded, so the artifact is sent again.
      if (countTexts(before) === 0) return undefined;
      return artifactUpdate(known, answerText(known.answer), false);
    case 'tool.called':
      return statusUpdate(known, `The agent is calling the tool "${event.tool}".`);
    case 'answer.finished':
      return statusUpdate(known);
    default:
      return undefined;
  }
}

function countTexts({ answer }: KnownTask): number {
  return answer.parts.filter(({ type }) => type === 'text').length;
}

function artifactUpdate(known: KnownTask, text: string, append: boolean): StreamResponse {
  const { chatId, contextId, answer } = known;
  const taskId = toTaskId(chatId, answer.runId);
  const value = {
    taskId,
    contextId,
    artifact: answerArtifact(text),
    append,
    lastChunk: false,
    metadata: undefined,
  };
  return { payload: { $case: 'artifactUpdate', value } };
}

function statusUpdate(known: KnownTask, text?: string): StreamResponse {
  const { chatId, contextId, answer, updatedAt } = known;
  const status = toStatus(known);
  if (text !== undefined) status.message ??= workingMessage(known, `${answer.runId}-${updatedAt}`, text);
  const taskId = toTaskId(chatId, answer.runId);
  return { payload: { $case: 'statusUpdate', value: { taskId, contextId, status, metadata: undefined } } };
}

/** Reads the chat up to its current last event. */
async function readChat(chats: Chats, chat: Chat, signal?: AbortSignal): Promise<Transcript> {
  let transcript = emptyTranscript();
  if (chat.lastSeq === 0) return transcript;
  const reading = new AbortController();
  const either = signal ? AbortSignal.any([signal, reading.signal]) : reading.signal;
  try {
    for await (const event of chats.events(chat.id, { signal: either })) {
      transcript = addEvent(transcript, event);
      if (event.seq >= chat.lastSeq) break;
    }
  } finally {
    reading.abort();
  }
  return transcript;
}

function taskInTranscript(
  { turns }: Transcript,
  chat: Chat,
  { runId, updatedAt }: { runId: string; updatedAt: number },
): KnownTask | undefined {
  for (const turn of turns) {
    const answer = turn.answers.find((each) => each.runId === runId);
    if (answer) return { chatId: chat.id, contextId: contextIdOf(chat), turn, answer, updatedAt };
  }
  return undefined;
}

/** Marks an unfinished task as interrupted if its process has ended, because that process could not do it itself. */
function settled(known: KnownTask, { state }: Chat): KnownTask {
  if (hasEnded(known) || state !== 'interrupted') return known;
  const reason = 'The hub stopped before the answer was complete.';
  return { ...known, answer: { ...known.answer, status: 'interrupted', reason } };
}

async function orUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof HubError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** Limits the history: 0 keeps none, a number keeps the newest messages, undefined keeps all. */
export function withHistory(task: Task, historyLength: number | undefined): Task {
  if (historyLength === undefined) return task;
  return { ...task, history: historyLength > 0 ? task.history.slice(-historyLength) : [] };
}
