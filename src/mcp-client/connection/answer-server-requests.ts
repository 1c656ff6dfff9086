import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../base/json.ts';
import { type AskOptions, clientOf, silentToolClient, type ToolClient } from '../../tools/tool-client.ts';
import { foreignText } from './connection-errors.ts';
import type { JsonMessage } from './message-tap.ts';
import type { PendingRequest, RawLane } from './raw-lane.ts';

/** What we say that we can do. Whether a question is answered depends on who called. */
export const clientCapabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} };

const methodNotFound = -32601;
const refused = -32000;
const maxAtOnce = 32;
/** Answers that the server does not take. */
const maxUnsent = 100;
const longestId = 1_000;

type Reply = { result: JsonObject } | { error: { code: number; message: string } };
type Ask = (client: ToolClient, params: JsonObject, options: AskOptions) => Promise<JsonObject>;

const questions: Record<string, Ask> = {
  'sampling/createMessage': (client, params, options) => client.sample(params, options),
  'elicitation/create': (client, params, options) => client.elicit(params, options),
  'roots/list': (client, _params, options) => client.roots(options),
};

export interface ServerQuestions {
  lane: RawLane;
  /** The server is about to be told a client's roots. */
  onRoots?: (() => void) | undefined;
  send(message: JSONRPCMessage): Promise<void>;
}

/** Why a question ended that its server has taken back. */
const withdrawn = Symbol('withdrawn');

/**
 * Answers what a server asks while a call of ours runs, through the client that made the call. Where it is not clear whose
 * question it is, nobody is asked. A question that ends without its answer is withdrawn from the client.
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
    const asker = whose(lane, call);
    if (typeof asker === 'string') return { error: { code: refused, message: asker } };
    if (running >= maxAtOnce) return { error: { code: refused, message: 'Too many questions at once.' } };
    running += 1;
    const late = new Promise<never>((_, reject) => {
      ended.signal.addEventListener('abort', () => reject(new Error('The call that was asked about has ended.')));
    });
    const stopWatching = lane.watchEnds(() => {
      if (!isStillTheirs(lane, asker)) ended.abort();
    });
    try {
      const params = (message.params ?? {}) as JsonObject;
      const asked = askClient(lane, asker, { method, params, signal: ended.signal });
      // The connection may serve another client by now, which must not be taken for the one that answers.
      const result = await Promise.race([late, asked]);
      if (ended.signal.aborted) await late;
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
      if (typeof id !== 'number' && (typeof id !== 'string' || id.length > longestId)) return;
      const ended = new AbortController();
      asking.set(id, ended);
      replyTo(message, call, ended)
        .then(async (reply) => {
          if (asking.get(id) === ended) asking.delete(id);
          if (ended.signal.reason === withdrawn || unsent >= maxUnsent) return;
          unsent += 1;
          await send({ jsonrpc: '2.0', id, ...reply }).finally(() => {
            unsent -= 1;
          });
        })
        // A server that is gone needs no answer.
        .catch(() => {});
    },
    /** The server no longer wants the answer to its question (`notifications/cancelled`), and gets none. */
    withdraw({ params }: JsonMessage): void {
      const { requestId } = (params ?? {}) as { requestId?: unknown };
      asking.get(requestId)?.abort(withdrawn);
    },
  };
}

/** Asks the client of a call; the clock of the call stands still meanwhile. Throws what the client throws. */
export async function askClient(
  lane: RawLane,
  call: PendingRequest,
  question: { method: string; params: JsonObject } & AskOptions,
): Promise<JsonObject> {
  const { method, params, ...options } = question;
  const ask = Object.hasOwn(questions, method) ? questions[method] : undefined;
  if (!ask) throw new Error(`This client has no method "${foreignText(method)}".`);
  // Which of the client's calls waits for the answer is not known.
  const resumes = theirs(lane, call).map((each) => lane.holdTime(each));
  try {
    return await ask(call.client ?? silentToolClient, params, options);
  } finally {
    for (const resume of resumes) resume();
  }
}

/** The call, and all others of its client. */
function theirs(lane: RawLane, { client, id }: PendingRequest): PendingRequest[] {
  const owner = clientOf(client);
  return lane.running().filter((each) => each.id === id || (owner !== undefined && clientOf(each.client) === owner));
}

function isStillTheirs(lane: RawLane, call: PendingRequest): boolean {
  return lane.isPending(call) || theirs(lane, call).length > 0;
}

function whose(lane: RawLane, call: PendingRequest | undefined): PendingRequest | string {
  if (call) return canAnswer(call) ? call : 'Nobody is there to answer: the caller of this tool takes no questions.';
  const running = lane.running();
  // Any of them may have caused the question, also one whose client takes none: it must not reach another client.
  const clients = new Set(running.map(({ client }) => clientOf(client)));
  if (clients.size > 1) return 'Several clients have calls running, and it is not clear which of them is asked.';
  const newest = running.at(-1);
  if (newest && canAnswer(newest) && (running.length === 1 || !clients.has(undefined))) return newest;
  return 'Nobody is there to answer: no call of a client that takes questions is running.';
}

function canAnswer({ client }: PendingRequest): boolean {
  return client !== undefined && client !== silentToolClient;
}
