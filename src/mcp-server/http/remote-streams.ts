import type { ServerResponse } from 'node:http';
import { newId } from '../../base/ids.ts';
import { errorText, RpcError, type RpcRequest, requestText, rpcCodes } from '../protocol/protocol.ts';
import type { SessionMail } from '../sessions/session-mail.ts';
import type { McpSessionStore, SessionMessage } from '../sessions/session-store.ts';
import type { EventPlace } from './event-ids.ts';
import { type BufferedEvent, type EventSink, type EventStream, messageEvent, ResponseSink } from './event-stream.ts';

/** How often to check whether the process that runs a call still exists. */
const checkMs = 2_000;
/** How long to wait until that process confirms that it has the stream. */
const confirmMs = 10_000;
const maxUnsentCharacters = 16 * 1024 * 1024;

interface RemoteParts {
  sessionId: string;
  mail: SessionMail;
  store: McpSessionStore;
  headers: Record<string, string>;
}

type Events = Extract<SessionMessage, { kind: 'events' }>;
type RelaySender = (message: Omit<Events, 'kind' | 'relay'>) => Promise<unknown>;

/** The streams of calls whose clients resume them at another process than the one that runs the call. */
export class RemoteStreams {
  readonly #parts: RemoteParts;
  /** Streams of other processes that clients of this one read. */
  readonly #shown = new Map<string, ShownStream>();
  /** Streams of this process that clients of other processes read. */
  readonly #relayed = new Map<string, RelaySink>();

  constructor(parts: RemoteParts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#shown.size === 0;
  }

  /** Shows a client the stream of another process. Throws 404 for a stream that nobody has, and UNAVAILABLE. */
  async show(response: ServerResponse, place: EventPlace): Promise<void> {
    const { sessionId, mail, store, headers } = this.#parts;
    const kept = await store.events(sessionId, place.stream);
    if (kept === undefined && place.process === store.process()) throw unknownStream();
    if (kept !== undefined) {
      if (response.destroyed) return;
      const sink = new ResponseSink(response, headers);
      replay(sink, place, kept);
      return;
    }
    const relay = newId('relay');
    const shown = new ShownStream(place, () => store.events(sessionId, place.stream));
    this.#shown.set(relay, shown);
    shown.onEnd = (isLost) => {
      this.#shown.delete(relay);
      if (isLost) mail.post(sessionId, { kind: 'left', relay }, place.process);
    };
    try {
      const { stream, number: after } = place;
      await mail.send(sessionId, { kind: 'resume', stream, after, relay }, place.process);
    } catch (error) {
      this.#shown.delete(relay);
      throw error;
    }
    if (response.destroyed) shown.onEnd(true);
    else shown.open(new ResponseSink(response, headers), () => store.isGone(place.process));
  }

  /** Lets another process run a call, and shows the client its stream. Throws UNAVAILABLE. */
  async forward(
    sink: EventSink,
    { request, to, onUnanswered }: { request: RpcRequest; to: string; onUnanswered: () => void },
  ): Promise<void> {
    const { sessionId, mail, store } = this.#parts;
    const relay = newId('relay');
    const place = { process: to, stream: '', isSessionStream: false, requestId: request.id, number: 0 };
    const shown = new ShownStream(place, async () => undefined);
    this.#shown.set(relay, shown);
    shown.onUnanswered = onUnanswered;
    shown.onEnd = (isLost) => {
      this.#shown.delete(relay);
      if (isLost) mail.post(sessionId, { kind: 'left', relay }, to);
    };
    const { id, method, params } = request;
    await mail.send(sessionId, { kind: 'call', request: requestText(id, method, params), relay }, to);
    shown.open(sink, () => store.isGone(to));
  }

