import type { JsonObject } from '../../base/json.ts';
import type { McpView } from '../view.ts';
import type { Exchange } from './exchange.ts';
import { invalidParams, isObject } from './protocol.ts';
import { digest, RequestStateSigner } from './request-state.ts';
import { ReplayToolClient } from './tool-clients.ts';

/** One round of a call of revision 2026-07-28 that may end with questions (`input_required`). */
export interface Asking {
  client: ReplayToolClient;
  view: McpView;
  exchange: Exchange;
  answers: JsonObject;
  name: string;
}

const signer = new RequestStateSigner();

/** Reads the answers a client sent with its repeated call. Throws -32602 for a broken or foreign state. */
export function beginAsking(view: McpView, exchange: Exchange, name: string): Asking {
  const { inputResponses, requestState } = exchange.request.params;
  const earlier =
    requestState === undefined ? {} : signer.open(requestState, callOf(view, exchange, name), view.parts.clock.now());
  const answers = { ...earlier, ...readAnswers(inputResponses) };
  return { client: new ReplayToolClient(exchange, answers), view, exchange, answers, name };
}

/** The questions left open, as a result; undefined when the run needed no more answers. */
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

/** Answers belong to one call of one tool or prompt through one address. */
function callOf(view: McpView, exchange: Exchange, name: string): string {
  const { method, params } = exchange.request;
  return digest(JSON.stringify([method, view.memberId ?? null, view.agentId ?? null, name, params.arguments ?? {}]));
}
