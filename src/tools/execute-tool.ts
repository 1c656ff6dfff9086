import type { Clock } from '../base/clock.ts';
import { type Deadlines, tooLate } from '../base/deadlines.ts';
import type { HubErrorCode } from '../base/error-codes.ts';
import { HubError, isRetryable, isStorageError, toHubError } from '../base/hub-error.ts';
import { newId } from '../base/ids.ts';
import { stringifyFrozen } from '../base/json.ts';
import type { Logger } from '../base/logger.ts';
import { hasRight } from '../base/rights.ts';
import type { Span, Tracer } from '../base/tracer.ts';
import { userId } from '../base/user-id.ts';
import type { Caller } from './caller.ts';
import { ToolContent } from './content.ts';
import { automaticDecision, automaticWords, type DecisionLog, toLogContext } from './decision-log.ts';
import { decide } from './permissions.ts';
import { type Redact, redactError } from './redact/redact.ts';
import {
  type AnswerMemory,
  CallProgress,
  cancelled,
  isAborted,
  isTransient,
  runKeyed,
  runWithRetry,
  type ToolCall,
} from './run-tool.ts';
import type { Tool } from './tool.ts';
import type { ToolRegistry } from './tool-registry.ts';

export type ToolOutcome =
  | { ok: true; callId: string; tool: Tool; data: object | ToolContent }
  | { ok: false; callId: string; error: HubError };

export interface PipelineParts {
  tools: ToolRegistry;
  decisions: DecisionLog;
  clock: Clock;
  logger: Logger;
  /** Removes secrets from everything that is stored or reported. */
  redact: Redact;
  tracer?: Tracer | undefined;
  /** Counts finished calls. */
  observe?: ((call: ObservedCall) => void) | undefined;
  /** Limits calls to built-in tools, and every wait for the log. */
  deadlines?: Deadlines | undefined;
  /** Handles idempotency keys for tools that do not handle them themselves. */
  answers?: AnswerMemory | undefined;
  /** Called after a failed call has been logged. */
  onFailure?: ((failure: ToolFailure) => Promise<void>) | undefined;
}

export interface ObservedCall {
  /** Undefined if no such tool exists. */
  tool: string | undefined;
  surface: Caller['surface'];
  outcome: 'result' | 'error' | HubErrorCode;
  durationMs: number;
}

interface ToolFailure {
  call: ToolCall;
  callId: string;
  error: HubError;
  /** The original error, whose stack no caller may see. */
  thrown: unknown;
  /** Whether the tool was found and allowed, and its input valid. */
  wasAccepted: boolean;
}

const ignore = (): undefined => undefined;

/** The share of the limit that a late call gets to log its failure before it is answered. */
const graceShare = 1 / 6;

/**
 * Runs a tool call. Every call from every surface takes these steps: find the tool → check permission → check the input → log → run
 * (and retry) → log → report failures. Never throws. The invocation is on the disk before the tool runs, and the call is
 * rejected if the log cannot be written. A built-in tool that only reads runs while its entry is being written; both entries are on
 * the disk before the reply. A built-in tool or a log that takes too long ends the call with UNAVAILABLE.
 */
export function executeTool(parts: PipelineParts, call: ToolCall): Promise<ToolOutcome> {
  // The engine starts its own span for each call that a model makes.
  const isTraced = parts.tracer?.isOn && call.caller.surface !== 'engine';
  return parts.observe || isTraced ? observed(parts, call) : inTime(parts, call, walk);
}

async function observed(parts: PipelineParts, call: ToolCall): Promise<ToolOutcome> {
  const startedAt = performance.now();
  const span = call.caller.surface === 'engine' ? undefined : startSpan(parts, call);
  const outcome = await inTime(parts, span ? { ...call, traceparent: span.traceparent } : call, walk);
  const failed = outcome.ok && outcome.data instanceof ToolContent && outcome.data.isError ? 'error' : 'result';
  const result = outcome.ok ? failed : outcome.error.code;
  if (result !== 'result') span?.fail(result);
  span?.end();
  const tool = parts.tools.find(call.tool)?.name;
  parts.observe?.({ tool, surface: call.caller.surface, outcome: result, durationMs: performance.now() - startedAt });
  return outcome;
}

