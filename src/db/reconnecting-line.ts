import type { NoticeLine, NoticeLineEvents } from './notice-line.ts';
import { OwnNotice } from './own-notice.ts';

const firstDelayMs = 100;
const maxDelayMs = 10_000;
/** A connection that is lost sooner after its first proof was no success. */
const steadyMs = 5_000;

/** What a line is connected with. */
export interface LineConnection {
  /** Resolves when notices can arrive. Rejects with an error that says why they cannot. */
  readonly opened: Promise<void>;
  /** Sends a notice that only this process receives, if it is heard at all. Rejects if that says nothing about the line. */
  sendToSelf(notice: string): Promise<void>;
  /** Ends in an orderly way. Never rejects. */
  end(): Promise<void>;
  /** Ends at once. */
  abandon(): void;
}

export interface ConnectionEvents {
  onNotice(notice: string): void;
  onOwnNotice(notice: string): void;
  onLost(why: string): void;
}

export interface LineOptions {
  /** The pause before the first proof of a connection. */
  firstProofMs: number;
  /** The pause between later proofs. */
  nextProofMs: number;
  /** The maximum time until this process hears itself. */
  proofMs: number;
  /** The pause after a proof that failed; without it, as after a lost connection. */
  deafDelayMs?: number;
  /** Says that a proof failed. */
  deafWords: string;
}

/** Connects, proves that notices arrive, and reconnects with growing pauses until closed. */
export abstract class ReconnectingLine<Connection extends LineConnection> implements NoticeLine {
  abstract readonly way: NoticeLine['way'];
  abstract send(notice: string): Promise<void>;
  readonly #events: NoticeLineEvents;
  readonly #options: LineOptions;
  readonly #ownNotice = new OwnNotice();
  #connection: Connection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #opening: Promise<void> | undefined;
  #proving: Promise<void> | undefined;
  #onLoss = () => {};
  #failures = 0;
  #isProven = false;
  #problem: string | undefined;
  #isClosed = false;

  constructor(events: NoticeLineEvents, options: LineOptions) {
    this.#events = events;
    this.#options = options;
  }

  /** Begins to connect. `address` counts on with each failure. */
  protected abstract connect(address: number, events: ConnectionEvents): Connection;

  /** The number of addresses, which are tried in turn. */
  protected get addresses(): number {
    return 1;
  }

  get isProven(): boolean {
    return this.#isProven;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  open(): Promise<void> {
    this.#opening ??= this.#openOnce().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  prove(): Promise<void> {
    this.#proving ??= this.#proveOnce().finally(() => {
      this.#proving = undefined;
    });
    return this.#proving;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#connection?.end();
  }

  /** Throws while there is no connection. */
  protected opened(): Connection {
    if (!this.#connection || this.#opening !== undefined) throw new Error('The connection for notices is lost.');
    return this.#connection;
  }

  /** Gives a connection up and tries the next one after a pause. Does nothing if another one has taken its place. */
  protected lose(connection: Connection, why: string, isDeaf = false): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#onLoss();
    if (this.#isClosed) return;
    connection.abandon();
    this.#failures += 1;
    const rounds = Math.floor(this.#failures / this.addresses);
    const hasMore = this.#failures % this.addresses > 0;
    const growing = Math.min(firstDelayMs * 2 ** Math.max(rounds - 1, 0), maxDelayMs);
    const pauseMs = isDeaf ? (this.#options.deafDelayMs ?? growing) : growing;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.open(), hasMore ? firstDelayMs : pauseMs).unref();
    this.#become(false, why);
  }

  async #openOnce(): Promise<void> {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    const connection = this.connect(this.#failures % this.addresses, {
      onNotice: (notice) => this.#events.onNotice(notice),
      onOwnNotice: (notice) => this.#ownNotice.heard(notice),
      onLost: (why) => this.lose(connection, why),
    });
    this.#connection = connection;
    try {
      await connection.opened;
      this.#proveIn(this.#options.firstProofMs);
    } catch (error) {
      this.lose(connection, error instanceof Error ? error.message : String(error));
    }
  }

  async #proveOnce(): Promise<void> {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    if (!this.#connection || this.#opening !== undefined) await this.open();
    const connection = this.#connection;
    if (!connection) return;
    // The next attempt must not wait for a proof that cannot come anymore.
    const lost = new Promise<void>((resolve) => {
      this.#onLoss = resolve;
    });
    const isHeard = await Promise.race([
      this.#ownNotice
        .comesBack((notice) => connection.sendToSelf(notice), this.#options.proofMs)
        .catch(() => undefined),
      lost,
    ]);
    if (connection !== this.#connection || this.#isClosed) return;
    if (isHeard === undefined) return this.#proveIn(this.#options.firstProofMs);
    if (!isHeard) return this.lose(connection, this.#options.deafWords, true);
    if (this.#isProven) this.#failures = 0;
    this.#proveIn(this.#isProven ? this.#options.nextProofMs : steadyMs);
    this.#become(true, undefined);
  }

  #proveIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.prove(), milliseconds).unref();
  }

  #become(isProven: boolean, problem: string | undefined): void {
    if (this.#isProven === isProven && this.#problem === problem) return;
    this.#isProven = isProven;
    this.#problem = problem;
    this.#events.onChange();
  }
}
