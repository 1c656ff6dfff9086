import { type Artifact, type Message, type Part, Role, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk';
import type { Answer, Turn } from '../chats/transcript.ts';

/** An answer in a chat, which A2A calls a task. Tasks are not stored separately. */
export interface KnownTask {
  contextId: string;
  turn: Turn;
  answer: Answer;
  updatedAt: number;
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

function agentMessage({ contextId, answer }: KnownTask, messageId: string, parts: Part[]): Message {
  const taskId = toTaskId(contextId, answer.runId);
  return { ...emptyMessage, messageId, contextId, taskId, role: Role.ROLE_AGENT, parts };
}

const emptyMessage = { metadata: undefined, extensions: [], referenceTaskIds: [] };

function textPart(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' };
}
