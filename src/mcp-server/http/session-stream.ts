import type { ServerResponse } from 'node:http';
import type { McpServer } from '../mcp-server.ts';
import { changesForSession, everyChange } from '../methods/listen.ts';
import type { Peer } from '../protocol/exchange.ts';
import type { SessionMail } from '../sessions/session-mail.ts';
import type { SessionMessage } from '../sessions/session-store.ts';
import type { McpView } from '../view.ts';
import type { EventPlace } from './event-ids.ts';
import type { EventStream } from './event-stream.ts';

const maxMissed = 100;
/** How long to wait for the notifications that another process has kept. */
const handoverMs = 5_000;

export interface SessionStreamParts {
  sessionId: string;
  server: McpServer;
  view: McpView;
  peer: Peer;
  mail: SessionMail;
  /** Whether this process starts as the keeper. */
  isKeeper: boolean;
  open(response: ServerResponse): EventStream;
  /** Whether another process has ended, as far as that is known at once. */
  isGone(process: string): Promise<boolean>;
}

/**
 * The stream of a session, for messages that belong to no request. One process at a time is its keeper: the one that had the stream
 * last, or at first the one that began the session. Only the keeper watches for changes. It sends each notification once, or
 * keeps it while no stream is open. A process that a client opens the stream at asks the keeper to hand over what it has kept. If there is
 * no reply, the keeper is gone, and the client is told that everything may have changed.
 */
export class SessionStream {
  readonly #parts: SessionStreamParts;
  #isKeeper = false;
  /** The number of the message with which this process became the keeper. */
  #since = 0;
  #becoming: Promise<void> = Promise.resolve();
  #handoverTimer: NodeJS.Timeout | undefined;
  #stopChanges: (() => void) | undefined;
  /** The connected stream. */
  #connected: EventStream | undefined;
  /** The same stream, remembered after its connection is lost, so that the client can resume it. */
  #last: EventStream | undefined;
  /** Notifications that no stream was open for, without duplicates. */
  #missed = new Set<string>();
  onLost: () => void = () => {};

  constructor(parts: SessionStreamParts) {
    this.#parts = parts;
    if (parts.isKeeper) this.#keep();
  }

  get isConnected(): boolean {
    return this.#connected !== undefined;
  }

  /** Opens the stream and replaces an earlier one. Throws UNAVAILABLE if the keeper cannot be asked. */
  async open(response: ServerResponse, after?: EventPlace): Promise<void> {
    if (!this.#isKeeper) await this.#takeOver(after);
    if (response.destroyed) return;
    // Finishes the earlier stream even if its connection was lost. Otherwise it would be kept forever.
    this.#last?.finish();
    this.#connect(this.#parts.open(response));
  }

  /** Whether this is the stream of the session. */
  is(stream: EventStream): boolean {
    return stream === this.#last;
  }

  /** Continues the stream on a new connection. */
  resume(stream: EventStream, response: ServerResponse, afterNumber: number): void {
    stream.resume(response, afterNumber);
    if (this.is(stream)) this.#connect(stream);
  }

  /** Sends a message that belongs to no request. It waits until a stream is open. */
  notify(text: string): void {
    const { mail, sessionId } = this.#parts;
    if (!this.#isKeeper) mail.post(sessionId, { kind: 'notify', text });
    else if (this.#connected && !this.#handoverTimer) this.#connected.send(text);
    else if (this.#missed.size < maxMissed) this.#missed.add(text);
  }

  /** Handles a notification from another process. The message's number tells which keeper it was meant for. */
  notifyFor(text: string, number: number): void {
    if (this.#isKeeper && number > this.#since) this.notify(text);
  }

  /** Hands over to a process at which the client has opened the stream. */
  async handOver(
    to: string,
    { after }: Extract<SessionMessage, { kind: 'listening' }>,
    number: number,
    streams: ReadonlyMap<string, EventStream>,
  ): Promise<void> {
    await this.#becoming;
    if (!this.#isKeeper || number < this.#since) return;
    const unseen = after ? (streams.get(after.stream)?.after(after.number) ?? []) : [];
    const texts = new Set([...unseen.map(({ text }) => text), ...this.#missed]);
    this.close();
    this.#parts.mail.post(this.#parts.sessionId, { kind: 'handover', texts: [...texts].slice(-maxMissed) }, to);
  }

  /** Receives the notifications that the former keeper has kept. */
  takeMissed(texts: readonly string[]): void {
    if (!this.#isKeeper || !this.#handoverTimer) return;
    this.#missed = new Set([...texts, ...this.#missed]);
    this.#endHandover();
  }

  keepAlive(): void {
    this.#connected?.keepAlive();
  }

  close(): void {
    this.#isKeeper = false;
    this.#stopChanges?.();
    this.#stopChanges = undefined;
    clearTimeout(this.#handoverTimer);
    this.#handoverTimer = undefined;
    this.#last?.finish();
    this.#last = undefined;
    this.#connected = undefined;
    this.#missed = new Set();
  }

  #keep(): void {
    const { server, view, peer } = this.#parts;
    this.#isKeeper = true;
    this.#stopChanges ??= server.changes.on(view, (changes) => {
      for (const text of changesForSession(peer, changes)) this.notify(text);
    });
  }

  async #takeOver(after: EventPlace | undefined): Promise<void> {
    const { mail, sessionId } = this.#parts;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#becoming = promise;
    try {
      // From now on, so that no change is missed in between.
      this.#keep();
      this.#handoverTimer = setTimeout(() => this.#assumeChanges(), handoverMs).unref();
      const place = after && { stream: after.stream, number: after.number };
      this.#since = await mail.send(sessionId, { kind: 'listening', after: place });
      if (after) void this.#stopWaitingFor(after.process);
    } catch (error) {
      this.close();
      throw error;
    } finally {
      resolve();
    }
  }

  /** Does not wait for a process that has ended. */
  async #stopWaitingFor(process: string): Promise<void> {
    const isGone = await this.#parts.isGone(process).catch(() => false);
    if (isGone && this.#handoverTimer) this.#assumeChanges();
  }

  /** The former keeper does not reply, so nobody knows what has changed. */
  #assumeChanges(): void {
    const { peer, view } = this.#parts;
    for (const text of changesForSession(peer, everyChange(view, peer))) this.#missed.add(text);
    this.#endHandover();
  }

  #endHandover(): void {
    clearTimeout(this.#handoverTimer);
    this.#handoverTimer = undefined;
    this.#sendMissed();
  }

  #connect(stream: EventStream): void {
    this.#connected = stream;
    this.#last = stream;
    stream.onLost = () => {
      if (this.#connected === stream) this.#connected = undefined;
      this.onLost();
    };
    if (!this.#handoverTimer) this.#sendMissed();
  }

  #sendMissed(): void {
    if (!this.#connected) return;
    const missed = this.#missed;
    this.#missed = new Set();
    for (const text of missed) this.#connected.send(text);
  }
}
