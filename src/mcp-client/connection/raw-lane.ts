import type { JSONRPCMessage, TransportSendOptions } from '@modelcontextprotocol/client';
import { HubError } from '../../base/hub-error.ts';
import type { JsonObject } from '../../base/json.ts';
import { SlotMap } from '../../base/slots.ts';
import type { ToolClient } from '../../tools/tool-client.ts';
import { foreignText } from './connection-errors.ts';
import type { JsonMessage, MessageTap } from './message-tap.ts';

export interface RawLaneOptions {
  server: string;
  timeoutMs: number;
  maxOutputBytes: number;
  maxConcurrentCalls: number;
  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void>;
  /** What the transport threw at a request, in the words of the hub. */
  explain(error: unknown): HubError;
  /** Everything that is no answer and no progress of this lane; true when it is nobody else's. */
  onOther(message: JsonMessage, call: PendingRequest | undefined): boolean;
}

export interface RawRequest {
  method: string;
  params: JsonObject;
  signal?: AbortSignal | undefined;
  /** Calls of tools wait for one of the server's places; they name the tool. */
  tool?: string | undefined;
  client?: ToolClient | undefined;
  meta?: JsonObject | undefined;
  headers?: Record<string, string> | undefined;
}

export interface PendingRequest extends RawRequest {
  id: number;
  deadline: number;
  isSent: boolean;
  resolve(result: JsonObject): void;
  reject(error: HubError): void;
  onAbort: (() => void) | undefined;
  leaveQueue: (() => boolean) | undefined;
  /** Where each request has a connection of its own, what ends it. */
  controller: AbortController | undefined;
}

/** The SDK counts its own requests from 0 and makes a handful of them. */
const firstId = 1_000_000;

/**
 * Requests beside the SDK: results stay as the server wrote them, and a call costs one message each way. One timer looks
 * after the time of all of them.
 */
export class RawLane implements MessageTap {
  readonly maxOutputBytes: number;
  /** Set when the revision needs it: what every request carries, and a connection for each that is closed to cancel it. */
  modern: { envelope: JsonObject } | undefined;
  /** The transport opens a connection for each request. */
  hasOwnStreams = false;
  readonly #options: RawLaneOptions;
  readonly #pending = new SlotMap<number, PendingRequest>();
  readonly #queue: CallQueue;
  readonly #tickMs: number;
  readonly #watchers = new Set<() => void>();
  #nextId = firstId;
  #timer: NodeJS.Timeout | undefined;
  #closedReason: string | undefined;

  constructor(options: RawLaneOptions) {
    this.#options = options;
    this.maxOutputBytes = options.maxOutputBytes;
    this.#queue = new CallQueue(options.maxConcurrentCalls);
    this.#tickMs = Math.min(250, Math.max(10, options.timeoutMs / 20));
  }

