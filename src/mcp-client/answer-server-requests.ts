import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { JsonObject } from '../base/json.ts';
import { silentToolClient, type ToolClient } from '../tools/tool-client.ts';
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
type Ask = (client: ToolClient, params: JsonObject, key?: string) => Promise<JsonObject>;

const questions: Record<string, Ask> = {
  'sampling/createMessage': (client, params, key) => client.sample(params, key === undefined ? {} : { key }),
  'elicitation/create': (client, params, key) => client.elicit(params, key === undefined ? {} : { key }),
  'roots/list': (client, _params, key) => client.roots(key === undefined ? {} : { key }),
};

export interface ServerQuestions {
  lane: RawLane;
  send(message: JSONRPCMessage): Promise<void>;
}

/**
 * Answers what a server asks while a call of ours runs, through the client that made the call. Where it is not clear whose
 * question it is, nobody is asked.
 */
export function answerServerRequests({ lane, send }: ServerQuestions) {
  let running = 0;
  let unsent = 0;
  const answer = async (message: JsonMessage, call: PendingRequest | undefined): Promise<Reply> => {
    const method = String(message.method);
    if (method === 'ping') return { result: {} };
    if (!Object.hasOwn(questions, method)) {
      return { error: { code: methodNotFound, message: `This client has no method "${foreignText(method)}".` } };
    }
    const asker = whose(lane, call);
    if (typeof asker === 'string') return { error: { code: refused, message: asker } };
    if (running >= maxAtOnce) return { error: { code: refused, message: 'Too many questions at once.' } };
    running += 1;
    try {
      return { result: await askClient(lane, asker, { method, params: (message.params ?? {}) as JsonObject }) };
    } catch (error) {
      return { error: { code: refused, message: foreignText(error instanceof Error ? error.message : error) } };
    } finally {
      running -= 1;
    }
  };
  return (message: JsonMessage, call: PendingRequest | undefined): void => {
    const { id } = message;
    if (typeof id !== 'number' && (typeof id !== 'string' || id.length > longestId)) return;
    answer(message, call)
      .then(async (reply) => {
        if (unsent >= maxUnsent) return;
        unsent += 1;
        await send({ jsonrpc: '2.0', id, ...reply }).finally(() => {
          unsent -= 1;
        });
      })
      // A server that is gone needs no answer.
      .catch(() => {});
  };
}

/** Asks the client of a call; the clock of the call stands still meanwhile. Throws what the client throws. */
export async function askClient(
  lane: RawLane,
  call: PendingRequest,
  question: { method: string; params: JsonObject; key?: string },
): Promise<JsonObject> {
  const ask = Object.hasOwn(questions, question.method) ? questions[question.method] : undefined;
  if (!ask) throw new Error(`This client has no method "${foreignText(question.method)}".`);
  const resume = lane.holdTime(call);
  try {
    return await ask(call.client ?? silentToolClient, question.params, question.key);
  } finally {
    resume();
  }
}

function whose(lane: RawLane, call: PendingRequest | undefined): PendingRequest | string {
  if (call) return canAnswer(call) ? call : 'Nobody is there to answer: the caller of this tool takes no questions.';
  const able = lane.running().filter(canAnswer);
  if (able.length === 1 && able[0]) return able[0];
  return able.length === 0
    ? 'Nobody is there to answer: no call of a client that takes questions is running.'
    : 'Several calls are running, and it is not clear which of them asks.';
}

function canAnswer({ client }: PendingRequest): boolean {
  return client !== undefined && client !== silentToolClient;
}
