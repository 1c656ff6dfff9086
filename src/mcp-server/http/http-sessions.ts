import { setTimeout } from 'node:timers/promises';
import { whoGivesWay } from '../../base/who-gives-way.ts';
import type { McpServer } from '../mcp-server.ts';
import { RpcError, rpcCodes } from '../protocol/protocol.ts';
import { type MailParts, type MailReader, SessionMail } from '../sessions/session-mail.ts';
import type { McpSessionStore, ReceivedMessage } from '../sessions/session-store.ts';
import { type OpenedToken, openToken, rowsExpireAt, type SessionClient, sealToken } from '../sessions/session-token.ts';
import type { McpView } from '../view.ts';
import { HttpSession, type HttpSessionParts } from './http-session.ts';

const maxSessions = 1_000;
const idleMs = 30 * 60 * 1000;
/** The maximum number of forgotten sessions whose end this process still notices. The end of others takes up to `maxHearMs`. */
const maxIdle = 10_000;
/** The maximum time that ending a session waits for the other processes to hear of it, and how often it checks. */
const maxHearMs = 3_000;
const lookMs = 200;

interface HttpSessionsParts extends MailParts {
  server: McpServer;
  store: McpSessionStore;
  /** The key that signs session ids, the same in all processes. */
  key(): Promise<Buffer>;
  run: HttpSessionParts['run'];
}

/**
 * The sessions that this process knows, limited in number and idle time. A session id says everything about its session, so a process
 * that sees an id for the first time continues the session, and a forgotten session can return.
 */
export class HttpSessions implements MailReader {
  readonly #parts: HttpSessionsParts;
  readonly #mail: SessionMail;
  readonly #byToken = new Map<string, HttpSession>();
  readonly #byId = new Map<string, HttpSession>();
  /** The sessions that are being read from the store, and whether they have changed since. */
  readonly #adopting = new Map<string, { session: Promise<HttpSession>; isStale: boolean }>();
  /** Sessions that this process has forgotten. A process that continues one of them cannot know that, and registers this one, too. */
  readonly #idle = new Set<string>();

  constructor(parts: HttpSessionsParts) {
    this.#parts = parts;
    this.#mail = new SessionMail(parts, this);
  }

  get size(): number {
    return this.#byId.size + this.#adopting.size + this.#idle.size;
  }

  has(sessionId: string): boolean {
    return this.#byId.has(sessionId) || this.#adopting.has(sessionId) || this.#idle.has(sessionId);
  }

