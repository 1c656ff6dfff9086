import { randomUUID } from 'node:crypto';
import {
  type Message,
  type Part,
  Role,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
  TaskState,
  taskStateToJSON,
} from '@a2a-js/sdk';
import { A2AError } from '@a2a-js/sdk/errors';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { findCause } from '../base/never-sent.ts';
import { depthKey } from '../tools/caller.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { PeerAnswer, PeerMessage } from './peer.ts';

/** An agent that can be talked to, wherever it is. */
export interface Correspondent {
  /** For messages to people. */
  name: string;
  send(request: SendMessageRequest, signal: AbortSignal): AsyncIterable<StreamResponse>;
  get(taskId: string, signal: AbortSignal): Promise<Task>;
  cancel(taskId: string, signal: AbortSignal): Promise<unknown>;
  /** Whether a message that was sent with this failure may have reached the agent. */
  mayHaveTaken(error: unknown): boolean;
}

const cancelMs = 5_000;
const lookAgainMs = 1_000;

/**
 * Returns when the agent has answered or asks something. A call that is cancelled is cancelled at the agent too. Throws TOOL_ERROR,
 * UNAVAILABLE (`details.mayHaveRun` says whether the agent may have taken the message), CANCELLED.
 */
export async function sendMessage(
  to: Correspondent,
  message: PeerMessage,
  { context, clock }: { context: Pick<ToolContext, 'caller' | 'client' | 'signal'>; clock: Clock },
): Promise<PeerAnswer> {
  const { signal, client } = context;
  const received = new Received(message);
  const sending = new AbortController();
  /** Without the id of its task nothing can be cancelled; it comes with the first event, soon or never. */
  const onAbort = () => {
    if (received.taskId !== '') sending.abort();
    else void clock.sleep(cancelMs, sending.signal).then(() => sending.abort(), ignore);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  let steps = 0;
  let isSent = false;
  try {
    signal.throwIfAborted();
    isSent = true;
    for await (const event of to.send(toRequest(message, context), sending.signal)) {
      const said = received.add(event);
      signal.throwIfAborted();
      if (!said) continue;
      steps += 1;
      client.progress(steps, { message: said.slice(0, 500) });
    }
    while (received.isOpen && received.taskId !== '') {
      await clock.sleep(lookAgainMs, signal);
      received.addTask(await to.get(received.taskId, signal));
    }
    return received.answer();
  } catch (error) {
    if (!signal.aborted) throw toHubError(to, error, { mayHaveRun: isSent && to.mayHaveTaken(error) });
    // Nobody waits for the answer any more, and its model costs somebody money.
    if (received.taskId !== '') await to.cancel(received.taskId, AbortSignal.timeout(cancelMs)).catch(ignore);
    const details = { mayHaveRun: isSent && to.mayHaveTaken(error) };
    throw new HubError('CANCELLED', `The message to ${to.name} was cancelled.`, { cause: error, details });
  } finally {
    signal.removeEventListener('abort', onAbort);
    sending.abort();
  }
}

function ignore(): void {}

function toRequest(
  { message, contextId = '', taskId = '' }: PeerMessage,
  { caller }: Pick<ToolContext, 'caller'>,
): SendMessageRequest {
  return {
    tenant: '',
    message: {
      messageId: randomUUID(),
      contextId,
      taskId,
      role: Role.ROLE_USER,
      parts: [
        { content: { $case: 'text', value: message }, metadata: undefined, filename: '', mediaType: 'text/plain' },
      ],
      metadata: caller.depth ? { [depthKey]: caller.depth } : undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: undefined,
    metadata: undefined,
  };
}

export function toHubError(
  { name }: Pick<Correspondent, 'name'>,
  error: unknown,
  details: { mayHaveRun: boolean },
): HubError {
  // Our own refusals come back wrapped.
  const known = findCause(error, (cause) => cause instanceof HubError);
  if (known instanceof HubError) return known;
  const reason = error instanceof Error ? reasonOf(error).slice(0, 500) : 'unknown reason';
  if (error instanceof A2AError) return new HubError('TOOL_ERROR', `The ${name} refused: ${reason}`, { cause: error });
  const message = details.mayHaveRun
    ? `The connection to the ${name} was lost: ${reason}. It may have taken the message: look before you send it again.`
    : `The ${name} could not be asked: ${reason}`;
  return new HubError('UNAVAILABLE', message, { cause: error, details });
}

/** "fetch failed" alone helps nobody: why is in its cause. */
function reasonOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message;
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  return `${message} (${code})`;
}

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
