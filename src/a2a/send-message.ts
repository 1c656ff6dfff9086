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

/** An agent that can receive messages, local or remote. */
export interface Correspondent {
  /** The agent's name for messages. */
  name: string;
  send(request: SendMessageRequest, signal: AbortSignal): AsyncIterable<StreamResponse>;
  get(taskId: string, signal: AbortSignal): Promise<Task>;
  cancel(taskId: string, signal: AbortSignal): Promise<unknown>;
  /** Tells whether the message may have reached the agent despite this error. */
  mayHaveArrived(error: unknown): boolean;
}

const cancelMs = 5_000;
const pollMs = 1_000;

/**
 * Sends a message. Resolves when the agent has answered or needs input. Cancelling the call cancels the agent's task too. Throws
 * TOOL_ERROR, UNAVAILABLE (`details.mayHaveRun` tells whether the agent may have received the message) and CANCELLED.
 */
export async function sendMessage(
  to: Correspondent,
  message: PeerMessage,
  { context, clock }: { context: Pick<ToolContext, 'caller' | 'client' | 'signal'>; clock: Clock },
): Promise<PeerAnswer> {
  const { signal, client } = context;
  const reply = new ReplyCollector(message);
  const sending = new AbortController();
  /** A task can be cancelled only by its id, which comes with the first event; so wait for it, but not long. */
  const onAbort = () => {
    if (reply.taskId !== '') sending.abort();
    else void clock.sleep(cancelMs, sending.signal).then(() => sending.abort(), ignore);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  let steps = 0;
  let isSent = false;
  try {
    signal.throwIfAborted();
    isSent = true;
    for await (const event of to.send(toRequest(message, context), sending.signal)) {
      const text = reply.add(event);
      signal.throwIfAborted();
      if (!text) continue;
      steps += 1;
      client.progress(steps, { message: text.slice(0, 500) });
    }
    while (reply.isOpen && reply.taskId !== '') {
      await clock.sleep(pollMs, signal);
      reply.addTask(await to.get(reply.taskId, signal));
    }
    return reply.answer();
  } catch (error) {
    if (!signal.aborted) throw toHubError(to, error, { mayHaveRun: isSent && to.mayHaveArrived(error) });
    // Nobody waits for the answer any more, and it costs money.
    if (reply.taskId !== '') await to.cancel(reply.taskId, AbortSignal.timeout(cancelMs)).catch(ignore);
    const details = { mayHaveRun: isSent && to.mayHaveArrived(error) };
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
  // Our own errors come back wrapped.
  const known = findCause(error, (cause) => cause instanceof HubError);
  if (known instanceof HubError) return known;
  const reason = error instanceof Error ? reasonOf(error).slice(0, 500) : 'unknown reason';
  if (error instanceof A2AError) return new HubError('TOOL_ERROR', `The ${name} refused: ${reason}`, { cause: error });
  const message = details.mayHaveRun
    ? `The connection to the ${name} was lost: ${reason.replace(/\.$/, '')}. It may have received the message, so check before you send it again.`
    : `The ${name} could not be contacted: ${reason}`;
  return new HubError('UNAVAILABLE', message, { cause: error, details });
}

/** Adds the cause: "fetch failed" alone does not help. */
function reasonOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message;
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  return `${message} (${code})`;
}

const maxCharacters = 400_000;

/** Collects an agent's answer from its events. */
export class ReplyCollector {
  readonly #artifacts = new Map<string, string>();
  #state = TaskState.TASK_STATE_UNSPECIFIED;
  #statusText = '';
  contextId: string;
  taskId: string;

  constructor({ contextId = '', taskId = '' }: { contextId?: string | undefined; taskId?: string | undefined }) {
    this.contextId = contextId;
    this.taskId = taskId;
  }

  /** Returns the agent's progress message, if the event has one. */
  add({ payload }: StreamResponse): string | undefined {
    switch (payload?.$case) {
      case 'task':
        this.addTask(payload.value);
        return this.#isWorking() ? this.#statusText : undefined;
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
        return this.#isWorking() ? this.#statusText : undefined;
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

  /** The agent is still working and may send more. */
  get isOpen(): boolean {
    return this.#isWorking() || this.#state === TaskState.TASK_STATE_UNSPECIFIED;
  }

  answer(): PeerAnswer {
    const isDone = this.#state === TaskState.TASK_STATE_COMPLETED && this.#artifacts.size > 0;
    const texts = [...this.#artifacts.values(), isDone ? '' : this.#statusText].filter((each) => each !== '');
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
    this.#statusText = status.message ? textOf(status.message.parts) : '';
  }

  #isWorking(): boolean {
    return this.#state === TaskState.TASK_STATE_SUBMITTED || this.#state === TaskState.TASK_STATE_WORKING;
  }
}

/** Turns `TASK_STATE_INPUT_REQUIRED` into `input-required`, as in 0.3. */
function stateWord(state: TaskState): string {
  return taskStateToJSON(state).replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');
}

function textOf(parts: readonly Part[]): string {
  return parts
    .map(({ content, filename, mediaType }) => {
      if (content?.$case === 'text') return content.value;
      // An approval question contains the same in text and in data.
      if (content?.$case === 'data') return parts.length > 1 ? '' : JSON.stringify(content.value);
      return content ? `[file: ${filename || mediaType || 'unnamed'}]` : '';
    })
    .join('');
}
