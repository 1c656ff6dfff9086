import type { ServerResponse } from 'node:http';
import { eventText, stillHere } from '../../base/write-events.ts';

const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** How long a client waits before it reconnects to resume a stream. */
const retryMs = 500;
const maxBufferedEvents = 200;
const maxBufferedCharacters = 4 * 1024 * 1024;
/** Disconnects a client that does not read, before its unread events fill the memory. */
const maxUnreadBytes = 16 * 1024 * 1024;

interface StreamOptions {
  /** The name of a resumable stream. Its events are numbered and the newest are kept, so that the client can reconnect with `Last-Event-ID`. */
  resumableAs?: string | undefined;
  headers?: Record<string, string> | undefined;
}

/** The server-sent events of one request or session. A resumable stream outlives its connection. */
export class EventStream {
  readonly #name: string | undefined;
  readonly #headers: Record<string, string>;
  #response: ServerResponse | undefined;
  #buffered: { number: number; text: string }[] = [];
  #bufferedCharacters = 0;
  #number = 0;
  #isFinished = false;
  onLost: () => void = () => {};

  constructor(response: ServerResponse, options: StreamOptions = {}) {
    this.#name = options.resumableAs;
    this.#headers = options.headers ?? {};
    this.#attach(response);
    // An empty event gives the client an id to resume from before the first real event.
    if (this.#name !== undefined) this.#write(eventText({ id: `${this.#name}-0`, retry: retryMs, data: '' }));
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  get isConnected(): boolean {
    return this.#response !== undefined;
  }

  get isResumable(): boolean {
    return this.#name !== undefined;
  }

  send(text: string): void {
    this.#number += 1;
    if (this.#name !== undefined) this.#keep(text);
    this.#write(this.#event(this.#number, text));
  }

  finish(): void {
    this.#isFinished = true;
    this.release();
  }

  /** Ends the connection. The stream continues, and the client can resume it. */
  release(): void {
    const response = this.#response;
    this.#response = undefined;
    response?.end();
  }

  /** Continues on a new connection, after the last event that the client received. */
  resume(response: ServerResponse, afterNumber: number): void {
    this.release();
    this.#attach(response);
    for (const { number, text } of this.#buffered) if (number > afterNumber) this.#write(this.#event(number, text));
    if (this.#isFinished) this.release();
  }

  keepAlive(): void {
    this.#write(stillHere);
  }

  #attach(response: ServerResponse): void {
    this.#response = response;
    response.on('close', () => {
      if (this.#response !== response) return;
      this.#response = undefined;
      this.onLost();
    });
    response.writeHead(200, { ...headers, ...this.#headers });
    response.flushHeaders();
  }

  #event(number: number, text: string): string {
    return eventText({ ...(this.#name && { id: `${this.#name}-${number}` }), type: 'message', data: text });
  }

  #keep(text: string): void {
    this.#buffered.push({ number: this.#number, text });
    this.#bufferedCharacters += text.length;
    while (
      this.#buffered.length > 1 &&
      (this.#buffered.length > maxBufferedEvents || this.#bufferedCharacters > maxBufferedCharacters)
    ) {
      this.#bufferedCharacters -= this.#buffered.shift()?.text.length ?? 0;
    }
  }

  #write(text: string): void {
    // The stream of a member whose token was revoked is ended from outside.
    if (!this.#response || this.#response.writableEnded) return;
    this.#response.write(text);
    if (this.#response.writableLength > maxUnreadBytes) this.#response.destroy();
  }
}
