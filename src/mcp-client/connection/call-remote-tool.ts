import { HubError } from '../../base/hub-error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { RemoteCallOptions, RemoteResult } from '../../servers/supervise/server-connection.ts';
import { silentToolClient } from '../../tools/tool-client.ts';
import { askClient } from './answer-server-requests.ts';
import type { PendingRequest, RawLane } from './raw-lane.ts';

export interface RemoteCaller {
  server: string;
  lane: RawLane;
  headersOf(input: object): Record<string, string> | undefined;
  /** Lists the tools again, to know which arguments go out as headers. */
  learnHeaders(): Promise<unknown>;
}

export interface RemoteCall {
  name: string;
  input: object;
  options: RemoteCallOptions;
}

/** 2026-07-28: refused before anything ran, because an argument was not repeated in a header. */
const headerMismatch = -32020;
const maxRounds = 10;

/** One `tools/call`. In the stateless revision also the questions that come as its result, each answered by calling again. */
export async function callRemoteTool(caller: RemoteCaller, call: RemoteCall): Promise<RemoteResult> {
  const { lane } = caller;
  const params = { name: call.name, arguments: call.input } as JsonObject;
  if (!lane.modern) return checkResult(caller, call, await request(caller, call, params));
  let result = await firstRound(caller, call, params);
  for (let round = 0; result.resultType === 'input_required'; round += 1) {
    if (round === maxRounds) throw broken(caller, call, `asked more than ${maxRounds} times`);
    result = await request(caller, call, { ...params, ...(await answers(caller, call, result)) });
  }
  const { resultType: _, ...rest } = result;
  return checkResult(caller, call, rest);
}

function request({ lane, headersOf }: RemoteCaller, { name, input, options }: RemoteCall, params: JsonObject) {
  return lane.request({
    method: 'tools/call',
    params,
    tool: name,
    signal: options.signal,
    client: options.client,
    meta: options.meta,
    headers: lane.modern ? headersOf(input) : undefined,
  });
}

async function firstRound(caller: RemoteCaller, call: RemoteCall, params: JsonObject): Promise<JsonObject> {
  try {
    return await request(caller, call, params);
  } catch (error) {
    if (!(error instanceof HubError) || error.details?.rpcCode !== headerMismatch) throw error;
    await caller.learnHeaders();
    return await request(caller, call, params);
  }
}

async function answers(caller: RemoteCaller, call: RemoteCall, result: JsonObject): Promise<JsonObject> {
  const { inputRequests, requestState } = result;
  const { client } = call.options;
  const questions = Object.entries((inputRequests ?? {}) as Record<string, { method?: unknown; params?: unknown }>);
  if (questions.length > 0 && (client === undefined || client === silentToolClient)) {
    throw new HubError(
      'UNAVAILABLE',
      `Tool "${call.name}" of server "${caller.server}" asks a question, and its caller takes none.`,
      { details: { server: caller.server, tool: call.name, mayHaveRun: true } },
    );
  }
  const inputResponses: JsonObject = {};
  for (const [key, { method, params }] of questions) {
    inputResponses[key] = await askClient(caller.lane, { client } as PendingRequest, {
      method: String(method),
      params: (params ?? {}) as JsonObject,
      key,
    });
  }
  return {
    ...(questions.length > 0 && { inputResponses }),
    ...(typeof requestState === 'string' && { requestState }),
  };
}

function checkResult(caller: RemoteCaller, call: RemoteCall, result: JsonObject): RemoteResult {
  const { content } = result;
  if (content === undefined) return { ...result, content: [] };
  if (Array.isArray(content) && content.every(isObject)) return result as RemoteResult;
  throw broken(caller, call, 'answered with content that is no list of objects');
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function broken({ server }: RemoteCaller, { name }: RemoteCall, what: string): HubError {
  return new HubError('TOOL_ERROR', `Tool "${name}" of server "${server}" ${what}.`, {
    details: { server, tool: name, mayHaveRun: true },
  });
}
