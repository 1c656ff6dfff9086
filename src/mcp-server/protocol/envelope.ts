import type { JsonObject } from '../../base/json.ts';
import type { Peer } from './exchange.ts';
import { invalidParams, isObject, metaKeys, RpcError, rpcCodes, statelessVersion } from './protocol.ts';
import { logLevels } from './tool-clients.ts';

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
