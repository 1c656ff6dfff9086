import { AgentCard, type StreamResponse, type Task } from '@a2a-js/sdk';
import {
  A2AError,
  ExtendedAgentCardNotConfiguredError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import type { Agent } from '../agents/agent.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import { parseWith } from '../base/validate.ts';
import type { Chat } from '../chats/chat.ts';
import { MessageInput, NewChatInput } from '../chats/chat-input.ts';
import type { Chats } from '../chats/chats.ts';
import { passOn } from '../engine/run-agent-tool.ts';
import { type Purse, type RunCall, refuseTooDeep, type WorkedFor } from '../tools/caller.ts';
import type { RunReading } from '../tools/outside-text.ts';
import type { AgentCardDocument } from './agent-card.ts';
import {
  type AgentChats,
  findChat,
  findTask,
  followTask,
  isHubId,
  lookUpChat,
  ownChatId,
  type TaskUpdate,
  withHistory,
} from './agent-tasks.ts';
import type { TaskLists } from './list-tasks.ts';
import { type ReadMessage, readMessage } from './read-message.ts';
import { hasEnded, toTask, toTaskId, withAnswerInStatus } from './task.ts';

export interface HandlerParts {
  agent: Agent;
  card: AgentCardDocument;
  chats: Chats;
  lists: TaskLists;
  logger: Logger;
  /** Identifies the caller. Conversations whose ids it chose are its own. */
  caller: string;
  /** Aborts when the caller disconnects or the hub closes. This ends the waiting, not the answer. */
  signal: AbortSignal;
  /** Set if a run of this process sends the message. The run pays for the answer, and each side is told what the other has read from outside. */
  sender?: SendingAgent | undefined;
  /** Whom the answer is counted for. */
  workedFor: WorkedFor;
}

interface SendingAgent {
  purse: Purse | undefined;
  reading: RunReading | undefined;
  runCall: RunCall | undefined;
}

/** Implements A2A on top of one agent's chats, for the SDK's transports. A context is a chat; a task is an answer in it. */
export function requestHandler(parts: HandlerParts): A2ARequestHandler {
  const { agent, card, chats, lists, signal, logger, sender, caller, workedFor } = parts;
  const agentChats: AgentChats = { chats, agentId: agent.id, caller };
  const guard = <T>(work: () => Promise<T>) => guarded(logger, work);

  async function* stream(start: () => Promise<Started>): AsyncGenerator<StreamResponse, void, undefined> {
    try {
      const started = await start();
      for await (const { response } of followTask(agentChats, started, signal)) yield response;
      await tellSender(agentChats, started, sender);
    } catch (error) {
      throw toA2aError(logger, error);
    }
  }
  const noPush = () => Promise.reject(new PushNotificationNotSupportedError());

  return {
    getAgentCard: async () => AgentCard.fromJSON(card),
    getAuthenticatedExtendedAgentCard: () => Promise.reject(new ExtendedAgentCardNotConfiguredError()),
    sendMessage: (request, context) =>
      guard(async () => {
        const message = readMessage(request);
        const started = await start(agentChats, { agent, sender, workedFor }, message);
        let last: TaskUpdate | undefined;
        for await (const update of followTask(agentChats, started, signal)) {
          last = update;
          if (message.returnsImmediately) break;
        }
        await tellSender(agentChats, started, sender);
        if (!last) throw new HubError('CANCELLED', 'The caller has disconnected.');
        return shown(withHistory(toTask(last.known), message.historyLength), context);
      }),
    sendMessageStream: (request) => stream(() => start(agentChats, { agent, sender, workedFor }, readMessage(request))),
    getTask: ({ id, historyLength }, context) =>
      guard(async () => shown(withHistory(toTask(await findTask(agentChats, id)), historyLength), context)),
    listTasks: (request) => guard(() => lists.list(agentChats, request)),
    cancelTask: ({ id }) => guard(() => cancel(agentChats, id)),
    resubscribe: ({ id }) =>
      stream(async () => {
        const known = await findTask(agentChats, id);
        if (!hasEnded(known)) {
          return { chatId: known.chatId, runId: known.answer.runId };
        }
        throw new UnsupportedOperationError(
          'The task has ended, so there will be no more updates. Read it with GetTask.',
        );
      }),
    createTaskPushNotificationConfig: noPush,
    getTaskPushNotificationConfig: noPush,
    listTaskPushNotificationConfigs: noPush,
    deleteTaskPushNotificationConfig: noPush,
  };
}

type Started = Parameters<typeof followTask>[1];

function shown(task: Task, context: ServerCallContext | undefined): Task {
  return context?.requestedVersion === '0.3' ? withAnswerInStatus(task) : task;
}

/** Tells the sending run what the agent has read from outside: its answer may contain it. */
async function tellSender(
  { chats, agentId }: AgentChats,
  { chatId }: Started,
  sender: SendingAgent | undefined,
): Promise<void> {
  if (sender?.reading) passOn((await chats.get(chatId)).outside, { agentId, reading: sender.reading });
}

/** Starts an answer. */
async function start(
  agentChats: AgentChats,
  { agent, sender, workedFor }: Pick<HandlerParts, 'agent' | 'sender' | 'workedFor'>,
  message: ReadMessage,
): Promise<Started> {
  refuseTooDeep(agent.id, message.depth);
  if (message.taskId !== undefined) throw await noMoreInput(agentChats, message.taskId);
  const { chats } = agentChats;
  const { contextId } = message;
  const text = parseWith(MessageInput.shape.text, message.text, { what: 'The message' });
  const { purse: payer, reading, runCall: calledBy } = sender ?? {};
  const options = { depth: message.depth + 1, payer, calledBy, alreadyRead: reading?.sources, workedFor };
  const send = (id: string) => chats.send(id, { text, ...options });
  const known = contextId === undefined ? undefined : await continued(agentChats, contextId);
  if (known) return { chatId: known.id, runId: (await send(known.id)).runId };
  const chat = await begun(agentChats, message);
  try {
    return { chatId: chat.id, runId: (await send(chat.id)).runId };
  } catch (error) {
    // Do not leave an empty conversation behind.
    await chats.remove(chat.id);
    throw error;
  }
}

/** Returns the conversation to continue; undefined for an id that the caller chose and has not used yet. Throws RequestMalformedError. */
function continued(agentChats: AgentChats, contextId: string): Promise<Chat | undefined> {
  return isHubId(contextId) ? findChat(agentChats, contextId) : lookUpChat(agentChats, contextId);
}

/** Creates the chat of a new conversation. Throws CONFLICT if another message with the same id of the caller has just created it. */
async function begun(agentChats: AgentChats, { contextId, arguments: given }: ReadMessage): Promise<Chat> {
  const { chats, agentId } = agentChats;
  const origin = { kind: 'a2a', ...(contextId !== undefined && { contextId }) };
  const id = contextId === undefined ? undefined : ownChatId(agentChats, contextId);
  try {
    return await chats.create(parseWith(NewChatInput, { agentId, origin, arguments: given }), { id });
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== 'CONFLICT') throw error;
    const message = `The conversation "${contextId?.slice(0, 80)}" is still answering. Wait for the answer, or cancel it.`;
    throw new HubError('CONFLICT', message, { cause: error });
  }
}

