import type { IncomingMessage } from 'node:http';
import { errorCodes, type HubErrorCode } from '../../base/error-codes.ts';
import { HubError } from '../../base/hub-error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { JsonSchema } from '../../base/json-schema/json-schema.ts';
import { scopeOf } from '../../callers/callers.ts';
import type { Callers } from '../../callers/create-callers.ts';
import { refuseRoute } from '../../callers/refuse-route.ts';
import type { Calls } from '../../hub/calls.ts';
import { hasEnvelope, type Peer, readEnvelope } from '../protocol/exchange.ts';
import {
  isObject,
  RpcError,
  type RpcNotification,
  type RpcRequest,
  rpcCodes,
  statelessVersion,
  toReadError,
} from '../protocol/protocol.ts';
import type { McpView, ViewAddress } from '../view.ts';

/** Returns the agent id in `/agents/{id}/mcp`; undefined for any other address. */
export function servedAgentOf(url: string): string | undefined {
  if (!url.startsWith('/agents/')) return undefined;
  return /^\/agents\/([^/?#]+)\/mcp(?:\?|$)/.exec(url)?.[1];
}

/**
 * Returns the view that a request asks for, by its address and its sender. Throws whatever `claimOf` throws, UNAUTHENTICATED for
 * an invalid credential, and PERMISSION_DENIED for a view that the sender may not have.
 */
export async function addressOf(
  { resolveCaller, callers }: AddressParts,
  request: Pick<IncomingMessage, 'url' | 'headers'>,
): Promise<ViewAddress> {
  const { servedId, agentId, memberId } = claimOf(request);
  const from = await callers.identify(request);
  if (servedId !== undefined) {
    refuseRoute(servedAgents, from, { id: servedId });
    return { servedId, from };
  }
  refuseRoute(hubAddress, from, {});
  if (from.kind !== 'member' && memberId === undefined) return { agentId: scopeOf(from, agentId), from };
  const caller = await resolveCaller({ surface: 'mcp', from, agent: agentId, claimed: memberId });
  return { memberId: caller.member?.id, from };
}

interface AddressParts extends Pick<Calls, 'resolveCaller'> {
  callers: Pick<Callers, 'identify'>;
}

/** The rights that the MCP addresses need. Each tool needs its own as well. */
const hubAddress = { right: 'use', scopedBy: 'handler' } as const;
const servedAgents = { right: 'work', scopedBy: 'id' } as const;

/** Reads `?agent=ID` or `?member=ID`. Avoids parsing a URL without a query. Throws 400 if a request names more than one of them. */
export function claimOf(
  request: Pick<IncomingMessage, 'url' | 'headers'>,
): Pick<ViewAddress, 'servedId' | 'agentId' | 'memberId'> {
  const url = request.url ?? '';
  const query = url.indexOf('?');
  const servedId = servedAgentOf(url);
  if (servedId !== undefined) {
    if (query === -1) return { servedId };
    const message = `The address of the agent "${servedId.slice(0, 80)}" takes no query. ?agent and ?member belong to /mcp.`;
    throw new RpcError(rpcCodes.refused, message, { status: 400 });
  }
  if (query === -1) return {};
  const search = new URLSearchParams(url.slice(query));
  // A misspelt key must never widen the view to the whole hub.
  const unknown = [...search.keys()].find((key) => key !== 'agent' && key !== 'member');
  if (unknown !== undefined) {
    const message = `The address has the unknown key ${JSON.stringify(unknown.slice(0, 80))}. Known keys: agent, member.`;
    throw new RpcError(rpcCodes.refused, message, { status: 400 });
  }
  const agents = search.getAll('agent');
  const members = search.getAll('member');
  if (agents.length + members.length > 1) {
    const message = 'The address can name one agent (?agent=ID), or one member by its token, but not both.';
    throw new RpcError(rpcCodes.refused, message, { status: 400 });
  }
  return { agentId: agents[0], memberId: members[0] };
}

export function isStateless(request: IncomingMessage, message: RpcRequest | RpcNotification): boolean {
  return hasEnvelope(message.params) || headerOf(request, 'mcp-protocol-version') === statelessVersion;
}

/** Reads and checks the envelope. A version header that contradicts the body is reported before faults in the body. */
export function checkedEnvelope(request: IncomingMessage, message: RpcRequest, view: Pick<McpView, 'findTool'>): Peer {
  try {
    const peer = readEnvelope(message.params);
    checkHeaders(request, message, view);
    return peer;
  } catch (error) {
    if (error instanceof RpcError && error.code === rpcCodes.unsupportedVersion) checkVersionHeader(request, error);
    throw error;
  }
}

/** Reports a header mismatch if header and body name different versions, rather than an unsupported version. */
function checkVersionHeader(request: IncomingMessage, error: RpcError): void {
  const header = headerOf(request, 'mcp-protocol-version');
  if (header === error.data?.requested) return;
  throw new RpcError(
    rpcCodes.headerMismatch,
    `The header MCP-Protocol-Version is ${JSON.stringify(header ?? null)}, but the body has ${JSON.stringify(error.data?.requested)}.`,
    { status: 400 },
  );
}

interface Accepted {
  acceptsJson: boolean;
  acceptsEvents: boolean;
}

const acceptsOnlyJson: Accepted = { acceptsJson: true, acceptsEvents: false };
const maxKnownAccepts = 100;
const knownAccepts = new Map<string, Accepted>();

/** Returns the formats that the client accepts. Without an Accept header, that is plain JSON. */
export function acceptedBy(request: IncomingMessage): Accepted {
  const accept = headerOf(request, 'accept');
  if (accept === undefined) return acceptsOnlyJson;
  const known = knownAccepts.get(accept);
  if (known) return known;
  const read = readAccept(accept);
  if (knownAccepts.size < maxKnownAccepts) knownAccepts.set(accept, read);
  return read;
}

function readAccept(accept: string): Accepted {
  const accepts = (...types: string[]) => types.some((type) => accept.includes(type));
  const acceptsJson = accepts('application/json', 'application/*', '*/*');
  const acceptsEvents = accepts('text/event-stream', 'text/*', '*/*');
  if (acceptsJson || acceptsEvents) return { acceptsJson, acceptsEvents };
  throw new RpcError(rpcCodes.refused, 'The Accept header must allow application/json or text/event-stream.', {
    status: 406,
  });
}

export function checkContentType(request: IncomingMessage): void {
  const type = headerOf(request, 'content-type') ?? '';
  if (type === 'application/json' || /^application\/json\s*(?:;|$)/i.test(type)) return;
  throw new RpcError(rpcCodes.refused, 'The Content-Type must be application/json.', { status: 415 });
}

export function notAllowed(): RpcError {
  return new RpcError(
    rpcCodes.refused,
    'Use POST to send MCP requests to this address. GET and DELETE need a session.',
    {
      status: 405,
    },
  );
}

/** Errors that keep their own HTTP status. All others become 400. */
const codesWithOwnStatus: readonly HubErrorCode[] = [
  'AGENT_NOT_FOUND',
  'PERMISSION_DENIED',
  'UNAUTHENTICATED',
  'RATE_LIMITED',
  'INVALID_AGENT_STATE',
  'STORAGE_FULL',
  'STORAGE_FAILED',
];
/** Errors about the transport, with their own HTTP status. */
const transportCodes: readonly HubErrorCode[] = ['UNAVAILABLE', 'TRANSIENT_ERROR', 'TIMEOUT'];

export function toRefusal(thrown: unknown): RpcError {
  const isTransport = thrown instanceof HubError && transportCodes.includes(thrown.code);
  if (thrown instanceof HubError && (isTransport || codesWithOwnStatus.includes(thrown.code))) {
    const { status } = errorCodes[thrown.code];
    const code = isTransport ? rpcCodes.refused : rpcCodes.invalidParams;
    const data = { code: thrown.code, ...(thrown.code === 'RATE_LIMITED' && thrown.details) };
    return new RpcError(code, thrown.message, { data, status });
  }
  const error = toReadError(thrown);
  return error.status === 200
    ? new RpcError(error.code, error.message, { ...(error.data && { data: error.data }), status: 400 })
    : error;
}

/** The parameter that `Mcp-Name` repeats, by method. */
const namedBy = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

export function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Checks that the headers match the body. Revision 2026-07-28 repeats parts of the body in headers for proxies. Throws -32020. */
function checkHeaders(request: IncomingMessage, message: RpcRequest, view: Pick<McpView, 'findTool'>): void {
  const version = headerOf(request, 'mcp-protocol-version');
  if (version !== statelessVersion) throw mismatch('MCP-Protocol-Version', version, statelessVersion);
  const method = headerOf(request, 'mcp-method')?.trim();
  if (method !== message.method) throw mismatch('Mcp-Method', method, message.method);
  const field = namedBy.get(message.method);
  const named = field === undefined ? undefined : message.params[field];
  if (typeof named === 'string') {
    const name = headerOf(request, 'mcp-name');
    if (decode(name) !== named) throw mismatch('Mcp-Name', name, named);
  }
  if (message.method === 'tools/call' && typeof named === 'string') {
    const schema = view.findTool(named)?.inputSchema;
    if (schema) checkParameterHeaders(request, schema, message.params.arguments);
  }
}

/** Checks the `Mcp-Param-…` headers, which repeat the arguments marked with `x-mcp-header` in a tool's schema. */
function checkParameterHeaders(request: IncomingMessage, schema: JsonSchema, input: unknown): void {
  for (const { header, path } of declaredHeaders(schema)) {
    const value = valueAt(input, path);
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
    const name = `Mcp-Param-${header}`;
    const sent = headerOf(request, name.toLowerCase());
    const decoded = decode(sent);
    const isEqual =
      decoded === String(value) || (typeof value === 'number' && isDecimal(decoded) && Number(decoded) === value);
    if (!isEqual) throw mismatch(name, sent, String(value));
  }
}

interface DeclaredHeader {
  header: string;
  path: readonly string[];
}

const knownHeaders = new WeakMap<JsonSchema, DeclaredHeader[]>();

function declaredHeaders(schema: JsonSchema): DeclaredHeader[] {
  let headers = knownHeaders.get(schema);
  if (!headers) {
    headers = findHeaders(schema, []);
    knownHeaders.set(schema, headers);
  }
  return headers;
}

function findHeaders(schema: JsonSchema, path: readonly string[]): DeclaredHeader[] {
  const { properties } = schema;
  if (typeof properties !== 'object' || properties === null || path.length > 16) return [];
  return Object.entries(properties).flatMap(([key, child]: [string, unknown]) => {
    if (!isObject(child)) return [];
    const childPath = [...path, key];
    const header = child['x-mcp-header'];
    return [...(typeof header === 'string' ? [{ header, path: childPath }] : []), ...findHeaders(child, childPath)];
  });
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;
  return value;
}

function isDecimal(text: string | undefined): text is string {
  return text !== undefined && /^-?\d+(?:\.\d+)?$/.test(text);
}

/** Decodes `=?base64?…?=`, which carries characters that headers cannot. Returns other values unchanged, and undefined for invalid base64. */
function decode(value: string | undefined): string | undefined {
  const text = value?.trim();
  if (text === undefined || !text.startsWith('=?base64?') || !text.endsWith('?=')) return text;
  const encoded = text.slice('=?base64?'.length, -'?='.length);
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded)) return undefined;
  return Buffer.from(encoded, 'base64').toString();
}

function mismatch(header: string, actual: string | undefined, expected: string): RpcError {
  const found = actual === undefined ? 'is missing' : `is ${JSON.stringify(actual.slice(0, 200))}`;
  return new RpcError(
    rpcCodes.headerMismatch,
    `The header ${header} ${found}, but the body has ${JSON.stringify(expected.slice(0, 200))}.`,
    { status: 400 },
  );
}
