import type { Clock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import { clientOf, type ToolClient, type ToolConnection } from '../../tools/tool-client.ts';
import type { ServerDefinition } from '../server-definition.ts';
import type { ServerConnection } from './server-connection.ts';
import type { SupervisedConnection } from './supervised-connection.ts';
import { within } from './within.ts';

export interface ClientConnectionsOptions {
  server: string;
  clock: Clock;
  /** The supervised main connection. */
  link: Pick<SupervisedConnection, 'current' | 'ready' | 'disconnect' | 'start'>;
  /** Opens one more connection to the same server. */
  open(signal: AbortSignal): Promise<ServerConnection>;
  /** Lists the tools of a new connection before anybody uses it; throwing closes the connection. */
  onOpened(connection: ServerConnection, signal: AbortSignal): Promise<void>;
  limits(): Pick<ServerDefinition, 'maxConcurrentCalls' | 'timeoutMs'>;
}

/** A connection lent to one call; `release` returns it. */
export interface LentConnection {
  connection: ServerConnection;
  release(): void;
}

/** A client that can answer a server's questions; undefined stands for all clients that cannot. */
type Owner = object | undefined;

interface Lane {
  connection: ServerConnection;
  isMain: boolean;
  owner: Owner;
  calls: number;
  idle: AbortController | undefined;
  /** The lane is closed when its client disconnects. */
  isWatched: boolean;
  isEnding: boolean;
}

/** The maximum number of connections to one server. */
const maxConnections = 16;
/** An additional connection is closed after this time without a call. */
const idleMs = 30_000;

/**
 * Lends connections so that a server never mixes up its clients. In protocol revisions with sessions, a server may ask its client
 * something (a model's answer, a form, its roots) without naming the call, and may remember the answer. So all calls that run on one
 * connection belong to one client, or to clients that cannot be asked. A connection that knows a client's roots serves only that
 * client from then on. Additional connections are opened when calls from several clients overlap, and closed when idle.
 */
export class ClientConnections {
  readonly #options: ClientConnectionsOptions;
  readonly #lanes = new Map<ServerConnection, Lane>();
  readonly #waiting = new Set<() => void>();
  #opening = 0;
  #ended = new AbortController();

  constructor(options: ClientConnectionsOptions) {
    this.#options = options;
  }

  /** Throws the errors of connecting, TIMEOUT if no connection becomes free, and CANCELLED. */
  async lend(client: ToolClient | undefined, signal: AbortSignal | undefined): Promise<LentConnection> {
    const owner = clientOf(client);
    const { clock, server, link } = this.#options;
    const deadline = clock.now() + this.#options.limits().timeoutMs;
    for (;;) {
      const main = link.current ?? (await link.ready(signal));
      // Without sessions, every request is independent, and questions are part of its reply.
      if (main.isStateless) return { connection: main, release: () => {} };
      const lane = this.#choose(main, owner) ?? (await this.#openLane(signal));
      if (lane && this.#isFree(lane, owner)) return this.#take(lane, owner);
      if (lane || (await this.#evict())) continue;
      const milliseconds = Math.max(1, deadline - clock.now());
      const subject = `the server "${server}"`;
      await within({ clock, milliseconds, timeoutError: () => this.#busy(), signal, subject }, () =>
        this.#nextRelease(),
      );
    }
  }

  /** Tells whether the connection can still take calls. */
  has(connection: ServerConnection): boolean {
    return this.#lanes.get(connection)?.isEnding === false;
  }

  /** Closes all additional connections. Resolves when they are closed. */
  async close(): Promise<void> {
    this.#ended.abort();
    this.#ended = new AbortController();
    const extra = [...this.#lanes.values()].filter(({ isMain }) => !isMain);
    this.#lanes.clear();
    this.#wake();
    await Promise.all(extra.map((lane) => this.#end(lane)));
  }

  #choose(main: ServerConnection, owner: Owner): Lane | undefined {
    const known = this.#lanes.get(main) ?? this.#replaceMain(main);
    // The usual case, kept cheap.
    if (this.#lanes.size === 1) return this.#isFree(known, owner) ? known : undefined;
    const free = [...this.#lanes.values()].filter((lane) => this.#isFree(lane, owner));
    // Prefer a connection that knows the client's roots, then one that this client is already using.
    const rank = ({ connection, calls, isMain }: Lane) =>
      (connection.knowsRoots ? 4 : 0) + (calls > 0 ? 2 : 0) + (isMain ? 1 : 0);
    return free.toSorted((one, other) => rank(other) - rank(one))[0];
  }

  #replaceMain(main: ServerConnection): Lane {
    for (const lane of this.#lanes.values()) if (lane.isMain) this.#lanes.delete(lane.connection);
    return this.#add(main, true);
  }

  #isFree({ connection, owner: current, calls, isEnding }: Lane, owner: Owner): boolean {
    if (isEnding) return false;
    if (connection.knowsRoots) return owner !== undefined && current === owner;
    return calls === 0 || current === owner;
  }

  async #openLane(signal: AbortSignal | undefined): Promise<Lane | undefined> {
    if (this.#lanes.size + this.#opening >= this.#max) return undefined;
    const ended = this.#ended.signal;
    this.#opening += 1;
    try {
      const connection = await this.#openReady(signal ? AbortSignal.any([signal, ended]) : ended);
      if (!ended.aborted) return this.#add(connection, false);
      await connection.close();
      throw new HubError('UNAVAILABLE', `The server "${this.#options.server}" was disconnected; nothing was called.`, {
        details: { mayHaveRun: false },
      });
    } finally {
      this.#opening -= 1;
      this.#wake();
    }
  }

  async #openReady(signal: AbortSignal): Promise<ServerConnection> {
    const connection = await this.#options.open(signal);
    try {
      await this.#options.onOpened(connection, signal);
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  get #max(): number {
    return Math.min(maxConnections, this.#options.limits().maxConcurrentCalls);
  }

  #add(connection: ServerConnection, isMain: boolean): Lane {
    const lane: Lane = {
      connection,
      isMain,
      owner: undefined,
      calls: 0,
      idle: undefined,
      isWatched: false,
      isEnding: false,
    };
    this.#lanes.set(connection, lane);
    connection.onClosed(() => {
      this.#lanes.delete(connection);
      lane.idle?.abort();
      if (!isMain && !lane.isEnding) void this.#end(lane);
      this.#wake();
    });
    return lane;
  }

  #take(lane: Lane, owner: Owner): LentConnection {
    lane.owner = owner;
    lane.calls += 1;
    lane.idle?.abort();
    let isReleased = false;
    return {
      connection: lane.connection,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        lane.calls -= 1;
        if (lane.calls === 0) this.#rest(lane);
        this.#wake();
      },
    };
  }

  /** Keeps an unused lane for the client whose roots it knows, or for any client within the idle time. */
  #rest(lane: Lane): void {
    if (lane.connection.knowsRoots) {
      const { signal } = (lane.owner ?? {}) as Partial<ToolConnection>;
      if (!signal || signal.aborted) {
        void this.#discard(lane);
        return;
      }
      if (!lane.isWatched) signal.addEventListener('abort', () => void this.#discard(lane), { once: true });
      lane.isWatched = true;
    }
    if (lane.isMain) return;
    const idle = new AbortController();
    lane.idle = idle;
    this.#options.clock.sleep(idleMs, idle.signal).then(
      () => (idle.signal.aborted ? undefined : this.#discard(lane)),
      () => {},
    );
  }

  /** Makes room by closing a lane that is not in use. Returns false if there is none. */
  async #evict(): Promise<boolean> {
    const resting = [...this.#lanes.values()].filter(({ calls, isEnding }) => calls === 0 && !isEnding);
    const lane = resting.find(({ isMain }) => !isMain) ?? resting[0];
    if (lane) await this.#discard(lane);
    return lane !== undefined;
  }

  async #discard(lane: Lane): Promise<void> {
    if (lane.isEnding || lane.calls > 0 || this.#lanes.get(lane.connection) !== lane) return;
    lane.isEnding = true;
    this.#lanes.delete(lane.connection);
    lane.idle?.abort();
    if (lane.isMain) await this.#renewMain();
    else await this.#end(lane);
    this.#wake();
  }

  async #renewMain(): Promise<void> {
    const { link } = this.#options;
    await link.disconnect();
    link.start();
  }

  #end(lane: Lane): Promise<void> {
    lane.isEnding = true;
    lane.idle?.abort();
    return lane.connection.close().catch(() => {});
  }

  #nextRelease(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    return promise;
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }

  #busy(): HubError {
    const { timeoutMs } = this.#options.limits();
    return new HubError(
      'TIMEOUT',
      `The server "${this.#options.server}" was not called: calls from other clients used all ${this.#max} connections for ${timeoutMs} ms (timeout_secs).`,
      { details: { mayHaveRun: false } },
    );
  }
}
