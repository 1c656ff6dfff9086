import { AgentCard, type StreamResponse, type Task } from '@a2a-js/sdk';
import {
  A2AError,
  ExtendedAgentCardNotConfiguredError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { Agent } from '../agents/agent.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import { parseWith } from '../base/validate.ts';
import { MessageInput, NewChatInput } from '../chats/chat-input.ts';
import type { Chats } from '../chats/chats.ts';
import { type Purse, refuseTooDeep } from '../tools/caller.ts';
import type { AgentCardDocument } from './agent-card.ts';
import { followTask, type Own, ownChat, ownTask, type TaskUpdate, withHistory } from './agent-tasks.ts';
import type { TaskLists } from './list-tasks.ts';
import { type ReadMessage, readMessage } from './read-message.ts';
import { hasEnded, openQuestion, toTask, toTaskId } from './task.ts';

export interface HandlerParts {
  agent: Agent;
  card: AgentCardDocument;
  chats: Chats;
  lists: TaskLists;
  logger: Logger;
  /** The caller is gone, or the hub closes: waiting ends, the answer does not. */
  signal: AbortSignal;
  /** Set where an agent of this process speaks: its run pays, and it does not decide what a person must. */
  sender?: SendingAgent | undefined;
}

interface SendingAgent {
  purse: Purse | undefined;
}

/** What the SDK's transports call: A2A over the chats of one agent. A task is an answer of a chat, a context is a chat. */
export function requestHandler(parts: HandlerParts): A2ARequestHandler {
  const { agent, card, chats, lists, signal, logger, sender } = parts;
  const own: Own = { chats, agentId: agent.id };
  const guard = <T>(work: () => Promise<T>) => guarded(logger, work);

  async function* stream(start: () => Promise<Started>): AsyncGenerator<StreamResponse, void, undefined> {
    try {
      for await (const { response } of followTask(own, await start(), signal)) yield response;
    } catch (error) {
      throw toA2aError(logger, error);
    }
  }
  const noPush = () => Promise.reject(new PushNotificationNotSupportedError());

  return {
    getAgentCard: async () => AgentCard.fromJSON(card),
    getAuthenticatedExtendedAgentCard: () => Promise.reject(new ExtendedAgentCardNotConfiguredError()),
    sendMessage: (request) =>
      guard(async () => {
        const message = readMessage(request);
        const started = await start(own, { agent, sender }, message);
        let last: TaskUpdate | undefined;
        for await (const update of followTask(own, started, signal)) {
          last = update;
          if (message.returnsImmediately) break;
        }
        if (!last) throw new HubError('CANCELLED', 'The caller is gone.');
        return withHistory(toTask(last.known), message.historyLength);
      }),
    sendMessageStream: (request) => stream(() => start(own, { agent, sender }, readMessage(request))),
    getTask: ({ id, historyLength }) => guard(async () => withHistory(toTask(await ownTask(own, id)), historyLength)),
    listTasks: (request) => guard(() => lists.list(own, request)),
    cancelTask: ({ id }) => guard(() => cancel(own, id)),
    resubscribe: ({ id }) =>
      stream(async () => {
        const known = await ownTask(own, id);
        if (!hasEnded(known)) {
          return { contextId: known.contextId, runId: known.answer.runId, isSubscribed: true };
        }
        throw new UnsupportedOperationError(
          'The task has ended, so nothing more will happen to it. Read it with GetTask.',
        );
      }),
    createTaskPushNotificationConfig: noPush,
    getTaskPushNotificationConfig: noPush,
    listTaskPushNotificationConfigs: noPush,
    deleteTaskPushNotificationConfig: noPush,
  };
}

type Started = Parameters<typeof followTask>[1];

/** Begins an answer, or answers the question of one. */
async function start(
  own: Own,
  { agent, sender }: Pick<HandlerParts, 'agent' | 'sender'>,
  message: ReadMessage,
): Promise<Started> {
  refuseTooDeep(agent.id, message.depth);
  if (message.taskId !== undefined) {
    if (sender && message.approval && message.approval.answer !== 'deny') throw notByAgents();
    return answerQuestion(own, message.taskId, message);
  }
  const { chats, agentId } = own;
  const { contextId } = message;
  const text = parseWith(MessageInput.shape.text, message.text, { what: 'The message' });
  const send = (id: string) => chats.send(id, { text, depth: message.depth + 1, payer: sender?.purse });
  if (contextId !== undefined) {
    const chat = await ownChat(own, contextId);
    return { contextId, runId: (await send(chat.id)).runId };
  }
  const chat = await chats.create(
    parseWith(NewChatInput, { agentId, origin: { kind: 'a2a' }, arguments: message.arguments }),
  );
  try {
    return { contextId: chat.id, runId: (await send(chat.id)).runId };
  } catch (error) {
    // A conversation in which nothing was said is nobody's.
    await chats.remove(chat.id);
    throw error;
  }
}

async function answerQuestion(own: Own, taskId: string, { contextId, approval }: ReadMessage): Promise<Started> {
  const known = await ownTask(own, taskId);
  if (contextId !== undefined && contextId !== known.contextId) {
    throw new RequestMalformedError(
      `The task is of the conversation "${known.contextId}", not of the one that the message names.`,
    );
  }
  if (hasEnded(known)) {
    throw new UnsupportedOperationError(
      'The task has ended. Send the message without taskId to go on in the same conversation.',
    );
  }
  const question = openQuestion(known);
  if (!question) {
    throw new UnsupportedOperationError('The agent is still working on this task. Wait for it, or cancel it.');
  }
  if (!approval) {
    throw new RequestMalformedError(
      `The task waits for a word about its call of the tool "${question.tool}": answer "approve", "always" or "deny".`,
    );
  }
  if (approval.toolUseId !== undefined && approval.toolUseId !== question.id) {
    throw new RequestMalformedError(`The task does not ask about the call "${approval.toolUseId.slice(0, 80)}".`);
  }
  await own.chats.answer(known.contextId, question.id, approval.answer);
  const { runId, parts } = known.answer;
  return { contextId: known.contextId, runId, answered: parts.indexOf(question) };
}

/** A model would be asked whether a model may: whoever can send messages could use every tool of everybody. */
function notByAgents(): UnsupportedOperationError {
  return new UnsupportedOperationError(
    'A person decides about this call, no agent: it can be approved in the chat of the web app. You may answer "deny".',
  );
}

async function cancel(own: Own, id: string): Promise<Task> {
  const known = await ownTask(own, id);
  if (hasEnded(known)) throw new TaskNotCancelableError('The task has ended already.');
  await own.chats.stop(known.contextId);
  return toTask(await ownTask(own, toTaskId(known.contextId, known.answer.runId)));
}

async function guarded<T>(logger: Logger, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toA2aError(logger, error);
  }
}

/** Errors of A2A pass; ours have the nearest of its codes; of the rest a caller learns nothing. */
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