/** A task takes no further messages: an agent asks nobody over A2A, because only a person can approve its calls. */
async function noMoreInput(agentChats: AgentChats, taskId: string): Promise<UnsupportedOperationError> {
  const known = await findTask(agentChats, taskId);
  return new UnsupportedOperationError(
    hasEnded(known)
      ? 'The task has ended. Send the message without taskId to continue the conversation.'
      : 'The agent is still working on this task. Wait for it, or cancel it.',
  );
}

async function cancel(agentChats: AgentChats, id: string): Promise<Task> {
  const known = await findTask(agentChats, id);
  if (hasEnded(known)) throw new TaskNotCancelableError('The task has already ended.');
  await agentChats.chats.stop(known.chatId);
  return toTask(await findTask(agentChats, toTaskId(known.chatId, known.answer.runId)));
}

async function guarded<T>(logger: Logger, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toA2aError(logger, error);
  }
}

/** Passes on A2A errors, maps ours to the closest A2A error, and hides all others from the caller. */
function toA2aError(logger: Logger, error: unknown): unknown {
  if (error instanceof HubError) {
    const { code, message } = error;
    if (code === 'CONFLICT') return new UnsupportedOperationError(message);
    if (code === 'INVALID_ARGUMENTS' || code === 'TOO_LARGE') return new RequestMalformedError(message);
    if (code !== 'INTERNAL_ERROR') return new Error(message);
  } else if (error instanceof A2AError) return error;
  logger.error({ err: error }, 'an A2A request failed unexpectedly');
  return new Error('Internal error');
}
