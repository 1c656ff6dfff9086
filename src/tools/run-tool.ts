import type { LazyAbort } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { Due } from '../base/deadlines.ts';
import { HubError, isRetryable } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import { retry } from '../base/retry.ts';
import type { Caller } from './caller.ts';
import type { Tool, ToolContext } from './tool.ts';
import { silentToolClient, type ToolClient } from './tool-client.ts';

const retries = 3;
const retryDelayMs = 1000;
const neverAborted = new AbortController().signal;

export interface ToolCall {
  caller: Caller;
  tool: string;
  input: unknown;
  signal?: AbortSignal | undefined;
  /** Replaces `signal` on surfaces where most calls end before anyone needs the signal. */
  abort?: LazyAbort | undefined;
  /** A second call with the same key has no second effect. */
  idempotencyKey?: string | undefined;
  client?: ToolClient | undefined;
  /** The trace that the call belongs to. */
  traceparent?: string | undefined;
}

interface RunParts {
  clock: Clock;
  logger: Logger;
  /** Handles idempotency keys for tools that do not handle them themselves. */
  answers?: AnswerMemory | undefined;
}

/** A tool whose call was accepted. */
export interface RunningTool {
  tool: Tool;
  input: unknown;
  progress: CallProgress;
  logged: Promise<void>;
}

/** Returns the first result for a repeated key, unless the tool handles keys in its own transaction. */
export async function runKeyed(parts: RunParts, call: ToolCall, running: RunningTool): Promise<object> {
  const { answers } = parts;
  const { idempotencyKey: key } = call;
  const { tool } = running;
  const run = () => runWithRetry(parts, call, running);
  if (key === undefined || !answers || tool.keepsKeys || tool.annotations.readOnlyHint) return run();
  const keyed = { owner: call.caller.member?.id ?? '', key, tool: tool.name, input: call.input };
  const first = await answers.begin(keyed);
  if (first) return first;
  try {
    const data = await run();
    await answers.keep(keyed, data);
    return data;
  } catch (error) {
    // The caller needs to know why the call failed, more than why the key was not released.
    await answers.release(keyed).catch((failure: unknown) => {
      parts.logger.error({ err: failure, tool: tool.name }, 'an idempotency key could not be released');
    });
    throw error;
  }
}

/** Runs the tool, and again after transient failures. The retry is set up after the first failure, because most calls have none. */
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
  if (running.tool.hasDeadline) return new BuiltInToolContext(call, running);
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
 * The context of built-in tools. Most never look at the signal, so it is created on demand. A class, because accessors in an object
 * literal would be created for each call. Other tools get a plain object, which they may copy.
 */
class BuiltInToolContext implements ToolContext {
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
  return new HubError('CANCELLED', `The call to "${tool}" was cancelled.`, { cause });
}

function asObject(tool: Tool, data: unknown): object {
  if (typeof data === 'object' && data !== null) return data;
  throw new HubError(
    'TOOL_ERROR',
    `Tool "${tool.name}" returned ${data === null ? 'null' : typeof data}; a tool returns an object.`,
  );
}

const temporary = /timeout|connection|network|temporary|ECONNREFUSED|ETIMEDOUT|ENOTFOUND/i;

/**
 * Tells whether a retry may help. An expected failure has a code for that; an unexpected one is judged by its message. A call that
 * waited for a lock until its deadline is not retried, because the caller would wait several times as long.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof HubError)
    return error.code === 'TRANSIENT_ERROR' && isRetryable(error) === true && error.details?.hasWaited !== true;
  return error instanceof Error && temporary.test(error.message);
}

/** The progress of one call, and its deadline. */
export class CallProgress implements Due {
  readonly callId: string;
  /** Whether the tool was found and allowed, and its input valid. */
  wasAccepted = false;
  /** Whether a tool that changes things has been started. */
  mayHaveRun = false;
  /** Whether that tool has finished, so that only later steps can still fail. */
  hasRun = false;
  /** Whether the entry that ends the call has been passed to the log. */
  isRecorded = false;
  isLate = false;
  dueAt = Number.POSITIVE_INFINITY;
  readonly #limitMs: number;
  #onDue: (() => void) | undefined;
  #stop: AbortController | undefined;

  constructor(callId: string, limitMs = Number.POSITIVE_INFINITY) {
    this.callId = callId;
    this.#limitMs = limitMs;
    this.startDeadline();
  }

  startDeadline(): void {
    this.dueAt = performance.now() + this.#limitMs;
  }

  /** Suspends the deadline while something with limits of its own runs. A late call stays late. */
  liftDeadline(): void {
    if (!this.isLate) this.dueAt = Number.POSITIVE_INFINITY;
  }

  whenDue(act: () => void): void {
    this.#onDue = act;
  }

  onDue(): void {
    this.#onDue?.();
  }

  /** Tells the tool to stop, and allows this much time to log the failure. */
  makeLate(graceMs: number): void {
    this.isLate = true;
    this.dueAt = performance.now() + graceMs;
    this.#stop?.abort();
  }

  /** Returns a signal that is aborted when the call is late, or by the caller. */
  signalWith(outer: AbortSignal | undefined): AbortSignal {
    this.#stop ??= new AbortController();
    if (this.isLate) this.#stop.abort();
    return outer ? AbortSignal.any([outer, this.#stop.signal]) : this.#stop.signal;
  }
}

/** A call with an idempotency key, of a tool that does not handle keys in its own transaction. */
export interface KeyedCall {
  /** The member's id; '' for everybody else. */
  owner: string;
  key: string;
  tool: string;
  input: unknown;
}

/** Remembers the first result for each idempotency key. */
export interface AnswerMemory {
  /**
   * Returns the first result, or undefined if this is the first call, which should run now. Throws INVALID_ARGUMENTS if the key was
   * used for another call, TRANSIENT_ERROR while the first call runs, INVALID_AGENT_STATE if a crash left its outcome unknown.
   */
  begin(call: KeyedCall): Promise<object | undefined>;
  keep(call: KeyedCall, answer: object): Promise<void>;
  /** Frees the key after a failed call. */
  release(call: KeyedCall): Promise<void>;
}
