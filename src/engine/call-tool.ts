import { untilAborted } from '../base/abort.ts';
import { HubError } from '../base/hub-error.ts';
import type { Span } from '../base/tracer.ts';
import { ToolContent } from '../tools/content.ts';
import type { RunReading } from '../tools/outside-text.ts';
import type { RequestedCall } from './answer-draft.ts';
import { requestApproval, whyApproval } from './approval.ts';
import type { ExecutableTool } from './executable-tool.ts';
import type { ToolResultBlock, ToolUseBlock } from './message.ts';
import { RunPurse } from './run-purse.ts';
import type { RunSpans } from './run-spans.ts';
import type { RunState } from './run-state.ts';
import type { StoredRunDetail } from './run-store.ts';
import { toContentBlocks } from './to-messages.ts';

/** A call and its state in the store. */
export interface OpenCall extends RequestedCall {
  stored: StoredRunDetail['calls'][number];
}

/** Runs one call that the model made. Never throws: a failure becomes a result that describes it. */
export async function callTool(run: RunState, spans: RunSpans, call: OpenCall): Promise<ToolResultBlock> {
  const { use, stored } = call;
  const tool = run.com.getTool(use.name) ?? run.options.findTool?.(use.name);
  const span = spans.startTool(use, tool);
  const timer = { startedAt: run.clock.now() };
  const reading = new CallReading(run);
  // Counts what the call uses, and passes it on to the purse of the run.
  const purse = new RunPurse({ budget: {}, payer: run.purse, cost: 0 });
  let result: ToolContent;
  let failure: string | undefined;
  try {
    result = await carryOut(run, { call, tool, span, timer, reading, purse });
    stored.state = result.isError ? 'failed' : 'finished';
    if (result.isError) failure = 'tool_error';
  } catch (error) {
    const known = toResultError(run, call, error);
    if (stored.state !== 'denied') stored.state = 'failed';
    failure = known.code;
    result = new ToolContent([{ type: 'text', text: known.message }], { isError: true });
  }
  spans.endTool(span, failure);
  const { content, isError, structuredContent } = result;
  const { startedAt } = timer;
  const endedAt = run.clock.now();
  const durationMs = endedAt - startedAt;
  const state = stored.state === 'denied' ? 'denied' : isError ? 'failed' : 'finished';
  const { usage, cost } = purse;
  const used = usage.inputTokens + usage.outputTokens > 0 && { used: { usage, cost } };
  run.addStep({ kind: 'tool', tick: run.ticks, startedAt, endedAt, id: use.id, tool: use.name, state, ...used });
  const { source } = reading;
  const finished = { id: use.id, tool: use.name, content, isError, durationMs, ...(source && { outside: source }) };
  run.emit({ type: 'tool.finished', ...finished });
  // A failing store ends the run; the tool's result is still returned.
  await run.record.save().catch(() => {});
  const outside = source ? { source, boundary: run.boundary } : undefined;
  return toResult(use, content, { isError, structuredContent, outside });
}

/** Records what one call has read from outside, and reports it to the run at once. */
class CallReading implements RunReading {
  readonly #run: RunState;
  readonly #own = new Set<string>();

  constructor(run: RunState) {
    this.#run = run;
  }

  get sources(): readonly string[] {
    return this.#run.outside.sources;
  }

  add(source: string): void {
    this.#own.add(source);
    this.#run.outside.add(source);
  }