  /** Returns the sink of a call that another process has forwarded. */
  accept(to: string, { relay }: Extract<SessionMessage, { kind: 'call' }>): EventSink {
    const sink = new RelaySink(this.#sender(to, relay));
    this.#relayed.set(relay, sink);
    sink.onEnd = () => this.#relayed.delete(relay);
    sink.confirm();
    return sink;
  }

  /** Sends the events of a stream to the process that asked for them. */
  relay(
    to: string,
    { relay, after }: Extract<SessionMessage, { kind: 'resume' }>,
    stream: EventStream | undefined,
  ): void {
    const send = this.#sender(to, relay);
    if (!stream) {
      send({ text: '', isOver: true, isUnknown: true }).catch(() => {});
      return;
    }
    const sink = new RelaySink(send);
    this.#relayed.set(relay, sink);
    sink.onEnd = () => this.#relayed.delete(relay);
    stream.resumeOn(sink, after);
    sink.confirm();
  }

  receive(events: Events): void {
    this.#shown.get(events.relay)?.receive(events);
  }

  leave({ relay }: Extract<SessionMessage, { kind: 'left' }>): void {
    this.#relayed.get(relay)?.lose();
  }

  keepAlive(): void {
    for (const shown of this.#shown.values()) shown.keepAlive();
  }

  #sender(to: string, relay: string): RelaySender {
    const { sessionId, mail } = this.#parts;
    return (message) => mail.send(sessionId, { kind: 'events', relay, ...message }, to);
  }

  close(): void {
    for (const shown of [...this.#shown.values()]) shown.end();
  }
}

export function unknownStream(): RpcError {
  return new RpcError(rpcCodes.refused, 'No stream can be resumed from this Last-Event-ID.', { status: 404 });
}

/** Writes the kept events of a finished stream, after the last one that the client received. */
function replay(sink: EventSink, { stream, number: after }: EventPlace, kept: string): void {
  // Written by `keepEvents` of the process that ran the call.
  const events: BufferedEvent[] = JSON.parse(kept);
  for (const { number, text } of events) if (number > after) sink.write(messageEvent(stream, number, text));
  sink.end();
}

/** A stream of another process, as a client of this one reads it. */
class ShownStream {
  readonly #place: EventPlace;
  readonly #kept: () => Promise<string | undefined>;
  #sink: EventSink | undefined;
  #text = '';
  #isOver = false;
  #isUnknown = false;
  #isConfirmed = false;
  #timer: NodeJS.Timeout | undefined;
  onEnd: (isLost: boolean) => void = () => {};
  onUnanswered: () => void = () => {};

  constructor(place: EventPlace, kept: () => Promise<string | undefined>) {
    this.#place = place;
    this.#kept = kept;
  }

  open(sink: EventSink, isGone: () => Promise<boolean>): void {
    this.#sink = sink;
    sink.onLost = () => {
      if (this.#sink) this.#close(true);
    };
    this.#pass();
    if (this.#isOver) return;
    const start = performance.now();
    const check = () => {
      // Its process knows nothing of the session any more, or cannot be reached.
      if (!this.#isConfirmed && performance.now() - start > confirmMs) {
        this.onUnanswered();
        return void this.#giveUp();
      }
      // An error says nothing about the process. The next check follows.
      isGone().then(
        (gone) => (gone ? this.#giveUp() : undefined),
        () => {},
      );
    };
    check();
    this.#timer = setInterval(check, checkMs).unref();
  }

  receive({ text, isOver, isUnknown }: Events): void {
    this.#text += text;
    this.#isConfirmed = true;
    this.#isOver ||= isOver;
    this.#isUnknown ||= isUnknown;
    this.#pass();
  }

  keepAlive(): void {
    this.#sink?.keepAlive();
  }

  end(): void {
    const sink = this.#sink;
    // If it has no sink yet, the one that it gets ends at once.
    this.#isOver = true;
    this.#close(false);
    sink?.end();
  }

  #pass(): void {
    if (!this.#sink) return;
    if (this.#text !== '') this.#sink.write(this.#text);
    this.#text = '';
    if (this.#isUnknown) void this.#giveUp();
    else if (this.#isOver) this.end();
  }

  /** Shows the kept result if there is one. Otherwise tells the client that there will be none. */
  async #giveUp(): Promise<void> {
    const kept = await this.#kept().catch(() => undefined);
    const sink = this.#sink;
    if (!sink) return;
    this.#close(false);
    const { requestId, stream, number } = this.#place;
    if (kept !== undefined) return replay(sink, this.#place, kept);
    if (requestId !== undefined) sink.write(messageEvent(stream, number + 1, errorText(requestId, lostCall())));
    sink.end();
  }

  #close(isLost: boolean): void {
    this.#sink = undefined;
    clearInterval(this.#timer);
    this.onEnd(isLost);
  }
}

export function lostCall(): RpcError {
  return new RpcError(
    rpcCodes.internalError,
    'The result of this call is lost, because its session or the process that ran it has ended. The call may have been carried out: check before you repeat it.',
    { data: { code: 'UNAVAILABLE', retryable: false } },
  );
}

/** Sends the events of a stream to another process, in order, as many at once as have gathered. */
class RelaySink implements EventSink {
  readonly #send: RelaySender;
  #text = '';
  #isOver = false;
  #isSending = false;
  #isClosed = false;
  #isConfirmed = false;
  onLost: () => void = () => {};
  onEnd: () => void = () => {};

  constructor(send: RelaySender) {
    this.#send = send;
  }

  write(text: string): void {
    this.#text += text;
    if (this.#text.length > maxUnsentCharacters) this.lose();
    else void this.#flush();
  }

  /** Sends something even if there are no events yet. */
  confirm(): void {
    void this.#flush();
  }

  /** The other process keeps its client's connection alive. */
  keepAlive(): void {}

  end(): void {
    this.#isOver = true;
    void this.#flush();
  }

  /** The client has disconnected. */
  lose(): void {
    if (this.#isClosed) return;
    this.#close();
    this.onLost();
  }

  async #flush(): Promise<void> {
    if (this.#isSending || this.#isClosed) return;
    this.#isSending = true;
    try {
      while (!this.#isClosed && (this.#text !== '' || this.#isOver || !this.#isConfirmed)) {
        const text = this.#text;
        const isOver = this.#isOver;
        this.#text = '';
        this.#isConfirmed = true;
        await this.#send({ text, isOver, isUnknown: false });
        if (isOver) this.#close();
      }
    } catch {
      // The client reconnects.
      this.lose();
    } finally {
      this.#isSending = false;
    }
  }

  #close(): void {
    this.#isClosed = true;
    this.#text = '';
    this.onEnd();
  }
}
