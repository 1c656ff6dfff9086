import { type Artifact, type Message, type Part, Role, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk';
import type { Answer, Turn } from '../chats/transcript.ts';

/** An answer in a chat, which A2A calls a task. Tasks are not stored separately. */
export interface KnownTask {
  chatId: string;
  /** The caller's own name for the conversation; the chat's id if it chose none. */
  contextId: string;
  turn: Turn;
  answer: Answer;
  updatedAt: number;
}

/** A task id contains chat and run, so that a task can be found without an index. */
export function toTaskId(chatId: string, runId: string): string {
  return `${chatId}.${runId}`;
}

export function readTaskId(id: string): { chatId: string; runId: string } | undefined {
  const [chatId, runId, ...rest] = id.split('.');
  return chatId && runId && rest.length === 0 ? { chatId, runId } : undefined;
}

export function toTask(known: KnownTask): Task {
  const { chatId, contextId, answer } = known;
  const text = answerText(answer);
  return {
    id: toTaskId(chatId, answer.runId),
    contextId,
    status: toStatus(known),
    artifacts: text === '' ? [] : [answerArtifact(text)],
    history: historyOf(known),
    metadata: undefined,
  };
}

/** Returns a task for callers of 0.3, whose clients often read only `status.message`: it repeats the answer there. */
export function withAnswerInStatus(task: Task): Task {
  const { id, contextId, status, artifacts } = task;
  if (status?.state !== TaskState.TASK_STATE_COMPLETED || status.message || artifacts.length === 0) return task;
  const parts = artifacts.flatMap((artifact) => artifact.parts);
  const message = { ...emptyMessage, messageId: `${id}-answer`, contextId, taskId: id, role: Role.ROLE_AGENT, parts };
  return { ...task, status: { ...status, message } };
}

export function toStatus(known: KnownTask): TaskStatus {
  const { answer, updatedAt } = known;
  const state = stateOf(known);
  const message = (text: string) => agentMessage(known, `${answer.runId}-end`, [textPart(text)]);
  return {
    state,
    message:
      state === TaskState.TASK_STATE_FAILED || state === TaskState.TASK_STATE_CANCELED
        ? message(answer.error?.message ?? answer.reason)
        : undefined,
    timestamp: new Date(answer.finishedAt ?? updatedAt).toISOString(),
  };
}

export function stateOf(known: KnownTask): TaskState {
  const { status } = known.answer;
  switch (status) {
    case 'answering':
      return TaskState.TASK_STATE_WORKING;
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

function historyOf({ chatId, contextId, turn, answer }: KnownTask): Message[] {
  return [
    {
      ...emptyMessage,
      messageId: turn.messageId,
      contextId,
      taskId: toTaskId(chatId, answer.runId),
      role: Role.ROLE_USER,
      parts: [textPart(turn.text)],
    },
  ];
}

function agentMessage({ chatId, contextId, answer }: KnownTask, messageId: string, parts: Part[]): Message {
  const taskId = toTaskId(chatId, answer.runId);
  return { ...emptyMessage, messageId, contextId, taskId, role: Role.ROLE_AGENT, parts };
}

const emptyMessage = { metadata: undefined, extensions: [], referenceTaskIds: [] };

function textPart(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' };
}
