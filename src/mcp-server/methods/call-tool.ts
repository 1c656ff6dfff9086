import { errorCodes, type HubErrorCode } from '../../base/error-codes.ts';
import { type HubError, isRetryable } from '../../base/hub-error.ts';
import { type JsonObject, stringifyFrozen } from '../../base/json.ts';
import { type Caller, depthKey } from '../../tools/caller.ts';
import { ToolContent } from '../../tools/content.ts';
import type { ToolOutcome } from '../../tools/execute-tool.ts';
import { decide } from '../../tools/permissions.ts';
import type { Tool } from '../../tools/tool.ts';
import { type Asking, askAgain, beginAsking } from '../protocol/ask-by-retry.ts';
import type { Exchange, Peer } from '../protocol/exchange.ts';
import { invalidParams, isObject, RpcError, rpcCodes } from '../protocol/protocol.ts';
import { checkCapability, SessionToolClient } from '../protocol/tool-clients.ts';
import type { McpView } from '../view.ts';
import { describeResult, describeTool } from './describe-tool.ts';

/** `tools/list`: lists the tools that the caller may call. */
export async function listTools(view: McpView, exchange: Exchange): Promise<string> {
  const waiting = view.caller();
  const caller = waiting instanceof Promise ? await waiting : waiting;
  const { registry } = view;
  const { era } = exchange.peer;
  const page = view.tools[era].page(
    exchange.request.params,
    [registry, registry.revision, caller.scope?.tools, caller.member?.rules, caller.member?.scope],
    {
      items: () => offeredTools(view, caller),
      key: (tool) => tool.name,
      toJson: (tool) => describeTool(tool, era),
    },
  );
  return view.complete(exchange.peer, page, true);
}

/** Returns the number of tools that `tools/list` would list. */
export async function countTools(view: McpView): Promise<number> {
  return offeredTools(view, await view.caller()).length;
}

function offeredTools({ registry }: McpView, caller: Caller): Tool[] {
  return registry.list().filter((tool) => !tool.isHidden && decide(caller, tool).allowed);
}

/** `tools/call`. A failed call is a result with `isError`; only an invalid request is a JSON-RPC error. */
export async function callTool(view: McpView, exchange: Exchange): Promise<string> {
  const { params } = exchange.request;
  const { name } = params;
  if (typeof name !== 'string') throw invalidParams('"name" must be a string.');
  const waiting = view.caller();
  const caller = waiting instanceof Promise ? await waiting : waiting;
  const begun = exchange.peer.era === 'stateless' ? beginAsking(view, exchange, name) : undefined;
  const asking = begun instanceof Promise ? await begun : begun;
  const outcome = await view.execute({
    caller: withDepth(caller, params._meta),
    tool: name,
    input: params.arguments,
    abort: exchange.abort,
    traceparent: traceparentOf(params._meta),
    client: asking ? asking.client : new SessionToolClient(exchange),
  });
  if (!outcome.ok) await demandVisit(outcome.error, exchange, asking);
  else if (view.memberId === undefined) view.parts.store.clients.noteCall();
  const again = asking && askAgain(asking);
  if (again !== undefined) return again;
  const codeOf = (code: HubErrorCode) => (caller.member ? errorCodes[code].team : code);
  const meta = outcome.ok && outcome.data instanceof ToolContent ? outcome.data._meta : undefined;
  return view.completeCall(exchange.peer, toResult(outcome, { isStateless: asking !== undefined, codeOf }), meta);
}

/** If the server of a tool requires the user to visit an address first, passes that on in the form of the client's revision. */
async function demandVisit(error: HubError, { peer }: Exchange, asking: Asking | undefined): Promise<void> {
  if (asking) {
    await askToVisit(asking, error).catch((refused: HubError) => {
      throw missingCapability(refused) ?? refused;
    });
    return;
  }
  const demand = urlErrorFor(peer, error);
  if (demand) throw demand;
}

/** Reads how many agents are already in the chain of calls, across all hubs. */
function withDepth(caller: Caller, meta: unknown): Caller {
  const depth = isObject(meta) ? meta[depthKey] : undefined;
  return typeof depth === 'number' && Number.isInteger(depth) && depth > 0 ? { ...caller, depth } : caller;
}

