import type { ServerResponse } from 'node:http';
import { HubError } from '../../base/hub-error.ts';
import { SlotMap } from '../../base/slots.ts';
import type { McpServer } from '../mcp-server.ts';
import { type Peer, sessionPeer } from '../protocol/exchange.ts';
import { PendingQuestions } from '../protocol/pending-questions.ts';
import {
  errorText,
  type RpcId,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  readMessage,
} from '../protocol/protocol.ts';
import type { SessionMail } from '../sessions/session-mail.ts';
import type { McpSessionStore, ReceivedMessage, SessionState, StateChange } from '../sessions/session-store.ts';
import { type OpenedToken, rowsExpireAt } from '../sessions/session-token.ts';
import type { McpView } from '../view.ts';
import { callStreamName, readEventId, sessionStreamName } from './event-ids.ts';
import { type EventSink, EventStream } from './event-stream.ts';
import { type HttpExchange, ReplySink } from './http-exchange.ts';
import { lostCall, RemoteStreams, unknownStream } from './remote-streams.ts';
import { SessionStream } from './session-stream.ts';

const maxFinishedStreams = 16;
/** A cancellation with a longer id is not passed on to other processes. */
const maxCancelledIdLength = 200;

export interface HttpSessionParts {
  server: McpServer;
  view: McpView;
  mail: SessionMail;
  store: McpSessionStore;
  token: string;
  opened: OpenedToken;
  /** What another process has stored. Undefined for a session that begins here. */
  state: SessionState | undefined;
  /** Runs a call whose client is connected to another process. */
  run(session: HttpSession, request: RpcRequest, sink: EventSink): void;
}

/** The session of a client in this process, in the revisions that have sessions. The same session may exist in other processes, too. */
export class HttpSession {
  readonly id: string;
  readonly token: string;
  readonly view: McpView;
  readonly peer: Peer;
  readonly headers: Record<string, string>;
  readonly running = new SlotMap<RpcId, HttpExchange>();
  readonly stream: SessionStream;
  usedAt = Date.now();
  readonly #parts: HttpSessionParts;
  readonly #remote: RemoteStreams;
  /** The resumable streams of this process, by name. */
  readonly #streams = new Map<string, EventStream>();
  #questions: PendingQuestions | undefined;
  #count = 0;
  /** Whether this process has the conversation of the session. */
  #isHome = false;
  #findingHome: Promise<string> | undefined;

  constructor(parts: HttpSessionParts) {
    const { server, view, mail, store, token, opened, state } = parts;
    this.#parts = parts;
    this.id = opened.id;
    this.token = token;
    this.view = view;
    this.headers = { 'mcp-session-id': token };
    const stored = (change: StateChange) => store.change(this.id, change, rowsExpireAt(opened.issuedAt));
    this.peer = { ...sessionPeer(stored), version: opened.version, capabilities: opened.capabilities };
    if (state) this.setState(state);
    this.stream = new SessionStream({
      sessionId: this.id,
      server,
      view,
      peer: this.peer,
      mail,
      isKeeper: state === undefined,
      open: (response) => this.#openStream(response),
      isGone: (process) => store.isGone(process),
    });
    this.stream.onLost = () => {
      this.usedAt = Date.now();
    };
    this.#remote = new RemoteStreams({ sessionId: this.id, mail, store, headers: this.headers });
  }

  get isBusy(): boolean {
    return this.isWorking || this.stream.isConnected;
  }

  /** Whether a call runs, here or in another process. */
  get isWorking(): boolean {
    return this.running.size > 0 || !this.#remote.isEmpty;
  }

  get questions(): PendingQuestions {
    this.#questions ??= new PendingQuestions(`zoo-${this.#parts.store.process()}-`);
    return this.#questions;
  }

  setState({ logLevel, uris }: SessionState): void {
    if (logLevel !== undefined) this.peer.logLevel = logLevel;
    this.peer.subscriptions.clear();
    for (const uri of uris) this.peer.subscriptions.add(uri);
  }

  /** Forgets a finished request, unless the client has reused its id for a newer one. */
  finish(exchange: HttpExchange): void {
    const { id } = exchange.request;
    if (this.running.get(id) === exchange) this.running.delete(id);
  }

  /** Takes a reply or a notification of the client. Passes on what another process waits for. Throws UNAVAILABLE. */
  async take(message: RpcResponse | RpcNotification): Promise<void> {
    const { mail } = this.#parts;
    if (message.kind === 'response') {
      const asker = /^zoo-([0-9a-f]{16})-\d+$/.exec(String(message.id))?.[1];
      if (asker === undefined || asker === this.#parts.store.process()) return this.#questions?.settle(message);
      await mail.send(this.id, { kind: 'replied', response: JSON.stringify(toWire(message)) }, asker);
      return;
    }
    const { requestId } = message.params;
    if (message.method !== 'notifications/cancelled') return;
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
    const exchange = this.running.get(requestId);
    if (exchange) exchange.abort.abort();
    else await this.#cancelElsewhere(requestId);
  }

  async #cancelElsewhere(requestId: RpcId): Promise<void> {
    if (String(requestId).length > maxCancelledIdLength) return;
    const { mail, store } = this.#parts;
    const others = await store.others(this.id);
    await Promise.all(others.map((each) => mail.send(this.id, { kind: 'cancelled', requestId }, each)));
  }

