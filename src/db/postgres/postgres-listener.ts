import pg from 'pg';
import type { Logger } from '../../base/logger.ts';

export const channel = 'agent_zoo_changed';
const firstDelayMs = 100;
const longestDelayMs = 10_000;
const beatMs = 1_000;
const silentMs = 5_000;

export interface PostgresListenerOptions {
  config: pg.ClientConfig;
  logger: Logger;
  /** Hears of the notices that other connections send. */
  onNotice(payload: string): void;
  /** After each time the connection is there; notices of the time without it are lost. */
  onConnected(): Promise<void>;
  /** Asks the server something every second: a connection that does not reply is lost. */
  onBeat(): Promise<unknown>;
  onLost(): void;
  beatMs?: number;
  /** How long a reply may take. */
  silentMs?: number;
}

/**
 * A connection of its own that sends notices and waits for those of others, and comes back by itself with growing pauses. A network
 * may drop it without a word: whoever only waits would not hear that a token was revoked.
 */
export class PostgresListener {
  readonly #options: PostgresListenerOptions;
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(options: PostgresListenerOptions) {
    this.#options = options;
  }

  async connect(): Promise<void> {
    const client = new pg.Client(this.#options.config);
    this.#client = client;
    client.on('error', () => this.#lose(client));
    client.on('end', () => this.#lose(client));
    client.on('notification', ({ processId, payload = '' }) => {
      const { processID } = client as pg.Client & { processID?: number | null };
      if (processId !== processID) this.#options.onNotice(payload);
    });
    try {
      await client.connect();
      // What is published was committed before: after a crash of the server everything is read again anyway.
      await client.query(`set synchronous_commit to off; listen ${channel}`);
      await this.#options.onConnected();
      this.#failures = 0;
      this.#beat(client);
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'changes by other processes cannot be heard for now');
      this.#lose(client);
    }
  }

  /** Throws while the connection is lost. */
  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<pg.QueryResult<Row>> {
    if (!this.#client) throw new Error('The connection for notices is lost.');
    // `pg` takes a limit for one query, too; its types do not know.
    const limited: pg.QueryConfig & { query_timeout: number } = {
      text,
      values,
      query_timeout: this.#options.silentMs ?? silentMs,
    };
    return this.#client.query<Row>(limited);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#heartbeat);
    await this.#client?.end().catch(() => {});
  }

  #beat(client: pg.Client): void {
    if (this.#client !== client || this.#isClosed) return;
    const next = () => {
      this.#options.onBeat().then(
        () => this.#beat(client),
        () => this.#lose(client),
      );
    };
    this.#heartbeat = setTimeout(next, this.#options.beatMs ?? beatMs).unref();
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    clearTimeout(this.#heartbeat);
    this.#options.onLost();
    if (this.#isClosed) return;
    client.end().catch(() => {});
    const delayMs = Math.min(firstDelayMs * 2 ** this.#failures, longestDelayMs);
    this.#failures += 1;
    this.#timer = setTimeout(() => void this.connect(), delayMs).unref();
  }
}
