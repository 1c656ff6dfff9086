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

/** Where the events of a stream go: a client's connection, or another process that has it. */
export interface EventSink {
  /** Called when the client has disconnected. */
  onLost: () => void;
  write(text: string): void;
  keepAlive(): void;
  end(): void;
}

/** A client's connection to this process. */
export class ResponseSink implements EventSink {
  readonly #response: ServerResponse;
  onLost: () => void = () => {};

  constructor(response: ServerResponse, additionalHeaders: Record<string, string> = {}) {
    this.#response = response;
    response.on('close', () => this.onLost());
    response.writeHead(200, { ...headers, ...additionalHeaders });
    response.flushHeaders();
  }

  write(text: string): void {
    // The stream of a member whose token was revoked is ended from outside.
    if (this.#response.writableEnded) return;
    this.#response.write(text);
    if (this.#response.writableLength > maxUnreadBytes) this.#response.destroy();
  }

  keepAlive(): void {
    this.write(stillHere);
  }

  end(): void {
    this.#response.end();
  }
}

export interface BufferedEvent {
  number: number;
  /** JSON. */
  text: string;
}

/** The server-sent events of one request or session. A resumable stream outlives its connection. */
export class EventStream {
  readonly #name: string | undefined;
  readonly #headers: Record<string, string>;
  #sink: EventSink | undefined;
  #buffered: BufferedEvent[] = [];
  #bufferedCharacters = 0;
  #number = 0;
  #isFinished = false;
  onLost: () => void = () => {};

  constructor(response: ServerResponse | EventSink, options: StreamOptions = {}) {
    this.#name = options.resumableAs;
    this.#headers = options.headers ?? {};
    this.#attach('keepAlive' in response ? response : new ResponseSink(response, this.#headers));
    // An empty event gives the client an id to resume from before the first real event.
    if (this.#name !== undefined) this.#sink?.write(eventText({ id: `${this.#name}-0`, retry: retryMs, data: '' }));
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  get isConnected(): boolean {
    return this.#sink !== undefined;
  }

  get isResumable(): boolean {
    return this.#name !== undefined;
  }

  send(text: string): void {
    this.#number += 1;
    if (this.#name !== undefined) this.#keep(text);
    this.#sink?.write(this.#event(this.#number, text));
  }

  finish(): void {
    this.#isFinished = true;
    this.release();
  }

  /** Ends the connection. The stream continues, and the client can resume it. */
  release(): void {
    const sink = this.#sink;
    this.#sink = undefined;
    sink?.end();
  }

  /** Continues on a new connection, after the last event that the client received. */
  resume(response: ServerResponse, afterNumber: number): void {
    this.resumeOn(new ResponseSink(response, this.#headers), afterNumber);
  }

  resumeOn(sink: EventSink, afterNumber: number): void {
    this.release();
    this.#attach(sink);
    for (const { number, text } of this.after(afterNumber)) sink.write(this.#event(number, text));
    if (this.#isFinished) this.release();
  }

  /** Returns the kept events after this number. */
  after(afterNumber: number): BufferedEvent[] {
    return this.#buffered.filter(({ number }) => number > afterNumber);
  }

  keepAlive(): void {
    this.#sink?.keepAlive();
  }

  #attach(sink: EventSink): void {
    this.#sink = sink;
    sink.onLost = () => {
      if (this.#sink !== sink) return;
      this.#sink = undefined;
      this.onLost();
    };
  }

  #event(number: number, text: string): string {
    return messageEvent(this.#name, number, text);
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
}

/** Returns an event with a message. It has an id if the stream is resumable. */
export function messageEvent(stream: string | undefined, number: number, text: string): string {
  return eventText({ ...(stream && { id: `${stream}-${number}` }), type: 'message', data: text });
}
