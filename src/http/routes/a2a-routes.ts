import { z } from 'zod';
import { agentCard, agentRegistry, autonomousAgent, documentEtag } from '../../a2a/agent-card.ts';
import { requestId } from '../../a2a/request-id.ts';
import type { RpcServer } from '../../a2a/rpc-server.ts';
import type { Hub } from '../../hub.ts';
import { matchesEtag } from '../preconditions.ts';
import { type ApiContext, defineRoute, type Route } from '../route.ts';
import { toErrorAnswer } from '../to-error-response.ts';

const group = 'A2A';

const CardBody = z.looseObject({
  name: z.string(),
  description: z.string(),
  version: z.string(),
  supportedInterfaces: z.array(z.looseObject({ url: z.string(), protocolBinding: z.string() })),
  skills: z.array(z.looseObject({ id: z.string(), name: z.string() })),
});
const RegistryBody = z.object({
  agents: z.array(z.object({ id: z.string(), cardUrl: z.string(), card: CardBody })),
});
const RpcBody = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string(),
  params: z.looseObject({}).optional(),
});

/** Autonomous agents as A2A peers: cards, their registry, and the address for messages. */
export function a2aRoutes(hub: Hub): Route[] {
  let loading: Promise<RpcServer> | undefined;
  /** The protocol's library is loaded with the first message. */
  function rpcServer(): Promise<RpcServer> {
    const { clock, logger } = hub;
    loading ??= import('../../a2a/rpc-server.ts').then(({ createRpcServer }) =>
      createRpcServer({ chats: hub.chats, clock, logger }),
    );
    return loading;
  }

  return [
    defineRoute({
      method: 'get',
      path: '/agents',
      group,
      summary: 'List the cards of autonomous agents',
      answer: { status: 200, description: 'Each card with its address. Has an ETag.', schema: RegistryBody },
      handle: async ({ context }) => {
        await hub.agents.refresh();
        return document(context, agentRegistry(hub.agents.list(), originOf(context)));
      },
    }),
    defineRoute({
      method: 'get',
      path: '/agents/{id}/.well-known/agent-card.json',
      group,
      summary: 'Read the card of an autonomous agent',
      description: 'One card for callers of A2A 1.0 and 0.3. Has an ETag; If-None-Match is answered with 304.',
      answer: { status: 200, description: 'The card.', schema: CardBody },
      errors: [404],
      handle: async ({ context, param }) =>
        document(context, agentCard(await autonomousAgent(hub.agents, param('id')), originOf(context))),
    }),
    defineRoute({
      method: 'post',
      path: '/agents/{id}/a2a',
      hasOwnLimits: true,
      group,
      summary: 'Send a message to an autonomous agent',
      description:
        'JSON-RPC of A2A 1.0 (SendMessage, SendStreamingMessage, GetTask, ListTasks, CancelTask, SubscribeToTask), or of 0.3 without the header A2A-Version. Streams are server-sent events.',
      body: {
        schema: RpcBody,
        example: {
          jsonrpc: '2.0',
          id: 1,
          method: 'SendMessage',
          params: { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'Hello' }] } },
        },
      },
      answer: { status: 200, description: 'A JSON-RPC answer, also for errors of A2A.', schema: z.looseObject({}) },
      errors: [400, 404, 413, 415],
      toError: rpcFailure,
      handle: async ({ context, param, body, signal }) => {
        const agent = await autonomousAgent(hub.agents, param('id'));
        const server = await rpcServer();
        const version = context.req.header('a2a-version');
        return server.answer({ agent, origin: originOf(context), version, body, signal });
      },
    }),
  ];
}

/** The guards let only hosts of this hub through. */
function originOf(context: ApiContext): string {
  return `http://${context.req.header('host')}`;
}

/** A change of the agent counts at once: clients keep the card, and ask each time whether it still holds. */
function document(context: ApiContext, body: object): Response {
  const text = JSON.stringify(body);
  const etag = documentEtag(text);
  const headers = { etag, 'cache-control': 'no-cache' };
  if (matchesEtag(context.req.header('if-none-match'), etag)) return context.body(null, 304, headers);
  return context.body(text, 200, { ...headers, 'content-type': 'application/json' });
}

const parseError = -32_700;
const invalidRequest = -32_600;

/** A body that cannot be read, or an agent that is not there. */
function rpcFailure(error: unknown, status: number, request: unknown): Response {
  const { body } = toErrorAnswer(error);
  const code = status === 400 ? parseError : invalidRequest;
  return Response.json(
    { jsonrpc: '2.0', id: requestId(request), error: { code, message: body.error.message } },
    { status, headers: { 'cache-control': 'no-store' } },
  );
}
