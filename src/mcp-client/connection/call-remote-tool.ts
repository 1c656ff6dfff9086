import { HubError } from '../../base/hub-error.ts';
import { isRecord } from '../../base/is-record.ts';
import type { JsonObject } from '../../base/json.ts';
import type { RemoteCallOptions, RemoteResult } from '../../servers/supervise/server-connection.ts';
import { silentToolClient } from '../../tools/tool-client.ts';
import { askClient } from './answer-server-requests.ts';
import type { PendingRequest, RawLane } from './raw-lane.ts';

export interface RemoteCaller {
  server: string;
  lane: RawLane;
  headersOf(input: object): Record<string, string> | undefined;
  /** Lists the tools again, to learn which arguments to send as headers. */
  learnHeaders(): Promise<unknown>;
}

export interface RemoteCall {
  name: string;
  input: object;
  options: RemoteCallOptions;
}

/** MCP 2026-07-28: the server refused the call before running it, because an argument was not repeated in a header. */
const headerMismatch = -32020;
const maxRounds = 10;

/** Calls a tool. In the stateless revision, the result may be a question; it is answered by calling again with the answer. */
export async function callRemoteTool(caller: RemoteCaller, call: RemoteCall): Promise<RemoteResult> {
  const { lane } = caller;
  const params = { name: call.name, arguments: call.input } as JsonObject;
  if (!lane.modern) return checkResult(caller, call, await request(caller, call, params));
  let result = await firstRound(caller, call, params);
  for (let round = 0; result.resultType === 'input_required'; round += 1) {
    if (round === maxRounds) throw invalidReply(caller, call, `asked more than ${maxRounds} questions in a row`);
    result = await request(caller, call, { ...params, ...(await answerQuestions(caller, call, result)) });
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

async function answerQuestions(caller: RemoteCaller, call: RemoteCall, result: JsonObject): Promise<JsonObject> {
  const { inputRequests, requestState } = result;
  const { client } = call.options;
  const questions = Object.entries((inputRequests ?? {}) as Record<string, { method?: unknown; params?: unknown }>);
  if (questions.length > 0 && (client === undefined || client === silentToolClient)) {
    throw new HubError(
      'UNAVAILABLE',
      `Tool "${call.name}" of server "${caller.server}" asks a question, but its caller accepts none.`,
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
  if (Array.isArray(content) && content.every(isRecord)) return result as RemoteResult;
  throw invalidReply(caller, call, 'replied with content that is not a list of objects');
}

function invalidReply({ server }: RemoteCaller, { name }: RemoteCall, what: string): HubError {
  return new HubError('TOOL_ERROR', `Tool "${name}" of server "${server}" ${what}.`, {
    details: { server, tool: name, mayHaveRun: true },
  });
}