function startSpan({ tracer, tools }: PipelineParts, call: ToolCall): Span | undefined {
  if (!tracer?.isOn) return undefined;
  const tool = tools.find(call.tool);
  const agent = call.caller.scope?.agentId ?? call.caller.member?.id;
  // An unknown name is text from the caller, which does not belong in traces.
  return tracer.start(tool ? `execute_tool ${tool.name}` : 'execute_tool', {
    parent: call.traceparent,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool?.name,
      'gen_ai.tool.type': tool?.server ? 'extension' : 'function',
      'gen_ai.agent.id': agent,
      'mcp.server.name': tool?.server?.name,
    },
  });
}

type Walk = (parts: PipelineParts, call: ToolCall, progress: CallProgress) => Promise<ToolOutcome>;

/** Answers a late call at its deadline. Whatever happens afterwards only goes to the process log. */
function inTime(parts: PipelineParts, call: ToolCall, begin: Walk): Promise<ToolOutcome> {
  const { deadlines } = parts;
  const progress = new CallProgress(newId('call', parts.clock.now()), deadlines?.limitMs);
  if (!deadlines) return begin(parts, call, progress);
  const { promise, resolve, reject } = Promise.withResolvers<ToolOutcome>();
  let slot: number | undefined = deadlines.add(progress);
  const leave = () => {
    if (slot !== undefined) deadlines.remove(slot);
    slot = undefined;
  };
  const answer = (outcome: ToolOutcome) => {
    leave();
    resolve(outcome);
  };
  progress.whenDue(() => {
    const { callId, mayHaveRun, isLate, isRecorded } = progress;
    const what = `The call to "${parts.redact(call.tool).slice(0, 128)}"`;
    const error = tooLate(what, { limitMs: deadlines.limitMs, mayHaveRun });
    progress.makeLate(deadlines.limitMs * graceShare);
    // The log does not respond either.
    if (isLate || isRecorded) answer({ ok: false, callId, error });
    else fail(parts, call, { progress, thrown: error }).then(answer, reject);
  });
  begin(parts, call, progress).then(
    (outcome) => (progress.isLate ? noteLate(parts, call, outcome) : answer(outcome)),
    (error) => {
      leave();
      reject(error);
    },
  );
  return promise;
}

function noteLate({ logger, redact }: PipelineParts, call: ToolCall, outcome: ToolOutcome): void {
  const ended = outcome.ok ? 'result' : outcome.error.code;
  const tool = redact(call.tool).slice(0, 80);
  logger.warn({ tool, callId: outcome.callId, outcome: ended }, 'a call ended after its deadline');
}

async function walk(parts: PipelineParts, call: ToolCall, progress: CallProgress): Promise<ToolOutcome> {
  const { callId } = progress;
  let logged: Promise<void> | undefined;
  try {
    const tool = findAllowedTool(parts, call);
    const input = tool.parse(call.input);
    progress.wasAccepted = true;
    const rawInput = call.input === undefined || call.input === null ? {} : Object(call.input);
    const context = toLogContext(stringifyFrozen(rawInput), parts.redact);
    logged = log(parts, call, { callId, kind: 'invocation', context });
    // Awaited before the reply; until then a failure must not count as unhandled.
    if (tool.runsWhileLogged) logged.catch(ignore);
    else await logged;
    if (progress.isLate) throw cancelled(call.tool);
    const running = { tool, input, progress, logged };
    progress.mayHaveRun = tool.annotations.readOnlyHint !== true;
    if (!tool.hasDeadline) progress.liftDeadline();
    const data = await (call.idempotencyKey === undefined
      ? runWithRetry(parts, call, running)
      : runKeyed(parts, call, running));
    if (progress.isLate) return { ok: true, callId, tool, data };
    if (progress.dueAt === Number.POSITIVE_INFINITY) progress.startDeadline();
    progress.isRecorded = true;
    const kind = data instanceof ToolContent && data.isError ? 'error' : 'result';
    const ended = log(parts, call, { callId, kind, context: resultContext(parts, tool, data) });
    // Entries of the same commit share a promise.
    await (tool.runsWhileLogged && ended !== logged ? Promise.all([logged, ended]) : ended);
    return { ok: true, callId, tool, data };
  } catch (thrown) {
    if (progress.dueAt === Number.POSITIVE_INFINITY) progress.startDeadline();
    const unlogged = await logged?.then(ignore, (error: unknown) => error);
    const failure = unlogged ?? thrown;
    if (progress.isLate) return { ok: false, callId, error: toKnownError(parts, call, failure) };
    return fail(parts, call, { progress, thrown: progress.hasRun ? afterRun(parts, call, failure) : failure });
  }
}

