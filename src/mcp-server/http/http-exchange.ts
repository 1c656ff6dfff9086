import type { ServerResponse } from 'node:http';
import type { JsonObject } from '../../base/json.ts';
import { LazyAbort } from '../../base/lazy-abort.ts';
import type { Answer } from '../mcp-server.ts';
import { type Exchange, eitherOf, type Peer } from '../protocol/exchange.ts';
import type { RpcRequest } from '../protocol/protocol.ts';
import { EventStream } from './event-stream.ts';

/** How the client behind a POST can be answered. */
export interface ResponseOptions {
  response: ServerResponse;
  acceptsEvents: boolean;
  acceptsJson: boolean;
  headers?: Record<string, string> | undefined;
  /** Names the stream where it can be resumed. */
  resumableAs?: (() => string) | undefined;
  onStream?: ((stream: EventStream) => void) | undefined;
  /** Tells the client something beside its requests. */
  tell?: ((text: string) => void) | undefined;
  ask?:
    | ((
        question: { method: string; params: JsonObject; signal: AbortSignal },
        send: (text: string) => void,
      ) => Promise<JsonObject>)
    | undefined;
}

/** One POSTed request. Answered with plain JSON, unless something has to be said before the result. */
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
      ask({ method, params, signal: eitherOf(this.abort.signal, signal) }, (text) => this.#say(text));
  }

  get release(): Exchange['release'] {
    return this.#options.resumableAs ? () => this.#events()?.release() : undefined;
  }

  notify(text: string): void {
    if (!this.abort.isAborted) this.#events()?.send(text);
  }

  /** Keeps proxies from giving up on a call that runs long. */
  keepAlive(): void {
    this.#events()?.keepAlive();
  }

  finish(answer: Answer): void {
    this.isAnswered = true;
    const { response, headers } = this.#options;
    if (this.#stream) {
      if (!this.abort.isAborted) this.#stream.send(answer.text);
      this.#stream.finish();
    } else if (!response.headersSent) {
      sendJson(response, answer.status, answer.text, headers);
    }
  }

  /** Sends a question or its withdrawal, which may come when the request is cancelled or has its answer. */
  #say(text: string): void {
    if (this.isAnswered) this.#options.tell?.(text);
    else this.#events()?.send(text);
  }

  #events(): EventStream | undefined {
    const { response, acceptsEvents, resumableAs, headers, onStream } = this.#options;
    if (!this.#stream && acceptsEvents && !response.headersSent && !response.destroyed) {
      this.#stream = new EventStream(response, { resumableAs: resumableAs?.(), headers });
      onStream?.(this.#stream);
    }
    return this.#stream;
  }
}

/** Protects JSON that no browser shows; the headers that protect a page would only make each reply longer. */
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
  // With one byte for each character, head and body leave as they are, in one piece.
  response.end(text, length === text.length ? 'latin1' : 'utf8');
}
