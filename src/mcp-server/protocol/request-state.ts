import type { JsonObject } from '../../base/json.ts';
import { parseJson } from '../../base/json.ts';
import { invalidParams, isObject } from './protocol.ts';

/** What a client carries between the rounds of one call: the answers given so far, bound to that call. */
export interface RequestState {
  /** Method, view, name and arguments of the call the answers belong to. */
  call: string;
  answers: JsonObject;
}

const lifetimeMs = 60 * 60 * 1000;
const maxCharacters = 512 * 1024;

/**
 * Signs and reads `requestState`. The key lives as long as the process: a state made by another `zoo` process on the
 * same store, or before a restart, is refused like a changed one, and the client begins the call again.
 */
export class RequestStateSigner {
  #key: Buffer | undefined;

  seal(state: RequestState, now: number): string {
    const payload = Buffer.from(JSON.stringify({ ...state, until: now + lifetimeMs })).toString('base64url');
    return `${payload}.${this.#sign(payload)}`;
  }

  /** Throws -32602 when the state is changed, expired, or belongs to another call. */
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
    const given = Buffer.from(signature);
    return expected.length === given.length && nodeCrypto().timingSafeEqual(expected, given);
  }

  #sign(payload: string): string {
    this.#key ??= nodeCrypto().randomBytes(32);
    return nodeCrypto().createHmac('sha256', this.#key).update(payload).digest('base64url');
  }
}

export function digest(text: string): string {
  return nodeCrypto().createHash('sha256').update(text).digest('base64url');
}

/** Loaded at the first question a tool asks, not when a server starts. */
function nodeCrypto() {
  return process.getBuiltinModule('node:crypto');
}

function refusal(why: string) {
  return invalidParams(`"requestState" ${why}. Call again without it.`);
}
