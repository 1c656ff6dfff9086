import pg from 'pg';
import type { Logger } from '../../base/logger.ts';

export const channel = 'agent_zoo_changed';
const firstDelayMs = 100;
const maxDelayMs = 10_000;
const beatMs = 1_000;
const silentMs = 5_000;

export interface PostgresListenerOptions {
  config: pg.ClientConfig;
  logger: Logger;
  /** Called for notices that other connections send. */
  onNotice(payload: string): void;
  /** Called after each connect. Notices sent while there was no connection are lost. */
  onConnected(): Promise<void>;
  /** Queries the server every second. A connection without a reply counts as lost. */
  onBeat(): Promise<unknown>;
  onLost(): void;
  beatMs?: number;
  /** The maximum time for a reply. */
  silentMs?: number;
}

/**
 * A separate connection that sends and receives notices, and reconnects with growing pauses. It also queries the server regularly,
 * because a network may drop the connection silently, and this process would not learn that a token was revoked.
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
      // Published changes are already committed, and after a server crash everything is read again.
      await client.query(`set synchronous_commit to off; listen ${channel}`);
      await this.#options.onConnected();
      this.#failures = 0;
      this.#beat(client);
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'changes by other processes cannot be received for now');
      this.#lose(client);
    }
  }

  /** Throws while the connection is lost. */
  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<pg.QueryResult<Row>> {
    if (!this.#client) throw new Error('The connection for notices is lost.');
    // `pg` accepts a timeout for a single query, but its types do not include it.
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
    const delayMs = Math.min(firstDelayMs * 2 ** this.#failures, maxDelayMs);
    this.#failures += 1;
    this.#timer = setTimeout(() => void this.connect(), delayMs).unref();
  }
}