/** The tool has run, and only a later step failed: the error must not invite the caller to repeat the call. */
function afterRun(parts: PipelineParts, call: ToolCall, thrown: unknown): unknown {
  const known = toKnownError(parts, call, thrown);
  const isStorage = isStorageError(known);
  if (!isStorage && isRetryable(known) !== true) return thrown;
  const fault = known.code === 'STORAGE_FULL' ? 'the disk is full' : 'the database of the hub cannot be used';
  const reason = isStorage ? ` because ${fault}` : '';
  const message = `The tool "${call.tool}" has run, but its result could not be saved${reason}. Check its effects before you call it again.`;
  const details = { ...(isStorage && known.details), mayHaveRun: true };
  return new HubError(isStorage ? known.code : 'UNAVAILABLE', message, { cause: thrown, details });
}

/** Logs a call that was rejected before its caller was known. */
export function refuseCall(parts: PipelineParts, call: ToolCall, error: HubError): Promise<ToolOutcome> {
  return inTime(parts, call, (_parts, _call, progress) => fail(parts, call, { progress, thrown: error }));
}

async function fail(
  parts: PipelineParts,
  call: ToolCall,
  { progress, thrown }: { progress: CallProgress; thrown: unknown },
): Promise<ToolOutcome> {
  const { callId, wasAccepted } = progress;
  progress.isRecorded = true;
  const known = toKnownError(parts, call, thrown);
  if (known.code === 'INTERNAL_ERROR')
    parts.logger.error(
      { err: thrown, tool: parts.redact(call.tool).slice(0, 80), callId },
      'a tool failed unexpectedly',
    );
  const error = await logError(parts, call, { callId, error: known, thrown });
  await parts.onFailure?.({ call, callId, error, thrown, wasAccepted });
  return { ok: false, callId, error };
}

/** Returns the error for the caller. A transient failure stays marked as transient after its retries. */
function toKnownError(parts: PipelineParts, call: ToolCall, thrown: unknown): HubError {
  if (thrown instanceof HubError) return redactError(parts.redact, thrown);
  // A tool that was told to stop is not to blame, however it ends.
  if (isAborted(call)) return cancelled(call.tool, thrown);
  if (!isTransient(thrown)) return toHubError(thrown);
  const message = 'The tool failed for a reason that may pass (timeout, connection or network). Try again later.';
  return new HubError('TRANSIENT_ERROR', message, { cause: thrown });
}

function findAllowedTool({ tools, redact }: PipelineParts, call: ToolCall): Tool {
  const { caller } = call;
  const found = tools.find(call.tool);
  // A tool that the caller has no right to see does not exist for it.
  const tool =
    found && (caller.member || found.isForMembers || hasRight(caller.right, found.right)) ? found : undefined;
  const decision = decide(caller, tool ?? { name: redact(call.tool), right: 'work', isForMembers: false });
  // Members and scoped callers get the same error whether or not the denied tool exists.
  if (!decision.allowed && (tool || caller.member || caller.scope))
    throw new HubError('PERMISSION_DENIED', decision.message);
  if (tool) return tool;
  // Callers without permission get the same error as for an unknown tool.
  const why = decision.allowed ? tools.whyAbsent(call.tool) : undefined;
  if (why) throw why;
  const visible = tools.list().filter((each) => !each.isHidden && decide(call.caller, each).allowed);
  const names = visible
    .slice(0, 20)
    .map((each) => each.name)
    .join(', ');
  const message = `There is no tool "${redact(call.tool).slice(0, 80)}". Available: ${names || 'none'}.`;
  const hint = caller.kind === 'anonymous' ? ` ${moreWithKey}` : '';
  throw new HubError('UNKNOWN_TOOL', message + hint);
}