  /** Throws 503 if all sessions are in use. */
  async create(view: McpView, client: SessionClient): Promise<HttpSession> {
    const now = Date.now();
    const home = this.#parts.store.process();
    const { id, token } = sealToken(client, { key: await this.#parts.key(), viewKey: view.key, now, home });
    return this.#add({ view, token, opened: { ...client, id, issuedAt: now, home }, state: undefined });
  }

  /** Returns a session that this process knows, and marks it as used. */
  find(token: string, view: McpView): HttpSession | undefined {
    const session = this.#byToken.get(token);
    if (session?.view !== view) return undefined;
    session.usedAt = Date.now();
    return session;
  }

  /** Continues a session that this process does not know yet. Throws 404, 503 if all sessions are in use, and UNAVAILABLE. */
  async adopt(token: string, view: McpView): Promise<HttpSession> {
    const opened = openToken(token, { key: await this.#parts.key(), viewKey: view.key, now: Date.now() });
    if (!opened) throw ended();
    // The view was created again, for example because its agent was.
    const known = this.#byToken.get(token);
    if (known && known.view !== view) this.forget(known);
    const { id } = opened;
    const current = this.#byToken.get(token) ?? (await this.#adopting.get(id)?.session);
    if (current) return current;
    this.#mail.listen();
    // The process that ends the session waits for this one while it runs.
    this.#parts.store.keep();
    const adopting = {
      isStale: false,
      session: this.#join(opened).then((state) => this.#add({ view, token, opened, state })),
    };
    this.#adopting.set(id, adopting);
    try {
      return await adopting.session;
    } catch (error) {
      void this.#leave([id]);
      throw error;
    } finally {
      this.#adopting.delete(id);
    }
  }

  /** Ends a session in all processes. Resolves when they have heard of it, unless that takes long. Throws UNAVAILABLE. */
  async end(session: HttpSession): Promise<void> {
    const { store } = this.#parts;
    await store.change(session.id, { ended: true }, rowsExpireAt(Date.now()));
    this.forget(session);
    await this.#heardByOthers(session.id);
  }

  /** Resolves when every process that knows the session has left it or is gone, or when that takes too long. */
  async #heardByOthers(sessionId: string): Promise<void> {
    const { store, changes } = this.#parts;
    const start = performance.now();
    let wake = () => {};
    const stop = changes.on(({ topic, ids }) => {
      if (topic === 'mcp' && (ids.length === 0 || ids.includes(sessionId))) wake();
    });
    try {
      while (performance.now() - start < maxHearMs) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const others = await store.others(sessionId);
        const gone = await Promise.all(others.map((each) => store.isGone(each)));
        if (gone.every(Boolean)) return;
        await Promise.race([woken, setTimeout(lookMs, undefined, { ref: false })]);
      }
    } finally {
      stop();
    }
  }

  /** Forgets a session. Unless it has ended, it returns with the client's next request. */
  forget(session: HttpSession): void {
    this.#byToken.delete(session.token);
    this.#byId.delete(session.id);
    session.close();
  }

  all(): HttpSession[] {
    return [...this.#byId.values()];
  }

  receive(received: ReceivedMessage): void {
    const { sessionId, message } = received;
    const session = this.#byId.get(sessionId);
    const adopting = this.#adopting.get(sessionId);
    if (adopting) adopting.isStale = true;
    else if (this.#idle.has(sessionId) && message.kind === 'changed') void this.#leave([sessionId]);
    else if (session && message.kind === 'changed') void this.#reload(session);
    else session?.receive(received);
  }

  expire(now: number): void {
    const idle = this.all().filter((session) => !session.isBusy && now - session.usedAt > idleMs);
    this.#forgetIdle(idle);
  }

  #forgetIdle(sessions: readonly HttpSession[]): void {
    for (const session of sessions) {
      this.forget(session);
      this.#idle.add(session.id);
    }
    for (const id of this.#idle) {
      if (this.#idle.size <= maxIdle) break;
      this.#idle.delete(id);
    }
    void this.#leave(sessions.map(({ id }) => id));
  }

  async close(): Promise<void> {
    const sessions = this.all();
    for (const session of sessions) this.forget(session);
    await this.#leave(sessions.map(({ id }) => id));
    await this.#mail.close();
  }

  /** Tells the process that ends one of these sessions not to wait for this one. */
  async #leave(sessionIds: readonly string[]): Promise<void> {
    if (sessionIds.length === 0) return;
    const { store, logger } = this.#parts;
    await store
      .leave(sessionIds)
      .catch((error: unknown) => logger.debug({ err: error }, 'could not record which MCP sessions were forgotten'));
  }

  /** Tells the process that ends the session that this one knows it. What is read afterwards includes an end that was not announced. */
  async #join({ id, issuedAt, home }: OpenedToken) {
    const { store } = this.#parts;
    await store.join(id, [...new Set([home, store.process()])], rowsExpireAt(issuedAt));
    return this.#load(id);
  }

  /** Reads the state of a session. Reads again if it has changed meanwhile. Throws 404. */
  async #load(id: string) {
    for (;;) {
      const state = await this.#parts.store.state(id);
      if (state.isEnded) throw ended();
      const adopting = this.#adopting.get(id);
      if (!adopting?.isStale) return state;
      adopting.isStale = false;
    }
  }

  async #reload(session: HttpSession): Promise<void> {
    try {
      const state = await this.#parts.store.state(session.id);
      if (state.isEnded) {
        this.forget(session);
        await this.#leave([session.id]);
      } else session.setState(state);
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'the changes of an MCP session could not be read');
    }
  }

  #add(parts: Pick<HttpSessionParts, 'view' | 'token' | 'opened' | 'state'>): HttpSession {
    if (this.#byId.size >= maxSessions) this.#makeRoom(parts.view.sender);
    this.#mail.listen();
    const { server, store, run } = this.#parts;
    const session = new HttpSession({ ...parts, server, store, run, mail: this.#mail });
    this.#byToken.set(session.token, session);
    this.#byId.set(session.id, session);
    this.#idle.delete(session.id);
    return session;
  }

  /** Forgets an idle session. If all are busy, the caller with the most loses one to a caller with fewer. */
  #makeRoom(newcomer: string): void {
    const all = this.all();
    const oldest = oldestOf(all.filter((session) => !session.isBusy)) ?? this.#oldestBusy(all, newcomer);
    if (!oldest)
      throw new RpcError(rpcCodes.refused, 'Too many clients are connected. Try again later.', { status: 503 });
    this.#forgetIdle([oldest]);
  }

  /** Prefers a session that is busy only because its stream is open. */
  #oldestBusy(all: readonly HttpSession[], newcomer: string): HttpSession | undefined {
    const most = whoGivesWay(
      newcomer,
      all.map(({ view }) => view.sender),
    );
    const sessions = all.filter(({ view }) => view.sender === most);
    return oldestOf(sessions.filter(({ isWorking }) => !isWorking)) ?? oldestOf(sessions);
  }
}

function oldestOf(sessions: readonly HttpSession[]): HttpSession | undefined {
  return sessions.reduce<HttpSession | undefined>(
    (oldest, each) => (oldest && oldest.usedAt <= each.usedAt ? oldest : each),
    undefined,
  );
}

function ended(): RpcError {
  const message = 'This session has ended. Start a new one with initialize.';
  return new RpcError(rpcCodes.sessionNotFound, message, { status: 404 });
}
