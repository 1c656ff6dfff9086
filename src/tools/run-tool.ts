import type { Clock } from '../base/clock.ts';
import { HubError, isRetryable } from '../base/hub-error.ts';
import { retry } from '../base/retry.ts';
import type { CallProgress } from './call-progress.ts';
import type { Caller } from './caller.ts';
import type { ToolCall } from './execute-tool.ts';
import type { Tool, ToolContext } from './tool.ts';
import { silentToolClient, type ToolClient } from './tool-client.ts';

const retries = 3;
const retryDelayMs = 1000;
const neverAborted = new AbortController().signal;

/** A tool whose call was accepted. */
export interface RunningTool {
  tool: Tool;
  input: unknown;
  progress: CallProgress;
  logged: Promise<void>;
}

/** Makes what a retry needs after the first failure: most calls have none. */
export async function runWithRetry(parts: { clock: Clock }, call: ToolCall, running: RunningTool): Promise<object> {
  const { tool, input, progress } = running;
  const context = toContext(call, running);
  const run = async (): Promise<object> => {
    if (progress.isLate || isAborted(call)) throw cancelled(tool.name);
    const data = await tool.run(input, context);
    progress.hasRun = progress.mayHaveRun;
    return asObject(tool, data);
  };
  try {
    return await run();
  } catch (error) {
    if (progress.isLate || !isTransient(error)) throw error;
  }
  const { clock } = parts;
  const { signal } = context;
  await clock.sleep(retryDelayMs, signal);
  return retry({ retries: retries - 1, delayMs: () => retryDelayMs, shouldRetry: isTransient, clock, signal }, run);
}

function toContext(call: ToolCall, running: RunningTool): ToolContext {
  if (running.tool.hasDeadline) return new OwnContext(call, running);
  const { progress, logged } = running;
  return {
    caller: call.caller,
    callId: progress.callId,
    signal: signalOf(call) ?? neverAborted,
    traceparent: call.traceparent ?? '',
    idempotencyKey: call.idempotencyKey,
    whenLogged: () => logged,
    client: call.client ?? silentToolClient,
  };
}

/**
 * The context of our own tools, which take from it what they need: most never look at the signal. A class, because accessors
 * in an object literal are made anew for each call. Others get a plain object, which they may copy.
 */
class OwnContext implements ToolContext {
  readonly callId: string;
  readonly #call: ToolCall;
  readonly #running: RunningTool;
  #signal: AbortSignal | undefined;

  constructor(call: ToolCall, running: RunningTool) {
    this.#call = call;
    this.callId = running.progress.callId;
    this.#running = running;
  }

  get caller(): Caller {
    return this.#call.caller;
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#running.progress.signalWith(signalOf(this.#call));
    return this.#signal;
  }

  get traceparent(): string {
    return this.#call.traceparent ?? '';
  }

  get idempotencyKey(): string | undefined {
    return this.#call.idempotencyKey;
  }

  get client(): ToolClient {
    return this.#call.client ?? silentToolClient;
  }

  whenLogged(): Promise<void> {
    return this.#running.logged;
  }

  liftDeadline(): void {
    this.#running.progress.liftDeadline();
  }
}

function signalOf({ abort, signal }: ToolCall): AbortSignal | undefined {
  return abort?.signal ?? signal;
}

export function isAborted({ abort, signal }: ToolCall): boolean {
  return abort?.isAborted ?? signal?.aborted ?? false;
}

export function cancelled(tool: string, cause?: unknown): HubError {
  return new HubError('CANCELLED', `The call of "${tool}" was cancelled.`, { cause });
}

function asObject(tool: Tool, data: unknown): object {
  if (typeof data === 'object' && data !== null) return data;
  throw new HubError(
    'TOOL_ERROR',
    `Tool "${tool.name}" returned ${data === null ? 'null' : typeof data}; a tool returns an object.`,
  );
}

/**
 * Says whether a retry may help. An expected failure says so itself; an unexpected one is judged by its message. A call that has
 * waited for a lock until its deadline is not retried: the caller would wait several times as long.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof HubError)
    return error.code === 'TRANSIENT_ERROR' && isRetryable(error) === true && error.details?.hasWaited !== true;
  return error instanceof Error && /timeout|connection|network/i.test(error.message);
}
