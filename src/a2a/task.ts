import { type Artifact, type Message, type Part, Role, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk';
import type { Answer, CallPart, Turn } from '../chats/transcript.ts';

/** An answer in a chat, which A2A calls a task. Tasks are not stored separately. */
export interface KnownTask {
  contextId: string;
  turn: Turn;
  answer: Answer;
  updatedAt: number;
  /** The index of the part whose question was just answered; the chat may still show it as open. */
  answered?: number | undefined;
}

/** A task id contains chat and run, so that a task can be found without an index. */
export function toTaskId(contextId: string, runId: string): string {
  return `${contextId}.${runId}`;
}

export function readTaskId(id: string): { contextId: string; runId: string } | undefined {
  const [contextId, runId, ...rest] = id.split('.');
  return contextId && runId && rest.length === 0 ? { contextId, runId } : undefined;
}

export function toTask(known: KnownTask): Task {
  const { contextId, answer } = known;
  const text = answerText(answer);
  return {
    id: toTaskId(contextId, answer.runId),
    contextId,
    status: toStatus(known),
    artifacts: text === '' ? [] : [answerArtifact(text)],
    history: historyOf(known),
    metadata: undefined,
  };
}

export function toStatus(known: KnownTask): TaskStatus {
  const { answer, updatedAt } = known;
  const state = stateOf(known);
  const message = (text: string) => agentMessage(known, `${answer.runId}-end`, [textPart(text)]);
  const question = openQuestion(known);
  return {
    state,
    message: question
      ? questionMessage(known, question)
      : state === TaskState.TASK_STATE_FAILED || state === TaskState.TASK_STATE_CANCELED
        ? message(answer.error?.message ?? answer.reason)
        : undefined,
    timestamp: new Date(answer.finishedAt ?? updatedAt).toISOString(),
  };
}

export function stateOf(known: KnownTask): TaskState {
  const { status } = known.answer;
  switch (status) {
    case 'answering':
      return openQuestion(known) ? TaskState.TASK_STATE_INPUT_REQUIRED : TaskState.TASK_STATE_WORKING;
    case 'completed':
      return TaskState.TASK_STATE_COMPLETED;
    case 'aborted':
      return TaskState.TASK_STATE_CANCELED;
    case 'max-ticks':
    case 'budget':
    case 'failed':
    case 'interrupted':
      return TaskState.TASK_STATE_FAILED;
  }
}

export function hasEnded({ answer }: KnownTask): boolean {
  return answer.status !== 'answering';
}

/** Returns the call that is waiting for approval. An agent asks about one call at a time. */
export function openQuestion({ answer, answered }: KnownTask): CallPart | undefined {
  if (answer.status !== 'answering') return undefined;
  return answer.parts.find(
    (part, index): part is CallPart => part.type === 'call' && part.state === 'waiting' && index !== answered,
  );
}

/** Returns the model's text from all ticks, without reasoning. */
export function answerText({ parts }: Answer): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(textSeparator);
}

export const textSeparator = '\n\n';

export function answerArtifact(text: string): Artifact {
  return {
    artifactId: 'answer',
    name: 'Answer',
    description: '',
    parts: [textPart(text)],
    metadata: undefined,
    extensions: [],
  };
}

export function workingMessage(known: KnownTask, id: string, text: string): Message {
  return agentMessage(known, id, [textPart(text)]);
}

function historyOf({ contextId, turn, answer }: KnownTask): Message[] {
  return [
    {
      ...emptyMessage,
      messageId: turn.messageId,
      contextId,
      taskId: toTaskId(contextId, answer.runId),
      role: Role.ROLE_USER,
      parts: [textPart(turn.text)],
    },
  ];
}

const maxShown = 4_000;

function questionMessage(known: KnownTask, { id, tool, input }: CallPart): Message {
  const json = JSON.stringify(input, null, 2) ?? 'null';
  const shown = json.length > maxShown ? `${json.slice(0, maxShown)}… (complete in the data part)` : json;
  const text = `The agent wants to call the tool "${tool}" with this input:\n${shown}\n\nSend a message to this task with the text "approve" (this call), "always" (this tool, in this whole conversation) or "deny", or with a data part such as {"approval": "approve", "toolUseId": ${JSON.stringify(id)}}.`;
  const data = { approval: { toolUseId: id, tool, input, answers: ['approve', 'always', 'deny'] } };
  return agentMessage(known, `${known.answer.runId}-${id}`, [textPart(text), dataPart(data)]);
}

function agentMessage({ contextId, answer }: KnownTask, messageId: string, parts: Part[]): Message {
  const taskId = toTaskId(contextId, answer.runId);
  return { ...emptyMessage, messageId, contextId, taskId, role: Role.ROLE_AGENT, parts };
}

const emptyMessage = { metadata: undefined, extensions: [], referenceTaskIds: [] };

function textPart(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' };
}

function dataPart(value: object): Part {
  return { content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: 'application/json' };
}
