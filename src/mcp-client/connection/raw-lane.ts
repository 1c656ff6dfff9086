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
  /** Turns an error of the transport into a HubError. */
  explain(error: unknown): HubError;
  /** Called with every message that is neither an answer nor progress of this lane. Returns true if the SDK must not see it. */
  onOther(message: JsonMessage, call: PendingRequest | undefined): boolean;
}

export interface RawRequest {
  method: string;
  params: JsonObject;
  signal?: AbortSignal | undefined;
  /** Set for tool calls, which wait for one of the server's slots. */
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
  /** Aborts the request, if each request has its own HTTP connection. */
  controller: AbortController | undefined;
}

/** The SDK numbers its own requests from 0 and sends only a few. */
const firstId = 1_000_000;

/**
 * Sends requests without the SDK: results stay as the server wrote them, and a call costs one message each way. A single timer
 * handles the timeouts of all requests.
 */
export class RawLane implements MessageTap {
  readonly maxOutputBytes: number;
  /** Set for the stateless revision: the `_meta` that every request carries. Closing a request's connection cancels it. */
  modern: { envelope: JsonObject } | undefined;
  /** The transport opens an HTTP connection for each request. */
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
      // The answer to a request that was given up.
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
        `${subject(pending, this.#options.server)} returned ${bytes} bytes; the limit is ${this.maxOutputBytes} (max_output_bytes).`,
        { details: { server: this.#options.server, mayHaveRun: true } },
      ),
    );
    return true;
  }

  /** Fails a request that the server did not process. */
  refuse(id: number, reason: string): void {
    const pending = this.#pending.get(id);
    if (pending) this.#fail(pending, this.#unavailable(reason, false));
  }

  /** Returns the tool calls that were sent and not answered yet. */
  running(): PendingRequest[] {
    return [...this.#pending.values()].filter(({ tool, isSent }) => tool !== undefined && isSent);
  }

  isPending({ id }: PendingRequest): boolean {
    return this.#pending.has(id);
  }

  /** Calls the listener after every request that has ended, successfully or not. Returns a function that removes it. */
  onRequestEnded(listener: () => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  /** Pauses the timeout of a call while the server waits for us. Returns a function that restarts it. */
  pauseTimeout(pending: PendingRequest): () => void {
    pending.deadline = Number.POSITIVE_INFINITY;
    return () => {
      pending.deadline = performance.now() + this.#options.timeoutMs;
    };
  }

  /** Fails all pending requests and all later ones. */
  close(reason: string): void {
    if (this.#closedReason !== undefined) return;
    this.#closedReason = reason;
    clearInterval(this.#timer);
    for (const pending of [...this.#pending.values()]) {
      const { isSent } = pending;
      // Bypasses the queue, so that no waiting call starts now.
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
          this.#fail(pending, this.#interrupted(pending, 'It closed the connection of the call without an answer.')),
      })
      .catch((error) => this.#fail(pending, error));
  }

  #metaOf({ id, tool, params, meta }: PendingRequest): JsonObject | undefined {
    if (tool !== undefined) return { ...this.modern?.envelope, ...meta, progressToken: id };
    // A request that a surface passes on may have its own `_meta`.
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
      return new HubError('UNAVAILABLE', `${subject(pending, server)} replied with neither a result nor an error.`, {
        details: { server, mayHaveRun: true },
      });
    const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
    const text = foreignText(message ?? '');
    return new HubError('TOOL_ERROR', `${subject(pending, server)} returned an error: ${text || `code ${code}`}`, {
      // Unchanged: redaction may remove what looks like a secret from the details, and would break a URL.
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
      // A client that has disconnected must not block the messages of the others.
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
    const reason =
      why === 'timeout' ? `No answer or progress for ${this.#options.timeoutMs} ms.` : 'The caller cancelled the call.';
    this.#settle(pending);
    pending.reject(why === 'timeout' ? this.#timedOut(pending, isSent) : this.#cancelled(pending, isSent));
    if (!isSent) return;
    // In the stateless revision, closing the request's connection cancels it.
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
      // A server that does not get the notification continues; its answer is dropped.
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
        ? `${subject(pending, server)} sent no answer and no progress for ${timeoutMs} ms (timeout_secs). It may have run.`
        : `${subject(pending, server)} was not called: ${this.#options.maxConcurrentCalls} other calls (max_concurrent_calls) kept running for ${timeoutMs} ms.`,
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
    return new HubError('UNAVAILABLE', `Server "${server}" is no longer connected: ${reason}`, {
      details: { server, mayHaveRun },
    });
  }

  /** The request was sent, and it is not known how far it got. */
  #interrupted({ tool }: RawRequest, reason: string): HubError {
    if (tool === undefined) return this.#unavailable(reason, true);
    const { server } = this.#options;
    const message = `Tool "${tool}" of server "${server}" may have run and is not called again: the server is no longer connected. ${reason}`;
    return new HubError('UNAVAILABLE', message, { details: { server, tool, mayHaveRun: true } });
  }
}

function subject({ tool, method }: RawRequest, server: string): string {
  return tool === undefined ? `Server "${server}" (${method})` : `Tool "${tool}" of server "${server}"`;
}

function isSmall(data: unknown): boolean {
  return data !== undefined && JSON.stringify(data).length <= 10_000;
}

/** Limits how many calls run at once; the others wait in order. */
class CallQueue {
  readonly #limit: number;
  readonly #waiting: Set<() => void> = new Set();
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Runs `start` now or later. Returns a function that removes it from the queue; that function returns false if it has started. */
  enter(start: () => void): () => boolean {
    if (this.#running < this.#limit) {
      this.#running += 1;
      start();
      return neverWaited;
    }
    this.#waiting.add(start);
    return () => this.#waiting.delete(start);
  }

  /** Ends one running call and starts the next. */
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
