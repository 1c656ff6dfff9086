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

/** A client of a revision with sessions, between its requests. */
export class HttpSession {
  readonly id = randomUUID();
  readonly view: McpView;
  readonly peer: Peer = sessionPeer();
  readonly questions = new PendingQuestions();
  readonly running = new SlotMap<RpcId, HttpExchange>();
  usedAt = Date.now();
  readonly #streams = new Map<string, EventStream>();
  readonly #stopChanges: () => void;
  #own: EventStream | undefined;
  /** The client's own stream stays known when its connection is lost, so that it can be taken up again. */
  #lastOwn: EventStream | undefined;
  /** Notifications that nobody was there to hear; each is worth saying once. */
  #missed = new Set<string>();
  #count = 0;

  constructor(server: McpServer, view: McpView) {
    this.view = view;
    this.#stopChanges = server.changes.on(view, (changes) => {
      for (const text of changesForSession(this.peer, changes)) this.tell(text);
    });
  }

  get isBusy(): boolean {
    return this.running.size > 0 || this.#own !== undefined;
  }

  /** A client may have used an id twice; the newer request keeps it. */
  ended(exchange: HttpExchange): void {
    const { id } = exchange.request;
    if (this.running.get(id) === exchange) this.running.delete(id);
  }

  nextStreamName(): string {
    this.#count += 1;
    return `s${this.#count}`;
  }

  /** Older clients stumble over the numbered, empty first event. */
  get canResume(): boolean {
    return this.peer.version >= '2025-11-25';
  }

  keepStream(name: string, stream: EventStream): void {
    this.#streams.set(name, stream);
    const finished = [...this.#streams].filter(([, each]) => each.isFinished);
    for (const [old] of finished.slice(0, Math.max(0, finished.length - maxFinishedStreams))) this.#streams.delete(old);
  }

  /** The client listens for what is not an answer. A second listener takes over from the first. */
  listen(response: ServerResponse): void {
    // Also where its connection was lost: a stream without an end would be kept for ever.
    this.#lastOwn?.finish();
    const name = this.canResume ? this.nextStreamName() : undefined;
    const stream = new EventStream(response, { resumableAs: name, headers: this.headers });
    if (name !== undefined) this.keepStream(name, stream);
    this.#listenOn(stream);
  }

  /** Continues a stream after the event the client saw last. Throws 404 for one that is not kept. */
  resume(response: ServerResponse, lastEventId: string): void {
    const match = /^(s\d{1,15})-(\d{1,15})$/.exec(lastEventId);
    const stream = match?.[1] === undefined ? undefined : this.#streams.get(match[1]);
    if (!stream) {
      throw new RpcError(rpcCodes.refused, 'There is nothing to resume after this Last-Event-ID.', { status: 404 });
    }
    stream.resume(response, Number(match?.[2]));
    if (stream === this.#lastOwn) this.#listenOn(stream);
  }

  get headers(): Record<string, string> {
    return { 'mcp-session-id': this.id };
  }

  keepAlive(): void {
    this.#own?.keepAlive();
  }

  /** Sends something that belongs to no request; where nobody listens, it waits for whoever does next. */
  tell(text: string): void {
    if (this.#own) this.#own.send(text);
    else if (this.#missed.size < maxMissed) this.#missed.add(text);
  }

  close(): void {
    this.#stopChanges();
    this.questions.close();
    for (const exchange of this.running.values()) exchange.abort.abort();
    this.peer.connection?.abort();
    for (const stream of this.#streams.values()) stream.finish();
    this.#own?.finish();
  }

  #listenOn(stream: EventStream): void {
    this.#own = stream;
    this.#lastOwn = stream;
    stream.onLost = () => {
      if (this.#own === stream) this.#own = undefined;
      this.usedAt = Date.now();
    };
    for (const text of this.#missed) stream.send(text);
    this.#missed = new Set();
  }
}

/** The sessions of one HTTP address. Their number and their age are bounded. */
export class HttpSessions {
  readonly #sessions = new Map<string, HttpSession>();

  /** Throws 503 when every session is in use. */
  create(server: McpServer, view: McpView): HttpSession {
    if (this.#sessions.size >= maxSessions) this.#makeRoom();
    const session = new HttpSession(server, view);
    this.#sessions.set(session.id, session);
    return session;
  }

  /** The session stays the newest while it is used. Throws 404. */
  get(id: string): HttpSession {
    const session = this.#sessions.get(id);
    if (!session) {
      const message = 'This session has ended. Begin a new one with initialize.';
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
      (found, each) => (found && found.usedAt <= each.usedAt ? found : each),
      undefined,
    );
    if (!oldest)
      throw new RpcError(rpcCodes.refused, 'Too many clients are connected. Try again later.', { status: 503 });
    this.delete(oldest);
  }
}
