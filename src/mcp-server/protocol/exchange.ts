import { LazyAbort } from '../../base/abort.ts';
import type { JsonObject } from '../../base/json.ts';
import type { LogLevel } from '../../tools/tool-client.ts';
import type { StateChange } from '../sessions/session-store.ts';
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

/** The client, as described by `initialize` or by each stateless request. */
export interface Peer {
  readonly era: 'session' | 'stateless';
  version: string;
  capabilities: JsonObject;
  /** The minimum level of log messages to send; null sends none. */
  logLevel: LogLevel | null;
  /** Resources whose changes the client asked for (`resources/subscribe`). */
  readonly subscriptions: Set<string>;
  /** Aborted when the connection ends. Undefined for stateless requests. */
  readonly connection?: LazyAbort | undefined;
  /** Stores a change of the session for other processes. Undefined if the session cannot leave this one. */
  readonly store?: ((change: StateChange) => Promise<void>) | undefined;
}

export function sessionPeer(store?: Peer['store']): Peer {
  return {
    era: 'session',
    version: '',
    capabilities: {},
    logLevel: 'info',
    subscriptions: new Set(),
    connection: new LazyAbort(),
    store,
  };
}

/** Returns a signal for a question, which ends with its request or when the question is cancelled. */
export function eitherOf(request: AbortSignal, question: AbortSignal | undefined): AbortSignal {
  return question ? AbortSignal.any([request, question]) : request;
}

/** One request while it is being answered, created by a transport. */
export interface Exchange {
  readonly request: RpcRequest;
  readonly peer: Peer;
  /** Aborted when the client cancels or goes away. */
  readonly abort: LazyAbort;
  /** Sends a notification that belongs to this request. */
  notify(text: string): void;
  /** Sends a request to the client. Undefined if the transport or the revision does not support that. */
  readonly ask: ((method: string, params: JsonObject, signal?: AbortSignal) => Promise<JsonObject>) | undefined;
  /** Closes the connection while the request continues. The client reconnects for the result. */
  readonly release: (() => void) | undefined;
}

const noSubscriptions: Set<string> = new Set();

/** Whether the message names its own revision, as 2026-07-28 and later do. */
export function hasEnvelope(params: JsonObject): boolean {
  return isObject(params._meta) && params._meta[metaKeys.protocolVersion] !== undefined;
}

/** Reads the client from the request's `_meta`. Throws -32602 for missing fields, -32022 for an unsupported revision. */
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
  const { code, message } = invalidParams(
    `Revision ${statelessVersion} requires "${key}" in the params of each request.`,
  );
  return new RpcError(code, message, { status: 400 });
}
