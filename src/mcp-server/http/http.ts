import type { IncomingMessage, ServerResponse } from 'node:http';
import { HubError } from '../../base/hub-error.ts';
import { defaultJsonLimits, type JsonLimits, parseJson } from '../../base/json.ts';
import { RequestBodies, strangerLimits } from '../../base/request-bodies.ts';
import { Slots } from '../../base/slots.ts';
import { type McpParts, McpServer } from '../mcp-server.ts';
import { unsupportedVersion } from '../protocol/exchange.ts';
import { readClient } from '../protocol/handshake.ts';
import {
  batchVersion,
  errorText,
  idOf,
  invalidRequest,
  RpcError,
  type RpcNotification,
  type RpcRequest,
  readMessage,
  rpcCodes,
  sessionVersions,
  statelessVersion,
  toReadError,
  toRpcError,
} from '../protocol/protocol.ts';
import { sessionKey } from '../sessions/session-key.ts';
import type { SessionClient } from '../sessions/session-token.ts';
import type { McpView } from '../view.ts';
import { type EventSink, messageEvent, ResponseSink } from './event-stream.ts';
import { HttpExchange, lossOf, type ResponseOptions, sendJson } from './http-exchange.ts';
import {
  acceptedBy,
  addressOf,
  checkContentType,
  checkedEnvelope,
  headerOf,
  isStateless,
  notAllowed,
  toRefusal,
} from './http-request.ts';
import type { HttpSession } from './http-session.ts';
import { HttpSessions } from './http-sessions.ts';
import { HttpListeners, MemberStreams } from './open-streams.ts';
import { logRefusedCalls, unreadCall } from './refused-calls.ts';
import { SessionResponse } from './session-response.ts';

export interface McpHttpHandler {
  /** Handles one request to the MCP address. The caller has checked `Host` and `Origin`. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Gives running calls a few seconds to finish, then aborts them and ends the streams. */
  close(): Promise<void>;
}

/** Longer calls are answered as a stream with keep-alive comments. */
const keepAliveMs = 15_000;
const maxBatch = 100;
const graceMs = 3_000;
const abortMs = 500;

/** MCP over HTTP for one hub: sessions for the older revisions, single requests for 2026-07-28. */
export function createMcpHttpHandler(parts: McpParts, bodies = new RequestBodies()): McpHttpHandler {
  return new HttpHandler(parts, bodies);
}

class HttpHandler implements McpHttpHandler {
  readonly #parts: McpParts;
  readonly #bodies: RequestBodies;
  readonly #server: McpServer;
  readonly #sessions: HttpSessions;
  readonly #listeners: HttpListeners;
  readonly #memberStreams: MemberStreams;
  readonly #running = new Slots<HttpExchange>();
  readonly #timer: NodeJS.Timeout;
  #onIdle: () => void = () => {};

