import { HubError, isRetryable } from '../../base/hub-error.ts';
import { isRecord } from '../../base/is-record.ts';
import type { JsonObject } from '../../base/json.ts';
import type { LogLevel } from '../../tools/tool-client.ts';

/** The stateless revision. It has no handshake; every request describes the client in `_meta`. */
export const statelessVersion = '2026-07-28';
/** Revisions that start with `initialize`, newest first. */
export const sessionVersions: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
export const newestSessionVersion = '2025-11-25';
/** The only revision with batches. */
export const batchVersion = '2025-03-26';

export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
  logLevel: 'io.modelcontextprotocol/logLevel',
} as const;

export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Refused by the transport. No revision defines a code for this. */
  refused: -32000,
  /** The code that clients expect for a session that has ended. */
  sessionNotFound: -32001,
  /** Revisions before 2026-07-28. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
  /** Revision 2025-11-25 alone. */
  urlElicitationRequired: -32042,
} as const;

/** From the least to the most severe. */
export const logLevels: readonly LogLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/** A request that ends with a JSON-RPC error instead of a result. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: JsonObject | undefined;
  /** The HTTP status. 200 if the error is an ordinary JSON-RPC reply. */
  readonly status: number;

  constructor(code: number, message: string, options: { data?: JsonObject; status?: number } = {}) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = options.data;
    this.status = options.status ?? 200;
  }
}

export type RpcId = string | number;
export interface RpcRequest {
  kind: 'request';
  id: RpcId;
  method: string;
  params: JsonObject;
}
export interface RpcNotification {
  kind: 'notification';
  method: string;
  params: JsonObject;
}
export interface RpcResponse {
  kind: 'response';
  /** Null in an error about a message whose id the client could not read. */
  id: RpcId | null;
  result: JsonObject | undefined;
  error: { code: number; message: string } | undefined;
}
export type RpcMessage = RpcRequest | RpcNotification | RpcResponse;

/** Classifies a parsed message. Throws RpcError -32600. */
export function readMessage(value: unknown): RpcMessage {
  if (!isObject(value)) throw invalidRequest('A JSON-RPC message must be an object.');
  if (value.jsonrpc !== '2.0') throw invalidRequest('"jsonrpc" must be "2.0".');
  const { id, method, params } = value;
  if (id === null && method === undefined && isObject(value.error)) return readResponse(value, id);
  if (id !== undefined && !isId(id)) throw invalidRequest('"id" must be a string or a number.');
  if (method === undefined) return readResponse(value, id);
  if (typeof method !== 'string' || method.length > 200) throw invalidRequest('"method" must be a short string.');
  if (params !== undefined && !isObject(params)) throw invalidRequest('"params" must be an object.');
  if (id === undefined) return { kind: 'notification', method, params: params ?? {} };
  return { kind: 'request', id, method, params: params ?? {} };
}

function readResponse(value: JsonObject, id: RpcId | null | undefined): RpcResponse {
  const { result, error } = value;
  if (id === undefined) throw invalidRequest('The message has neither "method" nor "id".');
  if (isObject(result)) return { kind: 'response', id, result, error: undefined };
  if (!isObject(error)) throw invalidRequest('The message has neither "method" nor "result" nor "error".');
  const message = typeof error.message === 'string' ? error.message : 'The client replied with an error.';
  return { kind: 'response', id, result: undefined, error: { code: Number(error.code) || 0, message } };
}

/** Returns the id of an invalid message, so that the error reply can name it. */
export function idOf(value: unknown): RpcId | null {
  return isObject(value) && isId(value.id) ? value.id : null;
}

function isId(value: unknown): value is RpcId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}

export function isObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

export function invalidRequest(message: string): RpcError {
  return new RpcError(rpcCodes.invalidRequest, message, { status: 400 });
}

export function invalidParams(message: string, data?: JsonObject): RpcError {
  return new RpcError(rpcCodes.invalidParams, message, data ? { data } : {});
}

/** Converts an expected error outside a tool call to a JSON-RPC error. */
export function toRpcError(error: HubError): RpcError {
  const isCallersFault = [
    'AGENT_NOT_FOUND',
    'NOT_FOUND',
    'INVALID_ARGUMENTS',
    'INVALID_FORMAT',
    'PERMISSION_DENIED',
    'INVALID_AGENT_STATE',
    'TOO_LARGE',
  ].includes(error.code);
  const retryable = isRetryable(error);
  return new RpcError(isCallersFault ? rpcCodes.invalidParams : rpcCodes.internalError, error.message, {
    data: { code: error.code, ...(retryable !== undefined && { retryable }) },
  });
}

/** Converts the error of a message that could not be read. */
export function toReadError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (!(error instanceof HubError)) return new RpcError(rpcCodes.internalError, 'Internal error', { status: 500 });
  const isTooLarge = error.code === 'TOO_LARGE';
  return new RpcError(isTooLarge ? rpcCodes.invalidRequest : rpcCodes.parseError, error.message, {
    status: isTooLarge ? 413 : 400,
  });
}

export function resultText(id: RpcId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

export function errorText(id: RpcId | null, error: RpcError): string {
  const { code, message, data } = error;
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } });
}

export function notificationText(method: string, params?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method, ...(params && { params }) });
}

export function requestText(id: RpcId, method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}
