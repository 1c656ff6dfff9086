import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { SlotMap } from '../../base/slots.ts';
import type { McpServer } from '../mcp-server.ts';
import { changesForSession } from '../methods/listen.ts';
import { type Peer, sessionPeer } from '../protocol/exchange.ts';
import { PendingQuestions } from '../protocol/pending-questions.ts';
import { RpcError, type RpcId, rpcCodes } from '../protocol/protocol.ts';
import type { McpView } from '../view.ts';
import { EventStream } from './event-stream.ts';
import type { HttpExchange } from './http-exchange.ts';

const maxSessions = 1_000;
const idleMs = 30 * 60 * 1000;
const maxFinishedStreams = 16;
const maxMissed = 100;

/** The session of a client, in the revisions that have sessions. */
export class HttpSession {
  readonly id = randomUUID();
  readonly view: McpView;
  readonly peer: Peer = sessionPeer();
  readonly questions = new PendingQuestions();
  readonly running = new SlotMap<RpcId, HttpExchange>();
  usedAt = Date.now();
  readonly #streams = new Map<string, EventStream>();
  readonly #stopChanges: () => void;
  /** The connected stream for messages that belong to no request. */
  #listening: EventStream | undefined;
  /** The same stream, remembered after its connection is lost, so that the client can resume it. */
  #lastListening: EventStream | undefined;
  /** Notifications that no stream was open for, without duplicates. */
  #missed = new Set<string>();
  #count = 0;

  constructor(server: McpServer, view: McpView) {
    this.view = view;
    this.#stopChanges = server.changes.on(view, (changes) => {
      for (const text of changesForSession(this.peer, changes)) this.notify(text);
    });
  }

  get isBusy(): boolean {
    return this.running.size > 0 || this.#listening !== undefined;
  }

  /** Forgets a finished request, unless the client has reused its id for a newer one. */
  finish(exchange: HttpExchange): void {
    const { id } = exchange.request;
    if (this.running.get(id) === exchange) this.running.delete(id);
  }

  nextStreamName(): string {
    this.#count += 1;
    return `s${this.#count}`;
  }

  /** False for older revisions: their clients cannot handle the empty first event of a resumable stream. */
  get canResume(): boolean {
    return this.peer.version >= '2025-11-25';
  }

  keepStream(name: string, stream: EventStream): void {
    this.#streams.set(name, stream);
    const finished = [...this.#streams].filter(([, each]) => each.isFinished);
    for (const [old] of finished.slice(0, Math.max(0, finished.length - maxFinishedStreams))) this.#streams.delete(old);
  }

  /** Opens the stream for messages that belong to no request. Replaces an earlier stream. */
  listen(response: ServerResponse): void {
    // Finishes the earlier stream even if its connection was lost. Otherwise it would be kept forever.
    this.#lastListening?.finish();
    const name = this.canResume ? this.nextStreamName() : undefined;
    const stream = new EventStream(response, { resumableAs: name, headers: this.headers });
    if (name !== undefined) this.keepStream(name, stream);
    this.#listenOn(stream);
  }

  /** Continues a stream after the last event that the client received. Throws 404 for an unknown stream. */
  resume(response: ServerResponse, lastEventId: string): void {
    const match = /^(s\d{1,15})-(\d{1,15})$/.exec(lastEventId);
    const stream = match?.[1] === undefined ? undefined : this.#streams.get(match[1]);
    if (!stream) {
      throw new RpcError(rpcCodes.refused, 'No stream can be resumed from this Last-Event-ID.', { status: 404 });
    }
    stream.resume(response, Number(match?.[2]));
    if (stream === this.#lastListening) this.#listenOn(stream);
  }

  get headers(): Record<string, string> {
    return { 'mcp-session-id': this.id };
  }

  keepAlive(): void {
    this.#listening?.keepAlive();
  }

  /** Sends a message that belongs to no request. It waits until a stream is open. */
  notify(text: string): void {
    if (this.#listening) this.#listening.send(text);
    else if (this.#missed.size < maxMissed) this.#missed.add(text);
  }

  close(): void {
    this.#stopChanges();
    this.questions.close();
    for (const exchange of this.running.values()) exchange.abort.abort();
    this.peer.connection?.abort();
    for (const stream of this.#streams.values()) stream.finish();
    this.#listening?.finish();
  }

  #listenOn(stream: EventStream): void {
    this.#listening = stream;
    this.#lastListening = stream;
    stream.onLost = () => {
      if (this.#listening === stream) this.#listening = undefined;
      this.usedAt = Date.now();
    };
    for (const text of this.#missed) stream.send(text);
    this.#missed = new Set();
  }
}

/** The sessions of one HTTP address, limited in number and idle time. */
export class HttpSessions {
  readonly #sessions = new Map<string, HttpSession>();

  /** Throws 503 if all sessions are in use. */
  create(server: McpServer, view: McpView): HttpSession {
    if (this.#sessions.size >= maxSessions) this.#makeRoom();
    const session = new HttpSession(server, view);
    this.#sessions.set(session.id, session);
    return session;
  }

  /** Returns the session and marks it as used. Throws 404. */
  get(id: string): HttpSession {
    const session = this.#sessions.get(id);
    if (!session) {
      const message = 'This session has ended. Start a new one with initialize.';
      throw new RpcError(rpcCodes.sessionNotFound, message, { status: 404 });
    }
    session.usedAt = Date.now();
    return session;
  }

  delete(session: HttpSession): void {
    this.#sessions.delete(session.id);
    session.close();
  }

  all(): HttpSession[] {
    return [...this.#sessions.values()];
  }

  expire(now: number): void {
    for (const session of this.all()) if (!session.isBusy && now - session.usedAt > idleMs) this.delete(session);
  }

  close(): void {
    for (const session of this.all()) this.delete(session);
  }

  #makeRoom(): void {
    const idle = this.all().filter((session) => !session.isBusy);
    const oldest = idle.reduce<HttpSession | undefined>(
      (oldest, each) => (oldest && oldest.usedAt <= each.usedAt ? oldest : each),
      undefined,
    );
    if (!oldest)
      throw new RpcError(rpcCodes.refused, 'Too many clients are connected. Try again later.', { status: 503 });
    this.delete(oldest);
  }
}
