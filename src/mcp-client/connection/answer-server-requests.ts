import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../base/json.ts';
import { type AskOptions, clientOf, silentToolClient, type ToolClient } from '../../tools/tool-client.ts';
import { foreignText } from './connection-errors.ts';
import type { JsonMessage } from './message-tap.ts';
import type { PendingRequest, RawLane } from './raw-lane.ts';

/** The capabilities that we declare. Whether a question is answered depends on the client that made the call. */
export const clientCapabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} };

const methodNotFound = -32601;
const refused = -32000;
const maxAtOnce = 32;
/** The maximum number of replies that the server has not read yet. */
const maxUnreadReplies = 100;
const maxIdLength = 1_000;

type Reply = { result: JsonObject } | { error: { code: number; message: string } };
type Ask = (client: ToolClient, params: JsonObject, options: AskOptions) => Promise<JsonObject>;

const questions: Record<string, Ask> = {
  'sampling/createMessage': (client, params, options) => client.sample(params, options),
  'elicitation/create': (client, params, options) => client.elicit(params, options),
  'roots/list': (client, _params, options) => client.roots(options),
};

export interface ServerQuestions {
  lane: RawLane;
  /** Called before the server receives a client's roots. */
  onRoots?: (() => void) | undefined;
  send(message: JSONRPCMessage): Promise<void>;
}

/** The abort reason of a question that its server has withdrawn. */
const withdrawn = Symbol('withdrawn');

/**
 * Answers a server's questions while one of our calls runs, by asking the client that made the call. If it is not clear which client
 * is meant, nobody is asked. A question that becomes obsolete is withdrawn from the client.
 */
export function answerServerRequests({ lane, send, onRoots }: ServerQuestions) {
  let running = 0;
  let unsent = 0;
  const asking = new Map<unknown, AbortController>();
  const replyTo = async (
    message: JsonMessage,
    call: PendingRequest | undefined,
    ended: AbortController,
  ): Promise<Reply> => {
    const method = String(message.method);
    if (method === 'ping') return { result: {} };
    if (!Object.hasOwn(questions, method)) {
      return { error: { code: methodNotFound, message: `This client has no method "${foreignText(method)}".` } };
    }
    const owner = findAskedCall(lane, call);
    if (typeof owner === 'string') return { error: { code: refused, message: owner } };
    if (running >= maxAtOnce) return { error: { code: refused, message: 'Too many open questions.' } };
    running += 1;
    const obsolete = new Promise<never>((_, reject) => {
      ended.signal.addEventListener('abort', () =>
        reject(new Error('The call that this question belongs to has ended.')),
      );
    });
    const stopWatching = lane.onRequestEnded(() => {
      if (!hasOpenCalls(lane, owner)) ended.abort();
    });
    try {
      const params = (message.params ?? {}) as JsonObject;
      const answer = askClient(lane, owner, { method, params, signal: ended.signal });
      // If the call has ended, the connection may serve another client, and the answer must not be attributed to that one.
      const result = await Promise.race([obsolete, answer]);
      if (ended.signal.aborted) await obsolete;
      if (method === 'roots/list') onRoots?.();
      return { result };
    } catch (error) {
      return { error: { code: refused, message: foreignText(error instanceof Error ? error.message : error) } };
    } finally {
      stopWatching();
      running -= 1;
    }
  };
  return {
    answer(message: JsonMessage, call: PendingRequest | undefined): void {
      const { id } = message;
      if (typeof id !== 'number' && (typeof id !== 'string' || id.length > maxIdLength)) return;
      const ended = new AbortController();
      asking.set(id, ended);
      replyTo(message, call, ended)
        .then(async (reply) => {
          if (asking.get(id) === ended) asking.delete(id);
          if (ended.signal.reason === withdrawn || unsent >= maxUnreadReplies) return;
          unsent += 1;
          await send({ jsonrpc: '2.0', id, ...reply }).finally(() => {
            unsent -= 1;
          });
        })
        // A server that has disconnected needs no reply.
        .catch(() => {});
    },
    /** Handles `notifications/cancelled`: the server withdraws its question and gets no reply. */
    withdraw({ params }: JsonMessage): void {
      const { requestId } = (params ?? {}) as { requestId?: unknown };
      asking.get(requestId)?.abort(withdrawn);
    },
  };
}

/** Asks the client of a call; the call's timeout is paused meanwhile. Throws the client's errors. */
export async function askClient(
  lane: RawLane,
  call: PendingRequest,
  question: { method: string; params: JsonObject } & AskOptions,
): Promise<JsonObject> {
  const { method, params, ...options } = question;
  const ask = Object.hasOwn(questions, method) ? questions[method] : undefined;
  if (!ask) throw new Error(`This client has no method "${foreignText(method)}".`);
  // It is not known which of the client's calls waits for the answer, so all of them are paused.
  const resumes = callsOfClient(lane, call).map((each) => lane.pauseTimeout(each));
  try {
    return await ask(call.client ?? silentToolClient, params, options);
  } finally {
    for (const resume of resumes) resume();
  }
}

/** Returns the call and all other running calls of its client. */
function callsOfClient(lane: RawLane, { client, id }: PendingRequest): PendingRequest[] {
  const owner = clientOf(client);
  return lane.running().filter((each) => each.id === id || (owner !== undefined && clientOf(each.client) === owner));
}

function hasOpenCalls(lane: RawLane, call: PendingRequest): boolean {
  return lane.isPending(call) || callsOfClient(lane, call).length > 0;
}

/** Returns the call that the question belongs to, or the reason why nobody can be asked. */
function findAskedCall(lane: RawLane, call: PendingRequest | undefined): PendingRequest | string {
  if (call) return canAnswer(call) ? call : 'Nobody can answer: the caller of this tool accepts no questions.';
  const running = lane.running();
  // Any running call may have caused the question, even one whose client accepts no questions. It must not reach another client.
  const clients = new Set(running.map(({ client }) => clientOf(client)));
  if (clients.size > 1) return 'Several clients have running calls, and it is not clear which one the question is for.';
  const newest = running.at(-1);
  if (newest && canAnswer(newest) && (running.length === 1 || !clients.has(undefined))) return newest;
  return 'Nobody can answer: no client that accepts questions has a running call.';
}

function canAnswer({ client }: PendingRequest): boolean {
  return client !== undefined && client !== silentToolClient;
}
