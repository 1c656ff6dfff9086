import type { IncomingMessage, ServerResponse } from 'node:http';
import { HubError, isRetryable } from '../base/hub-error.ts';
import { LazyAbort } from '../base/lazy-abort.ts';
import type { Hub } from '../hub.ts';
import { bearerToken } from '../mcp-server/bearer-token.ts';
import { sendJson } from '../mcp-server/http-exchange.ts';
import { provenCaller } from '../mcp-server/proven-caller.ts';
import { type TeamErrorCode, teamErrorCode } from '../team/team-error-codes.ts';
import type { Caller } from '../tools/caller.ts';
import type { ToolOutcome } from '../tools/execute-tool.ts';
import { redactError } from '../tools/redact-error.ts';
import { readJsonBody } from './read-json-body.ts';
import { Refusal } from './refusal.ts';
import { toToolResult } from './tool-result.ts';

const statuses: Record<TeamErrorCode, number> = {
  INVALID_INPUT: 400,
  PERMISSION_DENIED: 403,
  AGENT_NOT_FOUND: 404,
  TOOL_NOT_FOUND: 404,
  RESOURCE_NOT_FOUND: 404,
  INVALID_AGENT_STATE: 409,
  INTERNAL_ERROR: 500,
  TRANSIENT_ERROR: 503,
};

interface ExecuteBody {
  agentId: string | undefined;
  toolName: string;
  input: unknown;
  idempotencyKey: string | undefined;
}

/**
 * `POST /mcp/execute` (seed 004). Every worker of a team lives on this address, so it is answered straight from Node's server,
 * without the layers that the other routes have. Never rejects.
 */
export function createExecuteHandler(hub: Hub): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    try {
      if (request.method !== 'POST') throw notAllowed(request);
      const body = readExecuteBody(hub, await readJsonBody(request), request);
      send(response, await run(hub, request, response, body));
    } catch (error) {
      if (error instanceof Refusal) send(response, refusal(error));
      else send(response, failure(redactError(hub.redact, toExpected(hub, error))));
    }
  };
}

interface Answer {
  status: number;
  json: string;
  headers?: Record<string, string>;
}

async function run(
  hub: Hub,
  request: IncomingMessage,
  response: ServerResponse,
  { agentId, toolName, input, idempotencyKey }: ExecuteBody,
): Promise<Answer> {
  const call = { tool: toolName, input, idempotencyKey };
  let caller: Caller;
  try {
    caller = await hub.memberCaller('http', { token: bearerToken(request), agentId });
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    const outcome = await hub.refuse({ ...call, caller: await provenCaller(hub, 'http', request) }, error);
    return outcome.ok ? success(outcome) : failure(outcome.error);
  }
  const abort = new LazyAbort();
  const onClose = () => abort.abort();
  response.once('close', onClose);
  const outcome = await hub.execute({ ...call, caller, abort });
  response.off('close', onClose);
  return outcome.ok ? success(outcome) : failure(outcome.error);
}

function readExecuteBody({ redact }: Hub, body: unknown, request: IncomingMessage): ExecuteBody {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new HubError('INVALID_ARGUMENTS', 'The body must be a JSON object with agentId, toolName and input.');
  }
  const { agentId, toolName, input, idempotencyKey, ...others } = body as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    const known = 'agentId, toolName, input and idempotencyKey';
    throw new HubError('INVALID_ARGUMENTS', `${redact(unknown).slice(0, 80)}: is not known here. A call has ${known}.`);
  }
  const header = request.headers['idempotency-key'];
  return {
    agentId: optionalText('agentId', agentId, 200),
    toolName: requiredText('toolName', toolName),
    input: input ?? {},
    idempotencyKey: optionalText('idempotencyKey', idempotencyKey ?? header, 200),
  };
}

function requiredText(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  const what = value === undefined ? 'is required' : 'must be a string that is not empty';
  throw new HubError('INVALID_ARGUMENTS', `${name}: ${what}`);
}

function optionalText(name: string, value: unknown, most: number): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && value !== '' && value.length <= most) return value;
  throw new HubError('INVALID_ARGUMENTS', `${name}: must be a string of 1 to ${most} characters`);
}

function success({ data }: ToolOutcome & { ok: true }): Answer {
  try {
    const json = JSON.stringify(toToolResult(data).result);
    return { status: 200, json: `{"success":true,"data":${json},"timestamp":"${now()}"}` };
  } catch (error) {
    if (error instanceof HubError) return failure(error);
    throw error;
  }
}

function failure(error: HubError): Answer {
  const code = teamErrorCode(error.code);
  const retryable = isRetryable(error);
  const details = {
    ...(code !== 'INTERNAL_ERROR' && error.details),
    ...(retryable !== undefined && { retryable }),
  };
  const json = errorJson({ code, message: error.message, details });
  const status = error.code === 'STORAGE_FULL' ? 507 : statuses[code];
  return { status, json, ...(retryable && { headers: { 'Retry-After': '1' } }) };
}

function refusal({ status, message, headers: own }: Refusal): Answer {
  return { status, headers: own, json: errorJson({ code: 'INVALID_INPUT', message, details: {} }) };
}

function errorJson(error: { code: TeamErrorCode; message: string; details: object }): string {
  return `{"success":false,"error":${JSON.stringify(error)},"timestamp":"${now()}"}`;
}

function now(): string {
  return new Date().toISOString();
}

function toExpected(hub: Hub, error: unknown): HubError {
  if (error instanceof HubError) return error;
  hub.logger.error({ err: error }, 'a call failed unexpectedly');
  return new HubError('INTERNAL_ERROR', 'Internal error', { cause: error });
}

function notAllowed({ method }: IncomingMessage): Refusal {
  return new Refusal(405, 'method_not_allowed', `${method} is not possible on /mcp/execute. Possible: POST.`, {
    allow: 'POST',
  });
}

function send(response: ServerResponse, { status, json, headers }: Answer): void {
  if (!response.destroyed) sendJson(response, status, json, headers);
}