const moreWithKey =
  'Tools that reach other systems need a key: "zoo connect CLIENT" or "zoo key create NAME" creates one.';

const knownContexts = new WeakMap<object, string>();

/** Returns the part of a result that the log stores. Cached for frozen data, unless it was shortened or redacted. */
function resultContext({ redact }: PipelineParts, tool: Tool, data: object): string {
  const known = knownContexts.get(data);
  if (known !== undefined) return known;
  const json = stringifyResult(tool, data);
  const context = toLogContext(json, redact);
  if (context === json && Object.isFrozen(data)) knownContexts.set(data, context);
  return context;
}

/** Throws TOO_LARGE for a result that cannot be written as JSON, because it could not be sent either. */
function stringifyResult(tool: Tool, data: object): string {
  try {
    return stringifyFrozen(data);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = `The result of "${tool.name}" is too large or nested too deeply to be passed on. The tool has run.`;
    throw new HubError('TOO_LARGE', message, { details: { mayHaveRun: true } });
  }
}

/**
 * Logs a failure and returns the error for the caller: the tool's error, or the log's if logging fails too, because the record is part
 * of the call. An error that says the tool may have run keeps saying so.
 */
async function logError(
  parts: PipelineParts,
  call: ToolCall,
  { callId, error, thrown }: { callId: string; error: HubError; thrown: unknown },
): Promise<HubError> {
  try {
    const { code, message } = error;
    const unexpected = thrown instanceof Error && !(thrown instanceof HubError) ? thrown : undefined;
    const context = { code, message: unexpected?.message ?? message, ...(unexpected && { stack: unexpected.stack }) };
    await log(parts, call, { callId, kind: 'error', context: toLogContext(JSON.stringify(context), parts.redact) });
    return error;
  } catch (logFailure) {
    if (!isStorageError(logFailure)) parts.logger.error({ err: logFailure }, 'the decision log could not be written');
    if (error.details?.mayHaveRun === true) return error;
    return isStorageError(logFailure) || isRetryable(error) === undefined ? toHubError(logFailure) : error;
  }
}

function log(
  parts: PipelineParts,
  call: ToolCall,
  { callId, kind, context }: { callId: string; kind: keyof typeof automaticWords; context: string },
): Promise<void> {
  // Redacts before cutting: part of a secret would not be recognized.
  const tool = call.tool.length > 128 ? `${parts.redact(call.tool).slice(0, 128)}…` : call.tool;
  const { member, scope, surface, isUser, clientName } = call.caller;
  return parts.decisions.append({
    callId,
    kind,
    at: parts.clock.now(),
    surface,
    ...(clientName !== undefined && { client: clientName }),
    agentId: member?.id ?? (isUser ? userId : null),
    persona: scope?.agentId ?? member?.agent ?? null,
    taskId: member || isUser ? (namedTask(call.input) ?? member?.taskId ?? null) : null,
    tool,
    decision: automaticDecision(kind, tool),
    reasoning: automaticWords[kind].reasoning,
    context,
  });
}

/** Matches task ids. Other text is not logged as one: it could be a secret, or contain characters that a database rejects. */
const taskIdPattern = /^task_[0-9a-z]{1,60}$/;

/** Returns the task id in the input of a call, if it has one. */
function namedTask(input: unknown): string | undefined {
  const named = typeof input === 'object' && input !== null && 'taskId' in input ? input.taskId : undefined;
  return typeof named === 'string' && taskIdPattern.test(named) ? named : undefined;
}
