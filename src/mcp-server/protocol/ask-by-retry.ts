import { type JsonObject, parseJson } from '../../base/json.ts';
import type { McpView } from '../view.ts';
import type { Exchange } from './exchange.ts';
import { invalidParams, isObject } from './protocol.ts';
import { ReplayToolClient } from './tool-clients.ts';

/** One round of a call in revision 2026-07-28, which can end with questions (`input_required`). */
export interface Asking {
  client: ReplayToolClient;
  view: McpView;
  exchange: Exchange;
  answers: JsonObject;
  name: string;
}

/** Reads the answers that a client sent with its repeated call. Throws -32602 for an invalid state. */
export function beginAsking(view: McpView, exchange: Exchange, name: string): Asking {
  const { inputResponses, requestState } = exchange.request.params;
  const earlier =
    requestState === undefined ? {} : signer.open(requestState, callOf(view, exchange, name), view.parts.clock.now());
  const answers = { ...earlier, ...readAnswers(inputResponses) };
  return { client: new ReplayToolClient(exchange, answers), view, exchange, answers, name };
}

/** Returns the open questions as a result; undefined if the run needs no more answers. */
export function askAgain(asking: Asking): string | undefined {
  const { client, view, exchange } = asking;
  if (client.open.size === 0) return undefined;
  const call = callOf(view, exchange, asking.name);
  const requestState = signer.seal({ call, answers: asking.answers }, view.parts.clock.now());
  const body = JSON.stringify({ inputRequests: Object.fromEntries(client.open), requestState });
  return `{"resultType":"input_required",${view.metaStamp},${body.slice(1)}`;
}

function readAnswers(value: unknown): JsonObject {
  if (value === undefined) return {};
  if (!isObject(value)) throw invalidParams('"inputResponses" must be an object.');
  for (const [key, answer] of Object.entries(value)) {
    if (!isObject(answer)) throw invalidParams(`"inputResponses.${key.slice(0, 80)}" must be an object.`);
  }
  return value;
}

/** Identifies a call by method, view, name and arguments: answers are valid only for that call. */
function callOf(view: McpView, exchange: Exchange, name: string): string {
  const { method, params } = exchange.request;
  return digest(JSON.stringify([method, view.memberId ?? null, view.agentId ?? null, name, params.arguments ?? {}]));
}

/** The state that a client carries between the rounds of one call: the answers so far. */
interface RequestState {
  /** The digest of method, view, name and arguments. */
  call: string;
  answers: JsonObject;
}

const lifetimeMs = 60 * 60 * 1000;
const maxCharacters = 512 * 1024;

/**
 * Signs and reads `requestState`. The key lives as long as the process: a state from another process or from before a
 * restart is rejected, and the client starts the call again.
 */
export class RequestStateSigner {
  #key: Buffer | undefined;

  seal(state: RequestState, now: number): string {
    const payload = Buffer.from(JSON.stringify({ ...state, until: now + lifetimeMs })).toString('base64url');
    return `${payload}.${this.#sign(payload)}`;
  }

  /** Throws -32602 if the state was changed, has expired, or belongs to another call. */
  open(text: unknown, call: string, now: number): JsonObject {
    if (typeof text !== 'string' || text.length > maxCharacters) throw refusal('is not a state of this server');
    const [payload = '', signature = '', ...rest] = text.split('.');
    if (rest.length > 0 || !this.#isSigned(payload, signature)) throw refusal('failed its integrity check');
    const state = parseJson(Buffer.from(payload, 'base64url').toString());
    if (!isObject(state) || !isObject(state.answers)) throw refusal('is not a state of this server');
    if (Number(state.until) < now) throw refusal('has expired');
    if (state.call !== call) throw refusal('belongs to another call');
    return state.answers;
  }

  #isSigned(payload: string, signature: string): boolean {
    const expected = Buffer.from(this.#sign(payload));
    const actual = Buffer.from(signature);
    return expected.length === actual.length && nodeCrypto().timingSafeEqual(expected, actual);
  }

  #sign(payload: string): string {
    this.#key ??= nodeCrypto().randomBytes(32);
    return nodeCrypto().createHmac('sha256', this.#key).update(payload).digest('base64url');
  }
}

const signer = new RequestStateSigner();

function digest(text: string): string {
  return nodeCrypto().createHash('sha256').update(text).digest('base64url');
}

/** Loads node:crypto with the first question, rather than at start-up. */
function nodeCrypto() {
  return process.getBuiltinModule('node:crypto');
}

function refusal(why: string) {
  return invalidParams(`"requestState" ${why}. Call again without it.`);
}