  /** Empty if the result has no text from outside. */
  get source(): string {
    return [...this.#own].join('; ');
  }
}

/** Returns the result of a call that was not run. */
export function notRun(use: ToolUseBlock, why: string): ToolResultBlock {
  return toResult(use, [{ type: 'text', text: `The call to "${use.name}" was not carried out: ${why}` }], {
    isError: true,
  });
}

function toResult(
  { id, name }: ToolUseBlock,
  content: ToolResultBlock['content'],
  { isError, structuredContent, outside }: Pick<ToolResultBlock, 'isError' | 'structuredContent' | 'outside'>,
): ToolResultBlock {
  const block: ToolResultBlock = { type: 'tool_result', toolUseId: id, name, content, isError };
  if (structuredContent !== undefined) block.structuredContent = structuredContent;
  if (outside) block.outside = outside;
  return block;
}

interface CarryOut {
  call: OpenCall;
  tool: ExecutableTool | undefined;
  span: Span;
  timer: { startedAt: number };
  reading: CallReading;
  purse: RunPurse;
}

async function carryOut(run: RunState, { call, tool, span, timer, reading, purse }: CarryOut): Promise<ToolContent> {
  const { use, invalidInput, stored } = call;
  if (!tool) throw unknownTool(run, use.name);
  if (invalidInput !== undefined) throw invalidJson(use.name, invalidInput);
  try {
    const reason = whyApproval(run, tool, use);
    // Calls that need no approval reach their first write in the same event-loop turn and share it.
    if (reason !== undefined) await requestApproval(run, tool, { use, reason: await reason });
  } catch (error) {
    if (error instanceof HubError && error.code === 'PERMISSION_DENIED') stored.state = 'denied';
    throw error;
  }
  const state = stored.state;
  stored.state = 'running';
  try {
    await run.record.save();
    run.signal.throwIfAborted();
  } catch (error) {
    stored.state = state;
    throw error;
  }
  timer.startedAt = run.clock.now();
  try {
    return await runTool(run, tool, { use, traceparent: span.traceparent, reading, purse });
  } finally {
    // Errors can quote text from outside, too.
    if (tool.metadata.readsOutside !== undefined) reading.add(tool.metadata.readsOutside);
  }
}

async function runTool(
  run: RunState,
  tool: ExecutableTool,
  { use, ...parts }: { use: ToolUseBlock; traceparent: string; reading: RunReading; purse: RunPurse },
): Promise<ToolContent> {
  const { timeoutMs } = tool.metadata;
  const runCall = run.record.isStored ? { runId: run.id, callId: use.id, tick: run.ticks } : undefined;
  const invoke = (signal: AbortSignal) =>
    untilAborted(signal, async () => {
      const context = { signal, toolUseId: use.id, runCall, ...parts };
      const returned = tool.execute ? await tool.execute(use.input, context) : await tool.run(use.input, context);
      return toToolContent(use.name, returned);
    });
  if (timeoutMs === undefined) return invoke(run.signal);
  const late = new AbortController();
  const done = new AbortController();
  const expire = () => {
    const message = `Tool "${use.name}" did not finish within ${timeoutMs} ms and was stopped. It may have taken effect.`;
    late.abort(new HubError('TIMEOUT', message));
  };
  void run.clock.sleep(timeoutMs, done.signal).then(expire, () => {});
  try {
    return await invoke(AbortSignal.any([run.signal, late.signal]));
  } finally {
    done.abort('done');
  }
}

/** Returns the error for the model. In an aborted run, a failed call is not the tool's fault. */
function toResultError(run: RunState, { use, stored }: OpenCall, error: unknown): HubError {
  if (!run.signal.aborted) return run.known(error);
  const how =
    stored.state === 'running'
      ? 'was cancelled while it ran. It may have taken effect.'
      : 'was cancelled before it ran.';
  return new HubError('CANCELLED', `The call to "${use.name}" ${how}`, { cause: error });
}

function unknownTool({ com }: RunState, name: string): HubError {
  const names = [...com.tools.keys()];
  const list = names.slice(0, 50).join(', ') || 'none';
  const more = names.length > 50 ? ` and ${names.length - 50} more` : '';
  return new HubError('UNKNOWN_TOOL', `There is no tool "${name.slice(0, 80)}". Available: ${list}${more}.`);
}

function invalidJson(name: string, text: string): HubError {
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return new HubError(
    'INVALID_ARGUMENTS',
    `The input of "${name}" is not valid JSON: ${shown} Send one JSON object that matches the tool's schema.`,
  );
}

/** Converts what a tool returned to content: blocks stay as they are, text becomes text, data becomes JSON. Throws TOOL_ERROR. */
function toToolContent(tool: string, returned: unknown): ToolContent {
  if (returned instanceof ToolContent) return returned;
  if (returned === undefined || returned === null) return new ToolContent([]);
  if (typeof returned === 'string') return new ToolContent([{ type: 'text', text: returned }]);
  const blocks = toContentBlocks(returned);
  if (blocks) return new ToolContent(blocks);
  const result = asResult(returned);
  if (result) {
    const { content, structuredContent, isError } = result;
    return new ToolContent(content, {
      isError: isError === true,
      ...(structuredContent !== undefined && { structuredContent }),
    });
  }
  try {
    return new ToolContent([{ type: 'text', text: JSON.stringify(returned) }]);
  } catch (cause) {
    throw new HubError('TOOL_ERROR', `Tool "${tool}" returned data that cannot be written as JSON.`, { cause });
  }
}

/** Recognizes the shape of a ToolContent from code that does not use the class. */
function asResult(value: unknown): (Partial<ToolContent> & Pick<ToolContent, 'content'>) | undefined {
  if (typeof value !== 'object' || value === null || !('content' in value)) return undefined;
  const content = toContentBlocks(value.content);
  return content && { ...value, content };
}