  /**
   * Returns the process that has the conversation of the session: this one, if the conversation begins now. Throws UNAVAILABLE if the
   * conversation is lost; the next call begins a new one.
   */
  async home(): Promise<string> {
    if (this.#isHome) return this.#parts.store.process();
    this.#findingHome ??= this.#findHome().finally(() => {
      this.#findingHome = undefined;
    });
    return this.#findingHome;
  }

  async #findHome(): Promise<string> {
    const { store } = this.#parts;
    const { process, isNew } = await store.claim(this.id, this.#expiresAt);
    if (!isNew && process !== store.process() && !(await store.isGone(process))) return process;
    if (!isNew) await this.#moveHome(process);
    this.#isHome = true;
    if (isNew) return process;
    const message =
      'The conversation of this session is lost, because its process has ended or has forgotten it. Call again to begin a new one.';
    throw new HubError('UNAVAILABLE', message, { details: { mayHaveRun: false } });
  }

  /** Lets the process that has the conversation run a call. Throws UNAVAILABLE. */
  async forward(sink: EventSink, request: RpcRequest, to: string): Promise<void> {
    const onUnanswered = () => void this.#moveHome(to).catch(() => {});
    await this.#remote.forward(sink, { request, to, onUnanswered });
  }

  /** Does the same, and returns the reply; an empty text if the client disconnects first. Throws UNAVAILABLE. */
  async askElsewhere(request: RpcRequest, to: string, lost: AbortSignal): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    const sink = new ReplySink((reply) => resolve(reply ?? errorText(request.id, lostCall())));
    lost.addEventListener('abort', () => {
      sink.onLost();
      resolve('');
    });
    await this.forward(sink, request, to);
    return promise;
  }

  async #moveHome(from: string): Promise<void> {
    const { process } = await this.#parts.store.claim(this.id, this.#expiresAt, from);
    this.#isHome = process === this.#parts.store.process();
  }

  get #expiresAt(): number {
    return rowsExpireAt(this.#parts.opened.issuedAt);
  }

  /** Handles a message from another process that has the session. */
  receive({ id, from, message }: ReceivedMessage): void {
    switch (message.kind) {
      case 'cancelled':
        this.running.get(message.requestId)?.abort.abort();
        break;
      case 'replied': {
        const response = readMessage(JSON.parse(message.response));
        if (response.kind === 'response') this.#questions?.settle(response);
        break;
      }
      case 'notify':
        this.stream.notifyFor(message.text, id);
        break;
      case 'listening':
        void this.stream.handOver(from, message, id, this.#streams);
        break;
      case 'handover':
        this.stream.takeMissed(message.texts);
        break;
      case 'call': {
        const request = readMessage(JSON.parse(message.request));
        const sink = this.#remote.accept(from, message);
        if (request.kind === 'request') this.#parts.run(this, request, sink);
        break;
      }
      case 'resume':
        this.#remote.relay(from, message, this.#streams.get(message.stream));
        break;
      case 'events':
        this.#remote.receive(message);
        break;
      case 'left':
        this.#remote.leave(message);
    }
  }

  /** False for older revisions: their clients cannot handle the empty first event of a resumable stream. */
  get canResume(): boolean {
    return this.peer.version >= '2025-11-25';
  }

  /** Returns the name of the stream of a call. */
  nameStream({ id }: RpcRequest): string {
    const { store } = this.#parts;
    // Clients that resume the stream elsewhere ask whether this process still runs.
    store.keep();
    this.#count += 1;
    return callStreamName(store.process(), this.#count, id);
  }

  keepStream(name: string, stream: EventStream): void {
    this.#streams.set(name, stream);
    const finished = [...this.#streams].filter(([, each]) => each.isFinished);
    for (const [old] of finished.slice(0, Math.max(0, finished.length - maxFinishedStreams))) this.#streams.delete(old);
  }

  /** Keeps the result of a call whose client has disconnected, so that it can get the result from any process. */
  keepResult(name: string, stream: EventStream): void {
    this.#parts.mail.keepEvents(this.id, name, JSON.stringify(stream.after(0)));
  }

  /** Continues a stream after the last event that the client received. Throws 404 for an unknown stream, and UNAVAILABLE. */
  async resume(response: ServerResponse, lastEventId: string): Promise<void> {
    const place = readEventId(lastEventId);
    if (!place) throw unknownStream();
    const stream = this.#streams.get(place.stream);
    if (stream) return this.stream.resume(stream, response, place.number);
    if (!place.isSessionStream) return this.#remote.show(response, place);
    if (place.process === this.#parts.store.process()) throw unknownStream();
    await this.stream.open(response, place);
  }

  keepAlive(): void {
    this.stream.keepAlive();
    this.#remote.keepAlive();
  }

  close(): void {
    this.stream.close();
    this.#questions?.close();
    for (const exchange of this.running.values()) exchange.abort.abort();
    this.peer.connection?.abort();
    for (const stream of this.#streams.values()) stream.finish();
    this.#remote.close();
  }

  #openStream(response: ServerResponse): EventStream {
    if (!this.canResume) return new EventStream(response, { headers: this.headers });
    this.#count += 1;
    const name = sessionStreamName(this.#parts.store.process(), this.#count);
    const stream = new EventStream(response, { resumableAs: name, headers: this.headers });
    this.keepStream(name, stream);
    return stream;
  }
}

/** Returns a reply as the client sent it. */
function toWire({ id, result, error }: RpcResponse): object {
  return { jsonrpc: '2.0', id, ...(result ? { result } : { error }) };
}
