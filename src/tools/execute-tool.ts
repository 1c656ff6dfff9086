import type { Clock } from '../base/clock.ts';
import { HubError, toHubError } from '../base/hub-error.ts';
import { newId } from '../base/ids.ts';
import { stringifyFrozen } from '../base/json.ts';
import type { Logger } from '../base/logger.ts';
import { retry } from '../base/retry.ts';
import type { Caller } from './caller.ts';
import { ToolContent } from './content.ts';
import { type DecisionEntry, type DecisionLog, toLogContext } from './decision-log.ts';
import { decide } from './permissions.ts';
import type { Tool } from './tool.ts';
import { silentToolClient, type ToolClient } from './tool-client.ts';
import type { ToolRegistry } from './tool-registry.ts';

export interface ToolCall {
  caller: Caller;
  tool: string;
  input: unknown;
  signal?: AbortSignal | undefined;
  client?: ToolClient | undefined;
}

export type ToolOutcome =
  | { ok: true; callId: string; tool: Tool; data: object | ToolContent }
  | { ok: false; callId: string; error: HubError };

export interface PipelineParts {
  tools: ToolRegistry;
  decisions: DecisionLog;
  clock: Clock;
  logger: Logger;
}

const retries = 3;
const retryDelayMs = 1000;
const neverAborted = new AbortController().signal;

/**
 * Every tool call, whoever makes it: which tool → may they → is the input valid → log → run (retry) → log.
 * Never throws; the invocation is durable before the tool runs, and a log that cannot be written refuses the call.
 */
export async function executeTool(parts: PipelineParts, call: ToolCall): Promise<ToolOutcome> {
  const callId = newId('call', parts.clock.now());
  const row = (kind: DecisionEntry['kind'], context: string) =>
    parts.decisions.append(entryOf(parts, call, callId, kind, context));
  try {
    const tool = findAllowedTool(parts.tools, call);
    const input = tool.parse(call.input);
    await row(
      'invocation',
      toLogContext(stringifyFrozen(call.input === undefined || call.input === null ? {} : Object(call.input))),
    );
    const data = await runWithRetry(parts, tool, input, call, callId);
    await row(data instanceof ToolContent && data.isError ? 'error' : 'result', toLogContext(stringifyFrozen(data)));
    return { ok: true, callId, tool, data };
  } catch (thrown) {
    const error = toHubError(thrown);
    if (error.code === 'INTERNAL_ERROR')
      parts.logger.error({ err: thrown, tool: call.tool.slice(0, 80), callId }, 'a tool failed unexpectedly');
    return { ok: false, callId, error: await logError(parts, row, error) };
  }
}

function findAllowedTool(tools: ToolRegistry, call: ToolCall): Tool {
  const tool = tools.find(call.tool);
  if (!tool) {
    const visible = tools.list().filter((each) => decide(call.caller, each.name).allowed);
    const names = visible
      .slice(0, 20)
      .map((each) => each.name)
      .join(', ');
    throw new HubError('UNKNOWN_TOOL', `There is no tool "${call.tool.slice(0, 80)}". Available: ${names || 'none'}.`);
  }
  const decision = decide(call.caller, tool.name);
  if (!decision.allowed) throw new HubError('PERMISSION_DENIED', decision.message);
  return tool;
}

function runWithRetry(
  parts: PipelineParts,
  tool: Tool,
  input: unknown,
  call: ToolCall,
  callId: string,
): Promise<object> {
  const signal = call.signal ?? neverAborted;
  const context = { caller: call.caller, callId, signal, client: call.client ?? silentToolClient };
  return retry(
    { retries, delayMs: () => retryDelayMs, shouldRetry: isTransient, clock: parts.clock, signal },
    async () => {
      if (signal.aborted) throw new HubError('CANCELLED', `The call of "${tool.name}" was cancelled.`);
      return asObject(tool, await tool.run(input, context));
    },
  );
}

function asObject(tool: Tool, data: unknown): object {
  if (typeof data === 'object' && data !== null) return data;
  throw new HubError(
    'TOOL_ERROR',
    `Tool "${tool.name}" returned ${data === null ? 'null' : typeof data}; a tool returns an object.`,
  );
}

/** An expected failure says itself whether it passes; an unexpected one is judged by its words (seed 004). */
function isTransient(error: unknown): boolean {
  if (error instanceof HubError) return error.code === 'TRANSIENT_ERROR';
  return error instanceof Error && /timeout|connection|network/i.test(error.message);
}

/** The caller hears the tool's error; when even the log fails, it hears that, because the record is part of the call. */
async function logError(
  parts: PipelineParts,
  row: (kind: DecisionEntry['kind'], context: string) => Promise<void>,
  error: HubError,
): Promise<HubError> {
  try {
    await row('error', toLogContext(JSON.stringify({ code: error.code, message: error.message })));
    return error;
  } catch (logFailure) {
    parts.logger.error({ err: logFailure }, 'the decision log could not be written');
    return error.code === 'UNAVAILABLE' ? error : toHubError(logFailure);
  }
}

const words = {
  invocation: { decision: 'Invoked tool', reasoning: 'Automatic tool invocation log' },
  result: { decision: 'Tool result', reasoning: 'Automatic tool result log' },
  error: { decision: 'Tool error', reasoning: 'Automatic tool error log' },
} as const;

function entryOf(
  parts: PipelineParts,
  call: ToolCall,
  callId: string,
  kind: DecisionEntry['kind'],
  context: string,
): DecisionEntry {
  const tool = call.tool.length > 128 ? `${call.tool.slice(0, 128)}…` : call.tool;
  return {
    callId,
    kind,
    at: parts.clock.now(),
    surface: call.caller.surface,
    agentId: call.caller.scope?.agentId ?? null,
    tool,
    decision: `${words[kind].decision}: ${tool}`,
    reasoning: words[kind].reasoning,
    context,
  };
}
