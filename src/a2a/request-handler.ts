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
import { type AgentChats, findChat, findTask, followTask, type TaskUpdate, withHistory } from './agent-tasks.ts';
import type { TaskLists } from './list-tasks.ts';
import { type ReadMessage, readMessage } from './read-message.ts';
import { hasEnded, openQuestion, toTask, toTaskId } from './task.ts';

export interface HandlerParts {
  agent: Agent;
  card: AgentCardDocument;
  chats: Chats;
  lists: TaskLists;
  logger: Logger;
  /** Aborts when the caller disconnects or the hub closes. This ends the waiting, not the answer. */
  signal: AbortSignal;
  /** Set if an agent of this process sends the message: its run pays, and it cannot give approvals. */
  sender?: SendingAgent | undefined;
}

interface SendingAgent {
  purse: Purse | undefined;
}

/** Implements A2A on top of one agent's chats, for the SDK's transports. A context is a chat; a task is an answer in it. */
export function requestHandler(parts: HandlerParts): A2ARequestHandler {
  const { agent, card, chats, lists, signal, logger, sender } = parts;
  const agentChats: AgentChats = { chats, agentId: agent.id };
  const guard = <T>(work: () => Promise<T>) => guarded(logger, work);

  async function* stream(start: () => Promise<Started>): AsyncGenerator<StreamResponse, void, undefined> {
    try {
      for await (const { response } of followTask(agentChats, await start(), signal)) yield response;
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
        const started = await start(agentChats, { agent, sender }, message);
        let last: TaskUpdate | undefined;
        for await (const update of followTask(agentChats, started, signal)) {
          last = update;
          if (message.returnsImmediately) break;
        }
        if (!last) throw new HubError('CANCELLED', 'The caller has disconnected.');
        return withHistory(toTask(last.known), message.historyLength);
      }),
    sendMessageStream: (request) => stream(() => start(agentChats, { agent, sender }, readMessage(request))),
    getTask: ({ id, historyLength }) =>
      guard(async () => withHistory(toTask(await findTask(agentChats, id)), historyLength)),
    listTasks: (request) => guard(() => lists.list(agentChats, request)),
    cancelTask: ({ id }) => guard(() => cancel(agentChats, id)),
    resubscribe: ({ id }) =>
      stream(async () => {
        const known = await findTask(agentChats, id);
        if (!hasEnded(known)) {
          return { contextId: known.contextId, runId: known.answer.runId, isSubscribed: true };
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

/** Starts an answer, or answers the approval question of a running one. */
async function start(
  agentChats: AgentChats,
  { agent, sender }: Pick<HandlerParts, 'agent' | 'sender'>,
  message: ReadMessage,
): Promise<Started> {
  refuseTooDeep(agent.id, message.depth);
  if (message.taskId !== undefined) {
    if (sender && message.approval && message.approval.answer !== 'deny') throw notByAgents();
    return answerQuestion(agentChats, message.taskId, message);
  }
  const { chats, agentId } = agentChats;
  const { contextId } = message;
  const text = parseWith(MessageInput.shape.text, message.text, { what: 'The message' });
  const send = (id: string) => chats.send(id, { text, depth: message.depth + 1, payer: sender?.purse });
  if (contextId !== undefined) {
    const chat = await findChat(agentChats, contextId);
    return { contextId, runId: (await send(chat.id)).runId };
  }
  const chat = await chats.create(
    parseWith(NewChatInput, { agentId, origin: { kind: 'a2a' }, arguments: message.arguments }),
  );
  try {
    return { contextId: chat.id, runId: (await send(chat.id)).runId };
  } catch (error) {
    // Do not leave an empty conversation behind.
    await chats.remove(chat.id);
    throw error;
  }
}

async function answerQuestion(
  agentChats: AgentChats,
  taskId: string,
  { contextId, approval }: ReadMessage,
): Promise<Started> {
  const known = await findTask(agentChats, taskId);
  if (contextId !== undefined && contextId !== known.contextId) {
    throw new RequestMalformedError(
      `The task belongs to the conversation "${known.contextId}", not to the one in the message.`,
    );
  }
  if (hasEnded(known)) {
    throw new UnsupportedOperationError(
      'The task has ended. Send the message without taskId to continue the conversation.',
    );
  }
  const question = openQuestion(known);
  if (!question) {
    throw new UnsupportedOperationError('The agent is still working on this task. Wait for it, or cancel it.');
  }
  if (!approval) {
    throw new RequestMalformedError(
      `The task is waiting for approval to call the tool "${question.tool}": answer "approve", "always" or "deny".`,
    );
  }
  if (approval.toolUseId !== undefined && approval.toolUseId !== question.id) {
    throw new RequestMalformedError(`The task does not ask about the call "${approval.toolUseId.slice(0, 80)}".`);
  }
  await agentChats.chats.answer(known.contextId, question.id, approval.answer);
  const { runId, parts } = known.answer;
  return { contextId: known.contextId, runId, answered: parts.indexOf(question) };
}

/** An agent must not approve another agent's calls: otherwise every agent that can send messages could use every tool. */
function notByAgents(): UnsupportedOperationError {
  return new UnsupportedOperationError(
    'Only a user can approve this call, in the chat of the web app. You may answer "deny".',
  );
}

async function cancel(agentChats: AgentChats, id: string): Promise<Task> {
  const known = await findTask(agentChats, id);
  if (hasEnded(known)) throw new TaskNotCancelableError('The task has already ended.');
  await agentChats.chats.stop(known.contextId);
  return toTask(await findTask(agentChats, toTaskId(known.contextId, known.answer.runId)));
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
