import type { JsonObject } from '../../base/json.ts';
import { LazyAbort } from '../../base/lazy-abort.ts';
import type { LogLevel } from '../../tools/tool-client.ts';
import type { RpcRequest } from './protocol.ts';

/** The other end, as it described itself: once by `initialize`, or in each stateless request. */
export interface Peer {
  readonly era: 'session' | 'stateless';
  version: string;
  capabilities: JsonObject;
  /** Log messages below it are not sent; null sends none. */
  logLevel: LogLevel | null;
  /** Resources whose changes the client asked for (`resources/subscribe`). */
  readonly subscriptions: Set<string>;
  /** Aborted by whoever ends the connection. Undefined for a request that stands alone. */
  readonly connection?: LazyAbort | undefined;
}

export function sessionPeer(): Peer {
  return {
    era: 'session',
    version: '',
    capabilities: {},
    logLevel: 'info',
    subscriptions: new Set(),
    connection: new LazyAbort(),
  };
}

/** A question ends with its request, or when whoever asked withdraws it. */
export function eitherOf(request: AbortSignal, question: AbortSignal | undefined): AbortSignal {
  return question ? AbortSignal.any([request, question]) : request;
}

/** One request while it is answered, and what may be sent meanwhile. Made by a transport. */
export interface Exchange {
  readonly request: RpcRequest;
  readonly peer: Peer;
  /** Aborted when the client cancels or goes away. */
  readonly abort: LazyAbort;
  /** Sends a notification that belongs to this request. */
  notify(text: string): void;
  /** Sends a request to the client. Undefined where the transport or the revision cannot. */
  readonly ask: ((method: string, params: JsonObject, signal?: AbortSignal) => Promise<JsonObject>) | undefined;
  /** Closes the connection while the request runs on; the client comes back for the answer. */
  readonly release: (() => void) | undefined;
}
