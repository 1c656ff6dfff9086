import type { JsonObject } from '../../base/json.ts';
import { LazyAbort } from '../../base/lazy-abort.ts';
import type { LogLevel } from '../../tools/tool-client.ts';
import {
  invalidParams,
  isObject,
  logLevels,
  metaKeys,
  RpcError,
  type RpcRequest,
  rpcCodes,
  statelessVersion,
} from './protocol.ts';

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

const noSubscriptions: Set<string> = new Set();

/** Whether the message says by itself which revision it speaks; only 2026-07-28 and later do. */
export function hasEnvelope(params: JsonObject): boolean {
  return isObject(params._meta) && params._meta[metaKeys.protocolVersion] !== undefined;
}

/** Who asks, from the request's own `_meta`. Throws -32602 for a missing part, -32022 for another revision. */
export function readEnvelope(params: JsonObject): Peer {
  const { _meta: meta } = params;
  if (!isObject(meta)) throw envelopeError('_meta');
  const version = meta[metaKeys.protocolVersion];
  if (typeof version !== 'string') throw envelopeError(metaKeys.protocolVersion);
  const capabilities = meta[metaKeys.clientCapabilities];
  if (!isObject(capabilities)) throw envelopeError(metaKeys.clientCapabilities);
  if (version !== statelessVersion) throw unsupportedVersion(version);
  const level = meta[metaKeys.logLevel];
  const logLevel = logLevels.find((each) => each === level) ?? null;
  return { era: 'stateless', version, capabilities, logLevel, subscriptions: noSubscriptions };
}

export function unsupportedVersion(requested: string): RpcError {
  return new RpcError(rpcCodes.unsupportedVersion, `Unsupported protocol version: ${requested.slice(0, 80)}`, {
    data: { supported: [statelessVersion], requested: requested.slice(0, 80) },
    status: 400,
  });
}

function envelopeError(key: string): RpcError {
  const { code, message } = invalidParams(`Revision ${statelessVersion} needs "${key}" in each request's params.`);
  return new RpcError(code, message, { status: 400 });
}