  request(request: RawRequest): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const { signal } = request;
      if (this.#closedReason !== undefined) return reject(this.#unavailable(this.#closedReason, false));
      if (signal?.aborted) return reject(this.#cancelled(request, false));
      const pending = request as PendingRequest;
      pending.id = this.#nextId++;
      pending.resolve = resolve;
      pending.reject = reject;
      pending.deadline = performance.now() + this.#options.timeoutMs;
      pending.isSent = false;
      if (signal) {
        pending.onAbort = () => this.#giveUp(pending, 'cancelled');
        signal.addEventListener('abort', pending.onAbort, { once: true });
      }
      this.#pending.set(pending.id, pending);
      this.#timer ??= setInterval(this.#tick, this.#tickMs).unref();
      if (request.tool === undefined) this.#send(pending);
      else pending.leaveQueue = this.#queue.enter(() => this.#send(pending));
    });
  }

  take(message: JsonMessage, call: number | undefined): boolean | 'stray' {
    const { id, method } = message;
    if (method === undefined) {
      if (typeof id !== 'number' || id < firstId) return false;
      const pending = this.#pending.get(id);
      // An answer to what was given up is nobody's.
      if (!pending) return 'stray';
      this.#answer(pending, message);
      return true;
    }
    if (method === 'notifications/progress' && this.#progress(message.params)) return true;
    return this.#options.onOther(message, call === undefined ? undefined : this.#pending.get(call));
  }

  refuseLarge(id: number, bytes: number): boolean {
    const pending = this.#pending.get(id);
    if (!pending) return false;
    this.#settle(pending);
    pending.reject(
      new HubError(
        'TOO_LARGE',
        `${subject(pending, this.#options.server)} answered with ${bytes} bytes; at most ${this.maxOutputBytes} are accepted (max_output_bytes).`,
        { details: { server: this.#options.server, mayHaveRun: true } },
      ),
    );
    return true;
  }

  /** A request that the server did not even look at. */
  refuse(id: number, reason: string): void {
    const pending = this.#pending.get(id);
    if (pending) this.#fail(pending, this.#unavailable(reason, false));
  }

  /** The calls that were sent and not answered. */
  running(): PendingRequest[] {
    return [...this.#pending.values()].filter(({ tool, isSent }) => tool !== undefined && isSent);
  }

  isPending({ id }: PendingRequest): boolean {
    return this.#pending.has(id);
  }

  /** Hears of every request that has ended, however it did; the returned function stops that. */
  watchEnds(listener: () => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  /** Stops the clock of a call while the server waits for us; the returned function starts it anew. */
  holdTime(pending: PendingRequest): () => void {
    pending.deadline = Number.POSITIVE_INFINITY;
    return () => {
      pending.deadline = performance.now() + this.#options.timeoutMs;
    };
  }

  /** Everything that waits fails, and whatever comes later. */
  close(reason: string): void {
    if (this.#closedReason !== undefined) return;
    this.#closedReason = reason;
    clearInterval(this.#timer);
    for (const pending of [...this.#pending.values()]) {
      const { isSent } = pending;
      // Not through the queue: nothing that waits may start now.
      pending.leaveQueue = undefined;
      this.#pending.delete(pending.id);
      this.#release(pending);
      pending.reject(isSent ? this.#interrupted(pending, reason) : this.#unavailable(reason, false));
    }
  }

  #send(pending: PendingRequest): void {
    const { id, method, params, headers } = pending;
    pending.isSent = true;
    pending.deadline = performance.now() + this.#options.timeoutMs;
    const message = { jsonrpc: '2.0' as const, id, method, params: { ...params, _meta: this.#metaOf(pending) } };
    if (!this.hasOwnStreams) {
      this.#options.send(message).catch((error) => this.#fail(pending, error));
      return;
    }
    pending.controller = new AbortController();
    this.#options
      .send(message, {
        requestSignal: pending.controller.signal,
        ...(headers && { headers }),
        onRequestStreamEnd: () =>
          this.#fail(pending, this.#interrupted(pending, 'It ended the connection of the call without an answer.')),
      })
      .catch((error) => this.#fail(pending, error));
  }

  #metaOf({ id, tool, params, meta }: PendingRequest): JsonObject | undefined {
    if (tool !== undefined) return { ...this.modern?.envelope, ...meta, progressToken: id };
    // What a surface passes on may carry some of its own.
    return this.modern ? { ...this.modern.envelope, ...(params._meta as JsonObject) } : (params._meta as JsonObject);
  }

  #answer(pending: PendingRequest, message: JsonMessage): void {
    this.#settle(pending);
    const { result } = message;
    if (typeof result === 'object' && result !== null && !Array.isArray(result)) {
      pending.resolve(result as JsonObject);
      return;
    }
    pending.reject(this.#refused(pending, message.error));
  }

  #refused(pending: PendingRequest, error: unknown): HubError {
    const { server } = this.#options;
    if (typeof error !== 'object' || error === null)
      return new HubError('UNAVAILABLE', `${subject(pending, server)} answered with neither a result nor an error.`, {
        details: { server, mayHaveRun: true },
      });
    const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
    const text = foreignText(message ?? '');
    return new HubError('TOOL_ERROR', `${subject(pending, server)} answered with an error: ${text || `code ${code}`}`, {
      // As it came: what the details say may lose what looks like a secret, and an address would lead nowhere.
      ...(isSmall(error) && { cause: error }),
      details: {
        server,
        ...(pending.tool !== undefined && { tool: pending.tool }),
        rpcCode: typeof code === 'number' ? code : null,
        rpcMessage: text,
        ...(isSmall(data) && { rpcData: data }),
      },
    });
  }

  #progress(params: unknown): boolean {
    const { progressToken, progress, total, message } = (params ?? {}) as { [key: string]: unknown };
    if (typeof progressToken !== 'number' || progressToken < firstId) return false;
    const pending = this.#pending.get(progressToken);
    if (!pending || typeof progress !== 'number') return true;
    if (pending.deadline !== Number.POSITIVE_INFINITY) pending.deadline = performance.now() + this.#options.timeoutMs;
    try {
      pending.client?.progress(progress, {
        ...(typeof total === 'number' && { total }),
        ...(typeof message === 'string' && { message: foreignText(message) }),
      });
    } catch {
      // A client that went away must not stop the messages of all the others.
    }
    return true;
  }

  readonly #tick = (): void => {
    if (this.#pending.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const now = performance.now();
    for (const pending of this.#pending.values()) if (pending.deadline <= now) this.#giveUp(pending, 'timeout');
  };

  #giveUp(pending: PendingRequest, why: 'timeout' | 'cancelled'): void {
    if (!this.#pending.has(pending.id)) return;
    const { isSent, controller } = pending;
    const reason = why === 'timeout' ? `No news for ${this.#options.timeoutMs} ms.` : 'The caller gave up.';
    this.#settle(pending);
    pending.reject(why === 'timeout' ? this.#timedOut(pending, isSent) : this.#cancelled(pending, isSent));
    if (!isSent) return;
    // In the stateless revision the end of the request's own connection says it.
    if (this.modern && controller) {
      controller.abort();
      return;
    }
    this.#options
      .send({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: pending.id, reason },
      })
      // Whoever does not hear it goes on; its answer is thrown away.
      .catch(() => {});
    controller?.abort();
  }

  #fail(pending: PendingRequest, error: unknown): void {
    if (!this.#pending.has(pending.id)) return;
    this.#settle(pending);
    pending.reject(error instanceof HubError ? error : this.#options.explain(error));
  }

  #settle(pending: PendingRequest): void {
    this.#pending.delete(pending.id);
    this.#release(pending);
    if (pending.leaveQueue && !pending.leaveQueue()) this.#queue.leave();
  }

  #release(pending: PendingRequest): void {
    if (pending.onAbort) pending.signal?.removeEventListener('abort', pending.onAbort);
    for (const listener of this.#watchers) listener();
  }

  #timedOut(pending: PendingRequest, mayHaveRun: boolean): HubError {
    const { server, timeoutMs } = this.#options;
    return new HubError(
      'TIMEOUT',
      mayHaveRun
        ? `${subject(pending, server)} gave no answer and no progress for ${timeoutMs} ms (timeout_secs). It may have run.`
        : `${subject(pending, server)} was not called: ${this.#options.maxConcurrentCalls} calls (max_concurrent_calls) were running for ${timeoutMs} ms.`,
      { details: { server, ...(pending.tool !== undefined && { tool: pending.tool }), mayHaveRun } },
    );
  }

  #cancelled(request: RawRequest, mayHaveRun: boolean): HubError {
    const { server } = this.#options;
    return new HubError('CANCELLED', `${subject(request, server)}: the call was cancelled.`, {
      details: { server, ...(request.tool !== undefined && { tool: request.tool }), mayHaveRun },
    });
  }

  #unavailable(reason: string, mayHaveRun: boolean): HubError {
    const { server } = this.#options;
    return new HubError('UNAVAILABLE', `Server "${server}" is not connected any more: ${reason}`, {
      details: { server, mayHaveRun },
    });
  }

  /** It was sent, and nobody knows how far it came. */
  #interrupted({ tool }: RawRequest, reason: string): HubError {
    if (tool === undefined) return this.#unavailable(reason, true);
    const { server } = this.#options;
    const message = `Tool "${tool}" of server "${server}" may have run, and is not called again: the server is not connected any more. ${reason}`;
    return new HubError('UNAVAILABLE', message, { details: { server, tool, mayHaveRun: true } });
  }
}

function subject({ tool, method }: RawRequest, server: string): string {
  return tool === undefined ? `Server "${server}" (${method})` : `Tool "${tool}" of server "${server}"`;
}

function isSmall(data: unknown): boolean {
  return data !== undefined && JSON.stringify(data).length <= 10_000;
}

/** Lets at most so many through at once; the others wait in the order they came. */
class CallQueue {
  readonly #limit: number;
  readonly #waiting: Set<() => void> = new Set();
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Runs `start` now or later. The returned function takes a waiting one out; false when it has started. */
  enter(start: () => void): () => boolean {
    if (this.#running < this.#limit) {
      this.#running += 1;
      start();
      return neverWaited;
    }
    this.#waiting.add(start);
    return () => this.#waiting.delete(start);
  }

  /** One of those that were let through is done. */
  leave(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next();
      return;
    }
    this.#running -= 1;
  }
}

function neverWaited(): boolean {
  return false;
}
