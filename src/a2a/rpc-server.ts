import { isLegacyJsonRpcMethod, isV1JsonRpcMethod } from '@a2a-js/sdk/compat/v0_3';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { A2A_ERROR_CODE, RequestMalformedError, toJsonRpcError, VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { type A2ARequestHandler, JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { z } from 'zod';
import type { Agent } from '../agents/agent.ts';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import { parseWith } from '../base/validate.ts';
import { placeToGive } from '../base/who-gives-way.ts';
import { eventText, writeEvents } from '../base/write-events.ts';
import type { Chats } from '../chats/chats.ts';
import type { WorkedFor } from '../tools/caller.ts';
import { requestId } from './a2a.contract.ts';
import { agentCard } from './agent-card.ts';
import { TaskLists } from './list-tasks.ts';
import { type HandlerParts, requestHandler } from './request-handler.ts';

export interface RpcServerParts {
  chats: Chats;
  clock: Clock;
  logger: Logger;
}

export interface RpcCall {
  agent: Agent;
  /** Identifies the caller. */
  caller: string;
  /** Whom the answer is counted for. */
  workedFor: WorkedFor;
  /** The hub's origin as the caller reached it. */
  origin: string;
  /** The header `A2A-Version`. */
  version: string | undefined;
  body: unknown;
  /** Aborts when the caller disconnects. */
  signal: AbortSignal;
}

export interface RpcServer {
  /** Handles JSON-RPC of A2A 1.0 or 0.3. A failure is a reply with an error. */
  answer(call: RpcCall): Promise<Response>;
  /** Returns a request handler for callers in this process. */
  handler(
    call: Pick<RpcCall, 'agent' | 'caller' | 'workedFor' | 'origin' | 'signal'> & Pick<HandlerParts, 'sender'>,
  ): Promise<A2ARequestHandler>;
}

/** Each waiting caller holds a connection and a chat subscription. */
const maxWaiting = 200;

export function createRpcServer(parts: RpcServerParts): RpcServer {
  const lists = new TaskLists();
  /** Ends the wait of each caller. The oldest comes first. */
  const waiting = new Map<() => void, string>();

  async function handler({ origin, ...call }: Parameters<RpcServer['handler']>[0]): Promise<A2ARequestHandler> {
    const { agent, signal } = call;
    const { chats, logger } = parts;
    return requestHandler({ ...call, card: agentCard(agent, origin), chats, lists, logger, signal });
  }

  async function answerOrStream(call: RpcCall, onEnd: () => void): Promise<Response> {
    const answer = await dispatch(await handler(call), call);
    if (!(Symbol.asyncIterator in answer)) return json(answer);
    // A failure before the first event is an ordinary error, not a stream.
    const first = await answer.next();
    if (first.done) return json(rpcError(call.body, new Error('The agent sent no events.')));
    const events = toEvents(first.value, answer, (error) => rpcError(call.body, error));
    const body = writeEvents(events, { onEnd, clock: parts.clock });
    return new Response(body, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' } });
  }

  return {
    handler,
    async answer(call) {
      const refused = refusalOf(call.body);
      if (refused) return json(rpcBody(call.body, refused));
      const oldest = waiting.size < maxWaiting ? undefined : placeToGive(call.caller, waiting);
      oldest?.();
      if (waiting.size >= maxWaiting) {
        const message = `At most ${maxWaiting} callers can wait for agents at once. Try again later.`;
        return json(rpcError(call.body, new Error(message)), 503);
      }
      waiting.set(leave, call.caller);
      const leaving = new AbortController();
      const signal = AbortSignal.any([call.signal, leaving.signal]);
      function leave(): void {
        leaving.abort();
        waiting.delete(leave);
      }
      try {
        const response = await answerOrStream({ ...call, signal }, leave);
        if (!isStream(response)) leave();
        return response;
      } catch (error) {
        leave();
        return json(rpcError(call.body, error));
      }
    },
  };
}

function dispatch(
  handler: A2ARequestHandler,
  { body, version }: RpcCall,
): ReturnType<JsonRpcTransportHandler['handle']> {
  const protocolVersion = protocolVersionOf(version, body);
  const context = new ServerCallContext({ requestedVersion: protocolVersion });
  const transport = new (protocolVersion === '1.0' ? JsonRpcTransportHandler : LegacyJsonRpcTransportHandler)(handler);
  checkParams(body);
  // The transports reject invalid requests.
  return transport.handle(body as Record<string, unknown>, context) as ReturnType<JsonRpcTransportHandler['handle']>;
}

/** Returns the protocol version. A caller without the header uses 0.3, as the protocol says, unless the method exists only in 1.0. Throws VersionNotSupportedError. */
function protocolVersionOf(version: string | undefined, body: unknown): '1.0' | '0.3' {
  const requested = /^(\d+\.\d+)(?:\.\d+)?$/.exec(version ?? '')?.[1];
  if (requested === '1.0' || requested === '0.3') return requested;
  if (version) throw new VersionNotSupportedError(`A2A ${version.slice(0, 20)} is not supported. Use 1.0 or 0.3.`);
  return isV1JsonRpcMethod(fieldOf(body, 'method')) ? '1.0' : '0.3';
}

/** Finds errors that the SDK would report as invalid parameters. */
function refusalOf(body: unknown): { code: number; message: string } | undefined {
  const id = fieldOf(body, 'id') ?? '';
  const method = fieldOf(body, 'method');
  const hasId = typeof id === 'string' || Number.isSafeInteger(id);
  if (!hasId || fieldOf(body, 'jsonrpc') !== '2.0' || typeof method !== 'string') {
    return { code: A2A_ERROR_CODE.INVALID_REQUEST, message: 'The body is not a JSON-RPC request.' };
  }
  if (isV1JsonRpcMethod(method) || isLegacyJsonRpcMethod(method)) return undefined;
  return { code: A2A_ERROR_CODE.METHOD_NOT_FOUND, message: `A2A has no method "${method.slice(0, 80)}".` };
}

function rpcError(body: unknown, error: unknown): object {
  return rpcBody(body, toJsonRpcError(error));
}

function rpcBody(body: unknown, error: object): object {
  return { jsonrpc: '2.0', id: requestId(body), error };
}

function fieldOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, name)
    ? (body as Record<string, unknown>)[name]
    : undefined;
}

function isStream(response: Response): boolean {
  return response.headers.get('content-type') === 'text/event-stream';
}

function json(body: object, status = 200): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store' } });
}

