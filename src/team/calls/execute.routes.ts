import type { IncomingMessage, ServerResponse } from 'node:http';
import { LazyAbort } from '../../base/abort.ts';
import { errorCodes, type TeamErrorCode, teamErrorStatuses } from '../../base/error-codes.ts';
import { HubError, isRetryable, retryAfter } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';
import { type RequestBodies, strangerLimits } from '../../base/request-bodies.ts';
import { parseWith } from '../../base/validate.ts';
import type { Identity } from '../../callers/callers.ts';
import { refuseRoute } from '../../callers/refuse-route.ts';
import { type Incoming, readIdempotencyKey, readJsonBody } from '../../http/server/read-request.ts';
import { Refusal } from '../../http/to-error-response.ts';
import { sendJson } from '../../mcp-server/http/http-exchange.ts';
import { provenCaller, unreadTool } from '../../mcp-server/http/refused-calls.ts';
import { toToolResult } from '../../tools/content.ts';
import type { ToolOutcome } from '../../tools/execute-tool.ts';
import { type Redact, redactError } from '../../tools/redact/redact.ts';
import { ToolCallBody } from './execute.contract.ts';
import { executeRequest, type RequestParts } from './execute-request.routes.ts';

interface ExecuteParts extends RequestParts {
  redact: Redact;
  logger: Logger;
}

/**
 * Handles `POST /mcp/execute` directly on Node's server, without the layers of other routes, because every worker calls it all
 * the time. Never rejects.
 */
export function createExecuteHandler(
  parts: ExecuteParts,
  bodies: RequestBodies,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    try {
      if (request.method !== 'POST') throw notAllowed(request);
      const io = { incoming: request, outgoing: response };
      const sender = await senderOf(parts, request);
      if (sender instanceof HubError) send(response, await refuse(parts, bodies, io, sender));
      else send(response, await run(parts, io, await readJsonBody(bodies, io), sender));
    } catch (error) {
      if (error instanceof Refusal) send(response, refusal(error));
      else send(response, failure(redactError(parts.redact, toExpected(parts, error))));
    }
  };
}

interface Reply {
  status: number;
  json: string;
  headers?: Record<string, string>;
}

/** Identifies the sender before anything of its body is read. Returns the error of a sender without the right. Throws RATE_LIMITED. */
async function senderOf({ callers }: RequestParts, request: IncomingMessage): Promise<Identity | HubError> {
  try {
    const sender = await callers.identify(request);
    refuseRoute({ right: 'use', scopedBy: 'handler' }, sender, {});
    return sender;
  } catch (error) {
    if (error instanceof HubError && error.code !== 'RATE_LIMITED') return error;
    throw error;
  }
}

/** Logs and refuses the call of a sender without the right. The log names its tool if the body is short. */
async function refuse(calls: RequestParts, bodies: RequestBodies, io: Incoming, error: HubError): Promise<Reply> {
  let body: unknown;
  try {
    body = await readJsonBody(bodies, io, strangerLimits);
  } catch (thrown) {
    if (!(thrown instanceof HubError) || thrown.code !== 'TOO_LARGE') throw thrown;
    const caller = await provenCaller(calls, 'http', io.incoming);
    const outcome = await calls.refuse({ caller, tool: unreadTool, input: {} }, error);
    return failure(outcome.ok ? error : outcome.error);
  }
  return run(calls, io, body);
}

async function run(
  calls: RequestParts,
  { incoming: request, outgoing: response }: Incoming,
  body: unknown,
  from?: Identity,
): Promise<Reply> {
  const { agentId, toolName, input, idempotencyKey } = parseWith(ToolCallBody, body);
  const key = idempotencyKey ?? readIdempotencyKey(request.headers['idempotency-key']);
  const call = { tool: toolName, input: input ?? {}, idempotencyKey: key };
  const abort = new LazyAbort();
  const onClose = () => abort.abort();
  response.once('close', onClose);
  const outcome = await executeRequest(calls, request, {
    ...(from && { from }),
    isForMembers: true,
    claimed: agentId ?? undefined,
    call: { ...call, abort },
  });
  response.off('close', onClose);
  return outcome.ok ? success(outcome) : failure(outcome.error);
}

function success({ data }: ToolOutcome & { ok: true }): Reply {
  try {
    const json = JSON.stringify(toToolResult(data).result);
    return { status: 200, json: `{"success":true,"data":${json},"timestamp":"${now()}"}` };
  } catch (error) {
    if (error instanceof HubError) return failure(error);
    throw error;
  }
}

function failure(error: HubError): Reply {
  const code = errorCodes[error.code].team;
  const retryable = isRetryable(error);
  const details = {
    ...(code !== 'INTERNAL_ERROR' && error.details),
    ...(retryable !== undefined && { retryable }),
  };
  const json = errorJson({ code, message: error.message, details });
  const hasOwnStatus = error.code === 'STORAGE_FULL' || error.code === 'RATE_LIMITED';
  const status = hasOwnStatus ? errorCodes[error.code].status : teamErrorStatuses[code];
  return { status, json, ...(retryable && { headers: { 'Retry-After': retryAfter(error) } }) };
}

function refusal({ status, message, headers }: Refusal): Reply {
  return { status, headers, json: errorJson({ code: 'INVALID_INPUT', message, details: {} }) };
}

function errorJson(error: { code: TeamErrorCode; message: string; details: object }): string {
  return `{"success":false,"error":${JSON.stringify(error)},"timestamp":"${now()}"}`;
}

function now(): string {
  return new Date().toISOString();
}

function toExpected({ logger }: ExecuteParts, error: unknown): HubError {
  if (error instanceof HubError) return error;
  logger.error({ err: error }, 'a call failed unexpectedly');
  return new HubError('INTERNAL_ERROR', 'Internal error', { cause: error });
}

function notAllowed({ method }: IncomingMessage): Refusal {
  return new Refusal(405, 'method_not_allowed', `${method} is not allowed on /mcp/execute. Use POST.`, {
    allow: 'POST',
  });
}

function send(response: ServerResponse, { status, json, headers }: Reply): void {
  if (!response.destroyed) sendJson(response, status, json, headers);
}
