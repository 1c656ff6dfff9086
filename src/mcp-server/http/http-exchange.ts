import type { ServerResponse } from 'node:http';
import { LazyAbort } from '../../base/abort.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Answer } from '../mcp-server.ts';
import { type Exchange, eitherOf, type Peer } from '../protocol/exchange.ts';
import type { RpcRequest } from '../protocol/protocol.ts';
import { type EventSink, EventStream } from './event-stream.ts';

/** How to reply to a POST. */
export interface ResponseOptions {
  /** A sink if the client is connected to another process. */
  response: ServerResponse | EventSink;
  acceptsEvents: boolean;
  acceptsJson: boolean;
  headers?: Record<string, string> | undefined;
  /** Returns the name of a resumable stream. */
  resumableAs?: ((request: RpcRequest) => string) | undefined;
  onStream?: ((stream: EventStream) => void) | undefined;
  /** Keeps the result of a resumable stream whose client has disconnected. */
  onUnread?: ((stream: EventStream) => void) | undefined;
  /** Sends a message that belongs to no request. */
  notify?: ((text: string) => void) | undefined;
  ask?:
    | ((
        question: { method: string; params: JsonObject; signal: AbortSignal },
        send: (text: string) => void,
      ) => Promise<JsonObject>)
    | undefined;
}

/** One POSTed request. The reply is plain JSON, unless notifications or questions precede the result. */
export class HttpExchange implements Exchange {
  readonly request: RpcRequest;
  readonly peer: Peer;
  readonly abort = new LazyAbort();
  readonly startedAt = Date.now();
  isAnswered = false;
  readonly #options: ResponseOptions;
  #stream: EventStream | undefined;

  constructor(request: RpcRequest, peer: Peer, options: ResponseOptions) {
    this.request = request;
    this.peer = peer;
    this.#options = options;
    if (!options.acceptsJson) this.#events();
  }

  get ask(): Exchange['ask'] {
    const { ask } = this.#options;
    if (!ask || !this.#options.acceptsEvents) return undefined;
    return (method, params, signal) =>
      ask({ method, params, signal: eitherOf(this.abort.signal, signal) }, (text) => this.#send(text));
  }

  get release(): Exchange['release'] {
    return this.#options.resumableAs ? () => this.#events()?.release() : undefined;
  }

  notify(text: string): void {
    if (!this.abort.isAborted) this.#events()?.send(text);
  }

  /** Keeps proxies from closing the connection of a long call. */
  keepAlive(): void {
    this.#events()?.keepAlive();
  }

  finish(answer: Answer): void {
    this.isAnswered = true;
    const { response, headers } = this.#options;
    if (this.#stream) {
      if (!this.abort.isAborted) {
        this.#stream.send(answer.text);
        if (!this.#stream.isConnected) this.#options.onUnread?.(this.#stream);
      }
      this.#stream.finish();
    } else if ('headersSent' in response && !response.headersSent) {
      sendJson(response, answer.status, answer.text, headers);
    }
  }

  /** Sends a question or its cancellation, which can come after the request was cancelled or answered. */
  #send(text: string): void {
    if (this.isAnswered) this.#options.notify?.(text);
    else this.#events()?.send(text);
  }

  #events(): EventStream | undefined {
    const { response, acceptsEvents, resumableAs, headers, onStream } = this.#options;
    if (!this.#stream && acceptsEvents && isOpen(response)) {
      this.#stream = new EventStream(response, { resumableAs: resumableAs?.(this.request), headers });
      onStream?.(this.#stream);
    }
    return this.#stream;
  }
}

function isOpen(response: ServerResponse | EventSink): boolean {
  return 'keepAlive' in response || (!response.headersSent && !response.destroyed);
}

/** The headers of JSON replies. The security headers of pages are left out, because browsers do not render these replies. */
const jsonHeaders = [
  ...['Content-Type', 'application/json'],
  ...['Cache-Control', 'no-store'],
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
];

export function sendJson(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const length = Buffer.byteLength(text);
  const list = [...jsonHeaders, 'Content-Length', String(length)];
  for (const name in headers) list.push(name, headers[name] ?? '');
  response.writeHead(status, list);
  // ASCII-only text is sent as latin1, so that Node writes head and body in one piece.
  response.end(text, length === text.length ? 'latin1' : 'utf8');
}

/** Returns a signal that aborts when the client has disconnected. */
export function lossOf(response: ServerResponse): AbortSignal {
  const lost = new AbortController();
  response.once('close', () => lost.abort());
  return lost.signal;
}

/** Passes on the reply at the end of a stream, or undefined if it ends without one, for a client that accepts no events. */
export class ReplySink implements EventSink {
  readonly #onEnd: (reply: string | undefined) => void;
  #text = '';
  onLost: () => void = () => {};

  constructor(onEnd: (reply: string | undefined) => void) {
    this.#onEnd = onEnd;
  }

  write(text: string): void {
    this.#text += text;
  }

  keepAlive(): void {}

  end(): void {
    const [last] = this.#text.match(/(?<=^data: ).+$/gm)?.slice(-1) ?? [];
    // The last message is a notification or a question if the call was lost.
    const isReply = last !== undefined && !('method' in JSON.parse(last));
    this.#onEnd(isReply ? last : undefined);
  }
}