async function* toEvents(
  first: unknown,
  rest: AsyncGenerator<unknown, void, undefined>,
  toError: (error: unknown) => unknown,
): AsyncGenerator<string, void> {
  yield eventText({ data: JSON.stringify(first) });
  try {
    for await (const event of rest) yield eventText({ data: JSON.stringify(event) });
  } catch (error) {
    // The SDK's clients recognize an error by this event name.
    yield eventText({ type: 'error', data: JSON.stringify(toError(error)) });
  }
}

const Id = z.string().min(1).max(300);
const metadata = z.record(z.string(), z.unknown()).nullish();

/** Checks only what the SDK does not check itself. */
const SendParams = z.looseObject({
  message: z.looseObject({
    messageId: Id,
    contextId: z.string().max(300).nullish(),
    taskId: z.string().max(300).nullish(),
    parts: z.array(z.looseObject({})).min(1).max(1_000),
    metadata,
  }),
  configuration: z.looseObject({ historyLength: z.int().min(0).nullish() }).nullish(),
  metadata,
});
const TaskParams = z.looseObject({ id: Id, historyLength: z.int().min(0).nullish() });
const ListParams = z.looseObject({
  contextId: z.string().max(300).nullish(),
  pageSize: z.int().nullish(),
  pageToken: z.string().max(2_000).nullish(),
  historyLength: z.int().min(0).nullish(),
});

const paramSchemas: Record<string, z.ZodType> = {
  SendMessage: SendParams,
  SendStreamingMessage: SendParams,
  GetTask: TaskParams,
  CancelTask: TaskParams,
  SubscribeToTask: TaskParams,
  ListTasks: ListParams,
  'message/send': SendParams,
  'message/stream': SendParams,
  'tasks/get': TaskParams,
  'tasks/cancel': TaskParams,
  'tasks/resubscribe': TaskParams,
};

/** Throws RequestMalformedError that names the field. The transport rejects bodies that are not requests at all. */
function checkParams(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('method' in body) || typeof body.method !== 'string') return;
  const schema = Object.hasOwn(paramSchemas, body.method) ? paramSchemas[body.method] : undefined;
  if (!schema) return;
  try {
    parseWith(schema, 'params' in body ? body.params : undefined, { what: 'params' });
  } catch (error) {
    throw error instanceof HubError ? new RequestMalformedError(error.message) : error;
  }
}
