import { type JsonObject, parseJson } from '../../base/json.ts';
import { sessionKey } from '../sessions/session-key.ts';
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
export function beginAsking(view: McpView, exchange: Exchange, name: string): Asking | Promise<Asking> {
  const { inputResponses, requestState } = exchange.request.params;
  const begin = (earlier: JsonObject): Asking => {
    const answers = { ...earlier, ...readAnswers(inputResponses) };
    return { client: new ReplayToolClient(exchange, answers), view, exchange, answers, name };
  };
  if (requestState === undefined) return begin({});
  const call = callOf(view, exchange, name);
  const { parts } = view;
  return sessionKey(parts).then((key) => begin(openState(requestState, { key, call, now: parts.clock.now() })));
}

/** Returns the open questions as a result; undefined if the run needs no more answers. */
export function askAgain(asking: Asking): Promise<string> | undefined {
  return asking.client.open.size === 0 ? undefined : inputRequired(asking);
}

async function inputRequired({ client, view, exchange, answers, name }: Asking): Promise<string> {
  const call = callOf(view, exchange, name);
  const state = { call, answers };
  const requestState = sealState(state, await sessionKey(view.parts), view.parts.clock.now());
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

/** Identifies a call by method, caller, address, name and arguments: answers are valid only for that call. */
function callOf(view: McpView, exchange: Exchange, name: string): string {
  const { method, params } = exchange.request;
  return digest(JSON.stringify([method, view.key, name, params.arguments ?? {}]));
}

/** The state that a client carries between the rounds of one call: the answers so far. */
interface RequestState {
  /** The digest of method, caller, address, name and arguments. */
  call: string;
  answers: JsonObject;
}

const lifetimeMs = 60 * 60 * 1000;
const maxCharacters = 512 * 1024;

/** Signs a state, so that any process of the installation can read it in the next round. */
export function sealState(state: RequestState, key: Buffer, now: number): string {
  const payload = Buffer.from(JSON.stringify({ ...state, until: now + lifetimeMs })).toString('base64url');
  return `${payload}.${sign(payload, key)}`;
}

/** Returns the answers so far. Throws -32602 if the state was changed, has expired, or belongs to another call. */
export function openState(text: unknown, { key, call, now }: { key: Buffer; call: string; now: number }): JsonObject {
  if (typeof text !== 'string' || text.length > maxCharacters) throw refusal('is not a state of this server');
  const [payload = '', signature = '', ...rest] = text.split('.');
  if (rest.length > 0 || !isSigned(payload, signature, key)) throw refusal('failed its integrity check');
  const state = parseJson(Buffer.from(payload, 'base64url').toString());
  if (!isObject(state) || !isObject(state.answers)) throw refusal('is not a state of this server');
  if (Number(state.until) < now) throw refusal('has expired');
  if (state.call !== call) throw refusal('belongs to another call');
  return state.answers;
}

function isSigned(payload: string, signature: string, key: Buffer): boolean {
  const expected = Buffer.from(sign(payload, key));
  const actual = Buffer.from(signature);
  return expected.length === actual.length && nodeCrypto().timingSafeEqual(expected, actual);
}

function sign(payload: string, key: Buffer): string {
  return nodeCrypto().createHmac('sha256', key).update(`state\n${payload}`).digest('base64url');
}

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
