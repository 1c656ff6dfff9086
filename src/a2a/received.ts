import { type Message, type Part, type StreamResponse, type Task, TaskState, taskStateToJSON } from '@a2a-js/sdk';
import type { PeerAnswer } from './peer.ts';

const maxCharacters = 400_000;

/** What came of an agent's answer so far. */
export class Received {
  readonly #artifacts = new Map<string, string>();
  #state = TaskState.TASK_STATE_UNSPECIFIED;
  #said = '';
  contextId: string;
  taskId: string;

  constructor({ contextId = '', taskId = '' }: { contextId?: string | undefined; taskId?: string | undefined }) {
    this.contextId = contextId;
    this.taskId = taskId;
  }

  /** Returns what the agent says of its work, where it says something. */
  add({ payload }: StreamResponse): string | undefined {
    switch (payload?.$case) {
      case 'task':
        this.addTask(payload.value);
        return this.#isWorking() ? this.#said : undefined;
      case 'message':
        this.addMessage(payload.value);
        return undefined;
      case 'artifactUpdate': {
        const { artifact, append } = payload.value;
        if (!artifact) return undefined;
        const before = append ? (this.#artifacts.get(artifact.artifactId) ?? '') : '';
        this.#artifacts.set(artifact.artifactId, before + textOf(artifact.parts));
        return undefined;
      }
      case 'statusUpdate':
        this.#setStatus(payload.value.status);
        return this.#isWorking() ? this.#said : undefined;
      default:
        return undefined;
    }
  }

  addTask(task: Task): void {
    this.contextId = task.contextId;
    this.taskId = task.id;
    this.#artifacts.clear();
    for (const { artifactId, parts } of task.artifacts) this.#artifacts.set(artifactId, textOf(parts));
    this.#setStatus(task.status);
  }

  addMessage(message: Message): void {
    this.contextId = message.contextId || this.contextId;
    this.taskId = message.taskId;
    this.#state = TaskState.TASK_STATE_COMPLETED;
    this.#artifacts.set('message', textOf(message.parts));
  }

  /** It may still say more by itself. */
  get isOpen(): boolean {
    return this.#isWorking() || this.#state === TaskState.TASK_STATE_UNSPECIFIED;
  }

  answer(): PeerAnswer {
    const isDone = this.#state === TaskState.TASK_STATE_COMPLETED && this.#artifacts.size > 0;
    const texts = [...this.#artifacts.values(), isDone ? '' : this.#said].filter((each) => each !== '');
    const text = texts.join('\n\n');
    return {
      text: text.length > maxCharacters ? `${text.slice(0, maxCharacters)}… (cut)` : text,
      contextId: this.contextId,
      taskId: this.taskId,
      state: stateWord(this.#state),
    };
  }

  #setStatus(status: Task['status']): void {
    if (!status) return;
    this.#state = status.state;
    this.#said = status.message ? textOf(status.message.parts) : '';
  }

  #isWorking(): boolean {
    return this.#state === TaskState.TASK_STATE_SUBMITTED || this.#state === TaskState.TASK_STATE_WORKING;
  }
}

/** `TASK_STATE_INPUT_REQUIRED` is `input-required`, as 0.3 had it. */
function stateWord(state: TaskState): string {
  return taskStateToJSON(state).replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');
}

function textOf(parts: readonly Part[]): string {
  return parts
    .map(({ content, filename, mediaType }) => {
      if (content?.$case === 'text') return content.value;
      // A message that asks for approval says the same in text and in data.
      if (content?.$case === 'data') return parts.length > 1 ? '' : JSON.stringify(content.value);
      return content ? `[a file: ${filename || mediaType || 'without a name'}]` : '';
    })
    .join('');
}
