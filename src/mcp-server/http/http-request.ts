import type { IncomingMessage } from 'node:http';
import { errorCodes, type HubErrorCode } from '../../base/error-codes.ts';
import { HubError } from '../../base/hub-error.ts';
import type { Calls } from '../../hub/calls.ts';

import type { ToolRegistry } from '../../tools/tool-registry.ts';
import { hasEnvelope, readEnvelope } from '../protocol/envelope.ts';
import type { Peer } from '../protocol/exchange.ts';
import {
  RpcError,
  type RpcNotification,
  type RpcRequest,
  rpcCodes,
  statelessVersion,
  toReadError,
} from '../protocol/protocol.ts';
import type { ViewAddress } from '../view.ts';
import { bearerToken } from './bearer-token.ts';
import { checkHeaders, headerOf } from './http-headers.ts';

/** The agent of `/agents/{id}/mcp`, as the address spells it; undefined for every other address. */
export function servedAgentOf(url: string): string | undefined {
  if (!url.startsWith('/agents/')) return undefined;
  return /^\/agents\/([^/?#]+)\/mcp(?:\?|$)/.exec(url)?.[1];
}

/** The view that a request asks for. Throws as `claimOf` does, and as `resolveCaller` for a token that is not valid. */
export async function addressOf(
  { resolveCaller }: Pick<Calls, 'resolveCaller'>,
  request: Pick<IncomingMessage, 'url' | 'headers'>,
): Promise<ViewAddress> {
  const claim = claimOf(request);
  if (!('proof' in claim)) return claim;
  return { memberId: (await resolveCaller({ surface: 'mcp', ...claim })).member?.id };
}

/**
 * A member's token, `?agent=ID`, or `?member=ID` while members are believed; without building a URL where there is none. Throws 400
 * for two of them: whose scope would count?
 */
export function claimOf(
  request: Pick<IncomingMessage, 'url' | 'headers'>,
): ViewAddress | { proof: { token: string | undefined; agentId: string | undefined } } {
  const url = request.url ?? '';
  const query = url.indexOf('?');
  const servedId = servedAgentOf(url);
  if (servedId !== undefined) {
    if (query === -1) return { servedId };
    const message = `The address of the agent "${servedId.slice(0, 80)}" takes no query. ?agent and ?member belong to /mcp.`;
    throw new RpcError(rpcCodes.refused, message, { status: 400 });
  }
  const token = bearerToken(request);
  if (query === -1 && token === undefined) return {};
  const search = new URLSearchParams(query === -1 ? '' : url.slice(query));
  // A misspelt key must never widen the view to the whole hub.
  const unknown = [...search.keys()].find((key) => key !== 'agent' && key !== 'member');
  if (unknown !== undefined) {
    const message = `The address has the unknown key ${JSON.stringify(unknown.slice(0, 80))}. Known keys: agent, member.`;
    throw new RpcError(rpcCodes.refused, message, { status: 400 });
  }
  const agents = search.getAll('agent');
  const members = search.getAll('member');
  if (agents.length > 1 || members.length > 1 || (agents.length > 0 && (members.length > 0 || token !== undefined))) {
    const message = 'The address may name one agent only (?agent=ID), or one member by its token.';
    throw new RpcError(rpcCodes.refused, message, { status: 400 });
  }
  const [agentId] = agents;
  const [memberId] = members;
  if (token === undefined && memberId === undefined) return { agentId };
  return { proof: { token, agentId: memberId } };
}

export function isStateless(request: IncomingMessage, message: RpcRequest | RpcNotification): boolean {
  return hasEnvelope(message.params) || headerOf(request, 'mcp-protocol-version') === statelessVersion;
}

/** The order of the checks decides which fault is named: version header against body first, then the body itself. */
export function checkedEnvelope(request: IncomingMessage, message: RpcRequest, tools: ToolRegistry): Peer {
  try {
    const peer = readEnvelope(message.params);
    checkHeaders(request, message, tools);
    return peer;
  } catch (error) {
    if (error instanceof RpcError && error.code === rpcCodes.unsupportedVersion) checkVersionHeader(request, error);
    throw error;
  }
}

/** A body of another revision under our version's header is a disagreement, not a request for that revision. */
function checkVersionHeader(request: IncomingMessage, error: RpcError): void {
  const header = headerOf(request, 'mcp-protocol-version');
  if (header === error.data?.requested) return;
  throw new RpcError(
    rpcCodes.headerMismatch,
    `The header MCP-Protocol-Version says ${JSON.stringify(header ?? null)}; the body says ${JSON.stringify(error.data?.requested)}.`,
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

/** A client that says nothing gets plain JSON. */
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
  return new RpcError(rpcCodes.refused, 'MCP requests are POSTed to this address; GET and DELETE need a session.', {
    status: 405,
  });
}

/** Failures of the hub that are told with their own status; all others are the caller's mistake. */
const toldAsTheyAre: readonly HubErrorCode[] = [
  'AGENT_NOT_FOUND',
  'PERMISSION_DENIED',
  'INVALID_AGENT_STATE',
  'STORAGE_FULL',
  'STORAGE_FAILED',
];

export function toRefusal(thrown: unknown): RpcError {
  if (thrown instanceof HubError && toldAsTheyAre.includes(thrown.code)) {
    const { status } = errorCodes[thrown.code];
    return new RpcError(rpcCodes.invalidParams, thrown.message, { data: { code: thrown.code }, status });
  }
  const error = toReadError(thrown);
  return error.status === 200
    ? new RpcError(error.code, error.message, { ...(error.data && { data: error.data }), status: 400 })
    : error;
}
