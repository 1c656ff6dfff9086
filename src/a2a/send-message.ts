import { randomUUID } from 'node:crypto';
import { Role, type SendMessageRequest, type StreamResponse, type Task } from '@a2a-js/sdk';
import { A2AError } from '@a2a-js/sdk/errors';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { findCause } from '../base/never-sent.ts';
import { depthKey } from '../tools/caller.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { PeerAnswer, PeerMessage } from './peer.ts';
import { Received } from './received.ts';

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