/** Reads the W3C trace context in `_meta`. Ignores malformed values. */
function traceparentOf(meta: unknown): string | undefined {
  const value = isObject(meta) ? meta.traceparent : undefined;
  return typeof value === 'string' && /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(value) ? value : undefined;
}

interface ResultWords {
  isStateless: boolean;
  /** Translates an error code: team members get the team's codes, everybody else the hub's. */
  codeOf(code: HubErrorCode): string;
}

function toResult(outcome: ToolOutcome, { isStateless, codeOf }: ResultWords): string {
  if (!outcome.ok) {
    const missing = isStateless ? missingCapability(outcome.error) : undefined;
    if (missing) throw missing;
    return errorResult(codeOf(outcome.error.code), outcome.error);
  }
  const { data, tool } = outcome;
  if (data instanceof ToolContent)
    return JSON.stringify(describeResult(tool, data, isStateless ? 'stateless' : 'session'));
  return dataResult(data, tool.outputSchema !== undefined);
}

/** Returns a failed call as a tool result with the error as JSON text. */
function errorResult(code: string, error: HubError): string {
  const text = JSON.stringify({ error: true, code, message: error.message, retryable: isRetryable(error) });
  return `{"content":[{"type":"text","text":${JSON.stringify(text)}}],"isError":true}`;
}

const knownResults = new WeakMap<object, string>();

/** Returns data as JSON text, and also as structured content if the tool has an output schema. Caches frozen data. */
function dataResult(data: object, isStructured: boolean): string {
  const known = knownResults.get(data);
  if (known !== undefined) return known;
  const json = stringifyFrozen(data);
  const content = `"content":[{"type":"text","text":${JSON.stringify(json)}}]`;
  const text = isStructured ? `{${content},"structuredContent":${json}}` : `{${content}}`;
  if (Object.isFrozen(data)) knownResults.set(data, text);
  return text;
}

/** Converts a missing client capability to the error code of revision 2026-07-28. */
function missingCapability(error: HubError): RpcError | undefined {
  const required = error.details?.requiredCapabilities;
  if (error.code !== 'UNAVAILABLE' || !isObject(required)) return undefined;
  const data: JsonObject = { requiredCapabilities: required };
  return new RpcError(rpcCodes.missingCapability, error.message, { data, status: 400 });
}

/** An address that the user must visit before a tool of an external server can run. */
type UrlElicitation = JsonObject & { url: string; message: string };

/** Returns the data of a server's error -32042; undefined for other errors. */
function urlDemandOf({ cause }: HubError): (JsonObject & { elicitations: UrlElicitation[] }) | undefined {
  if (!isObject(cause) || cause.code !== rpcCodes.urlElicitationRequired || !isObject(cause.data)) return undefined;
  const { elicitations } = cause.data;
  const valid = Array.isArray(elicitations) ? elicitations.filter(isUrlElicitation) : [];
  return valid.length === 0 ? undefined : { ...cause.data, elicitations: valid };
}

/** Accepts only http and https: a server must not make a browser open other schemes. */
function isUrlElicitation(value: unknown): value is UrlElicitation {
  return (
    isObject(value) &&
    value.mode === 'url' &&
    typeof value.message === 'string' &&
    typeof value.url === 'string' &&
    /^https?:\/\//i.test(value.url)
  );
}

/** For revisions with sessions: returns the server's own error, if the client can show addresses. */
function urlErrorFor(peer: Peer, error: HubError): RpcError | undefined {
  const data = urlDemandOf(error);
  if (!data || checkCapability(peer.capabilities, 'elicitation/create', { mode: 'url' })) return undefined;
  return new RpcError(rpcCodes.urlElicitationRequired, error.message, { data });
}

/**
 * For revision 2026-07-28, which has no such error: asks the client to visit the addresses and call again. An address that was
 * already visited is not asked for again; the call then ends with the error. Throws if the client cannot show addresses.
 */
async function askToVisit({ client }: Asking, error: HubError): Promise<void> {
  const { elicitations = [] } = urlDemandOf(error) ?? {};
  const questions = elicitations.map(({ url, message }) => client.elicit({ mode: 'url', message, url }));
  for (const result of await Promise.allSettled(questions)) {
    if (result.status === 'rejected' && isObject(result.reason?.details?.requiredCapabilities)) throw result.reason;
  }
}
