import type { AgentRegistry } from '../agents/agent-registry.ts';
import { matchesEtag } from '../agents/preconditions.routes.ts';
import type { Clock } from '../base/clock.ts';
import { once } from '../base/lazy.ts';
import type { Logger } from '../base/logger.ts';
import { hasRight } from '../base/rights.ts';
import { callerKey, workedForOf } from '../callers/callers.ts';
import type { Callers } from '../callers/create-callers.ts';
import { visibleAgents } from '../callers/visible-agents.ts';
import type { Chats } from '../chats/chats.ts';
import { type ApiContext, implement, type Route } from '../http/route.ts';
import { toErrorReply } from '../http/to-error-response.ts';
import { a2aContract, requestId } from './a2a.contract.ts';
import { agentCard, agentRegistry, autonomousAgent, documentEtag } from './agent-card.ts';

interface A2aParts {
  agents: AgentRegistry;
  callers: Pick<Callers, 'anonymous'>;
  chats: Chats;
  clock: Clock;
  logger: Logger;
  /** Returns the hub's public address; undefined if clients use whichever address they know. */
  url?: (() => string) | undefined;
}

export function a2aRoutes({ agents, callers, url, ...parts }: A2aParts): Route[] {
  /** Whether callers must send a key with each message. */
  const needsKey = !hasRight(callers.anonymous.right, a2aContract.operations['POST /agents/{id}/a2a'].right);
  /** The guards have already rejected foreign Host headers. */
  const originOf = (context: ApiContext) => url?.() ?? `http://${context.req.header('host')}`;
  /** The A2A SDK is loaded with the first message. */
  const rpcServer = once(async () => (await import('./rpc-server.ts')).createRpcServer(parts));
  const routes = implement(a2aContract)({
    'GET /agents': async ({ context, caller }) => {
      await agents.refresh();
      return document(context, agentRegistry(visibleAgents(agents.list(), caller), originOf(context), { needsKey }));
    },
    'GET /agents/{id}/.well-known/agent-card.json': async ({ context, params }) =>
      document(context, agentCard(await autonomousAgent(agents, params.id), originOf(context), { needsKey })),
    'POST /agents/{id}/a2a': async ({ context, caller, params, body, signal }) => {
      const agent = await autonomousAgent(agents, params.id);
      const server = await rpcServer();
      const version = context.req.header('a2a-version');
      const by = { caller: callerKey(caller), workedFor: workedForOf(caller) };
      return server.answer({ agent, ...by, origin: originOf(context), version, body, signal });
    },
  });
  return routes.map((route) => (route.method === 'POST' ? { ...route, toError: rpcFailure } : route));
}

/** Clients cache the card but revalidate it each time, so that a change of the agent takes effect at once. */
function document(context: ApiContext, body: object): Response {
  const text = JSON.stringify(body);
  const etag = documentEtag(text);
  const headers = { etag, 'cache-control': 'no-cache' };
  if (matchesEtag(context.req.header('if-none-match'), etag)) return context.body(null, 304, headers);
  return context.body(text, 200, { ...headers, 'content-type': 'application/json' });
}

const parseError = -32_700;
const invalidRequest = -32_600;

/** The reply for an unreadable body or an unknown agent. */
function rpcFailure(error: unknown, status: number, request: unknown): Response {
  const { body } = toErrorReply(error);
  const code = status === 400 ? parseError : invalidRequest;
  return Response.json(
    { jsonrpc: '2.0', id: requestId(request), error: { code, message: body.error.message } },
    { status, headers: { 'cache-control': 'no-store' } },
  );
}