  constructor(parts: McpParts, bodies: RequestBodies) {
    this.#parts = parts;
    this.#bodies = bodies;
    this.#server = new McpServer(parts);
    const { store, logger } = parts;
    this.#sessions = new HttpSessions({
      server: this.#server,
      store: store.mcpSessions,
      changes: store.changes,
      logger,
      key: () => sessionKey(parts),
      run: (session, message, sink) => void this.#runForwarded(session, message, sink),
    });
    this.#listeners = new HttpListeners(this.#server);
    this.#memberStreams = new MemberStreams(parts);
    this.#timer = setInterval(() => this.#tick(Date.now()), keepAliveMs);
    this.#timer.unref();
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body: unknown;
    try {
      const view =
        this.#hubViewOf(request) ??
        (await this.#viewOf(request, response, (read) => {
          body = read;
        }));
      // A client that has disconnected emits no further events, so nothing would end a stream started now.
      if (response.destroyed) return;
      if (request.method === 'POST') {
        checkContentType(request);
        body = await this.#read(request, response, defaultJsonLimits);
        await this.#post(view, request, response, body);
      } else if (request.method === 'GET') {
        await this.#get(view, request, response);
      } else if (request.method === 'DELETE') {
        await this.#sessions.end(await this.#sessionOf(view, request));
        response.writeHead(204).end();
      } else {
        throw notAllowed();
      }
    } catch (thrown) {
      this.#refuse(response, thrown, body);
    }
  }

  async #read(request: IncomingMessage, response: ServerResponse, limits: JsonLimits): Promise<unknown> {
    return parseJson((await this.#bodies.read(request, response, limits.maxCharacters)).toString(), limits);
  }

  /** Returns the view for callers without a credential; undefined if the address or a credential selects another view. */
  #hubViewOf(request: IncomingMessage): McpView | undefined {
    const { url, headers } = request;
    if (url !== '/mcp' || headers.authorization !== undefined || headers.cookie !== undefined) return undefined;
    return this.#parts.callers.anonymous.right === 'none' ? undefined : this.#server.hubView;
  }

  /** Resolves the view. On failure, `keep` receives a short body, so that the error reply can name the request id. */
  async #viewOf(request: IncomingMessage, response: ServerResponse, keep: (body: unknown) => void): Promise<McpView> {
    try {
      return await this.#server.view(await addressOf(this.#parts, request));
    } catch (error) {
      const isLimited = error instanceof HubError && error.code === 'RATE_LIMITED';
      if (request.method === 'POST' && !isLimited) {
        const body = await this.#read(request, response, strangerLimits).catch(unreadCall);
        keep(body);
        if (error instanceof HubError) await logRefusedCalls(this.#parts, request, { body, error });
      }
      throw error;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#listeners.close();
    await this.#idle(graceMs);
    for (const exchange of this.#running) exchange.abort.abort();
    await this.#idle(abortMs);
    await this.#sessions.close();
    this.#server.close();
  }

  /** Resolves when no call is running, or after this time. */
  async #idle(milliseconds: number): Promise<void> {
    if (this.#running.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, milliseconds);
    this.#onIdle = resolve;
    await promise;
    clearTimeout(timer);
  }

  async #post(view: McpView, request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    if (Array.isArray(body)) return this.#postBatch(view, request, response, body);
    const message = readMessage(body);
    if (message.kind !== 'response' && isStateless(request, message)) {
      return this.#postStateless(view, request, response, message);
    }
    if (message.kind === 'request' && message.method === 'initialize') {
      return this.#initialize(view, request, response, message);
    }
    const found = this.#sessionOf(view, request);
    const session = found instanceof Promise ? await found : found;
    if (message.kind === 'request') {
      const accepted = acceptedBy(request);
      if (view.sharesContext && message.method === 'tools/call')
        return this.#runAtHome(session, message, { response, ...accepted });
      return this.#run(session, message, new SessionResponse(session, response, accepted));
    }
    await session.take(message);
    response.writeHead(202).end();
  }

  async #postStateless(
    view: McpView,
    request: IncomingMessage,
    response: ServerResponse,
    message: RpcRequest | RpcNotification,
  ): Promise<void> {
    if (message.kind === 'notification') {
      response.writeHead(202).end();
      return;
    }
    const peer = checkedEnvelope(request, message, view);
    if (message.method === 'subscriptions/listen') {
      this.#listeners.open(view, message, response);
      if (view.memberId !== undefined) this.#memberStreams.add(request, response);
      return;
    }
    const { acceptsJson, acceptsEvents } = acceptedBy(request);
    const exchange = new HttpExchange(message, peer, { response, acceptsJson, acceptsEvents });
    // In this revision, a client cancels by disconnecting.
    response.once('close', () => {
      if (!exchange.isAnswered) exchange.abort.abort();
    });
    await this.#answer(view, exchange);
  }

  async #initialize(
    view: McpView,
    request: IncomingMessage,
    response: ServerResponse,
    message: RpcRequest,
  ): Promise<void> {
    const accepted = acceptedBy(request);
    const client = this.#clientOf(message, response);
    if (!client) return;
    const session = await this.#sessions.create(view, client);
    const exchange = new HttpExchange(message, session.peer, { response, ...accepted, headers: session.headers });
    const isOk = await this.#answer(view, exchange);
    if (!isOk) this.#sessions.forget(session);
  }

  /** Reads the client from `initialize`. Replies and returns undefined if it is invalid. */
  #clientOf({ id, params }: RpcRequest, response: ServerResponse): SessionClient | undefined {
    try {
      return readClient(params);
    } catch (error) {
      sendJson(response, 200, errorText(id, toReadError(error)));
      return undefined;
    }
  }

  async #run(session: HttpSession, message: RpcRequest, options: ResponseOptions): Promise<void> {
    const exchange = new HttpExchange(message, session.peer, options);
    session.running.set(message.id, exchange);
    await this.#answer(session.view, exchange);
    session.finish(exchange);
  }

  /** Runs a call that continues a conversation in the process that has the conversation. */
  async #runAtHome(
    session: HttpSession,
    message: RpcRequest,
    { response, ...accepted }: Pick<ResponseOptions, 'acceptsJson' | 'acceptsEvents'> & { response: ServerResponse },
  ): Promise<void> {
    try {
      const home = await session.home();
      if (home === this.#parts.store.mcpSessions.process())
        return await this.#run(session, message, new SessionResponse(session, response, accepted));
      const { headers } = session;
      if (accepted.acceptsEvents) return await session.forward(new ResponseSink(response, headers), message, home);
      sendJson(response, 200, await session.askElsewhere(message, home, lossOf(response)), headers);
    } catch (error) {
      if (!(error instanceof HubError) || response.headersSent) throw error;
      sendJson(response, 200, errorText(message.id, toRpcError(error)), session.headers);
    }
  }

  /** Runs a call that another process has forwarded. */
  async #runForwarded(session: HttpSession, message: RpcRequest, sink: EventSink): Promise<void> {
    try {
      await session.home();
      const accepted = { acceptsJson: false, acceptsEvents: true };
      await this.#run(session, message, new SessionResponse(session, sink, accepted));
    } catch (thrown) {
      const error = thrown instanceof HubError ? toRpcError(thrown) : toReadError(thrown);
      sink.write(messageEvent(undefined, 1, errorText(message.id, error)));
      sink.end();
    }
  }

  /** Sends the reply. Resolves to whether it is a result. */
  async #answer(view: McpView, exchange: HttpExchange): Promise<boolean> {
    const slot = this.#running.add(exchange);
    const answer = await this.#server.answer(view, exchange);
    this.#running.remove(slot);
    // Revisions with sessions send all JSON-RPC errors with status 200.
    if (exchange.peer.era === 'session') answer.status = 200;
    exchange.finish(answer);
    if (this.#running.size === 0) this.#onIdle();
    return answer.isResult;
  }

  async #postBatch(
    view: McpView,
    request: IncomingMessage,
    response: ServerResponse,
    values: unknown[],
  ): Promise<void> {
    const session =
      headerOf(request, 'mcp-session-id') === undefined ? undefined : await this.#sessionOf(view, request);
    if (session?.peer.version !== batchVersion)
      throw invalidRequest(
        `Batches are supported only in sessions of revision ${batchVersion}. Send one message per request.`,
      );
    if (values.length === 0 || values.length > maxBatch)
      throw invalidRequest(`A batch must have 1 to ${maxBatch} messages.`);
    const messages = values.map(readMessage);
    const requests = messages.filter((message) => message.kind === 'request');
    for (const message of messages) if (message.kind !== 'request') await session.take(message);
    if (requests.length === 0) {
      response.writeHead(202).end();
      return;
    }
    // The reply to a batch is plain JSON, so calls in it can send no notifications or questions.
    const options = { response, acceptsEvents: false, acceptsJson: true };
    const ends: (() => void)[] = [];
    const lost = lossOf(response);
    const answerHere = async (message: RpcRequest) => {
      const exchange = new HttpExchange(message, session.peer, options);
      const slot = this.#running.add(exchange);
      session.running.set(message.id, exchange);
      ends.push(() => {
        this.#running.remove(slot);
        session.finish(exchange);
      });
      return (await this.#server.answer(view, exchange)).text;
    };
    const answers = requests.map((message) =>
      view.sharesContext && message.method === 'tools/call'
        ? this.#answerAtHome(session, message, { lost, answerHere })
        : answerHere(message),
    );
    sendJson(response, 200, `[${(await Promise.all(answers)).join(',')}]`, session.headers);
    for (const end of ends) end();
    if (this.#running.size === 0) this.#onIdle();
  }

  /** Returns the reply to a call of a batch from the process that has the conversation of the session. */
  async #answerAtHome(
    session: HttpSession,
    message: RpcRequest,
    { lost, answerHere }: { lost: AbortSignal; answerHere: (message: RpcRequest) => Promise<string> },
  ): Promise<string> {
    try {
      const home = await session.home();
      const isHere = home === this.#parts.store.mcpSessions.process();
      return await (isHere ? answerHere(message) : session.askElsewhere(message, home, lost));
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      return errorText(message.id, toRpcError(error));
    }
  }

  async #get(view: McpView, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (headerOf(request, 'mcp-session-id') === undefined) throw notAllowed();
    const session = await this.#sessionOf(view, request);
    if (!acceptedBy(request).acceptsEvents)
      throw new RpcError(rpcCodes.refused, 'The Accept header must allow text/event-stream.', { status: 406 });
    const lastEventId = headerOf(request, 'last-event-id');
    await (lastEventId === undefined ? session.stream.open(response) : session.resume(response, lastEventId));
    if (response.destroyed) return;
    if (view.memberId !== undefined) this.#memberStreams.add(request, response);
  }

  /** Returns the session that a request names; a promise if this process does not know it yet. */
  #sessionOf(view: McpView, request: IncomingMessage): HttpSession | Promise<HttpSession> {
    const version = headerOf(request, 'mcp-protocol-version');
    if (version !== undefined && !sessionVersions.includes(version)) throw unsupportedVersion(version);
    const id = headerOf(request, 'mcp-session-id');
    if (id === undefined) {
      throw new RpcError(
        rpcCodes.refused,
        `The Mcp-Session-Id header is missing. Start with initialize, or use revision ${statelessVersion} with its _meta.`,
        { status: 400 },
      );
    }
    return this.#sessions.find(id, view) ?? this.#sessions.adopt(id, view);
  }

  #refuse(response: ServerResponse, thrown: unknown, body: unknown): void {
    const error = toRefusal(thrown);
    if (error.code === rpcCodes.internalError)
      this.#parts.logger.error({ err: thrown }, 'MCP request failed unexpectedly');
    if (response.headersSent) {
      response.end();
      return;
    }
    sendJson(response, error.status, errorText(idOf(body), error), {
      ...(error.status === 405 && { allow: 'GET, POST, DELETE' }),
      ...(error.status === 413 && { connection: 'close' }),
      ...(error.status === 503 && { 'retry-after': '1' }),
      ...(error.status === 429 && { 'retry-after': String(error.data?.retryAfter ?? 1) }),
    });
  }

  #tick(now: number): void {
    for (const exchange of this.#running) if (now - exchange.startedAt > keepAliveMs) exchange.keepAlive();
    for (const session of this.#sessions.all()) session.keepAlive();
    this.#listeners.keepAlive();
    this.#sessions.expire(now);
  }
}
