import pg from 'pg';
import type { Logger } from '../../base/logger.ts';

export const channel = 'agent_zoo_changed';
const firstDelayMs = 100;
const longestDelayMs = 10_000;
const heartbeatMs = 5_000;

export interface PostgresListenerOptions {
  config: pg.ClientConfig;
  logger: Logger;
  onNotice(payload: string): void;
  /** After each time the connection is there; notices of the time without it are lost. */
  onConnected(): Promise<void>;
  onLost(): void;
  /** How often, and for how long, the server is asked whether it is still there. */
  heartbeatMs?: number;
}

/**
 * A connection of its own that waits for notices, and comes back by itself with growing pauses. A network may drop it without a
 * word: whoever only waits would not hear that a token was taken away.
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
    client.on('notification', (notice) => this.#options.onNotice(notice.payload ?? ''));
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      await this.#options.onConnected();
      this.#failures = 0;
      this.#beat(client);
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'changes by other processes cannot be heard for now');
      this.#lose(client);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#heartbeat);
    await this.#client?.end().catch(() => {});
  }

  #beat(client: pg.Client): void {
    if (this.#client !== client || this.#isClosed) return;
    const { heartbeatMs: everyMs = heartbeatMs } = this.#options;
    this.#heartbeat = setTimeout(() => {
      // `pg` takes a limit for one query, too; its types do not know.
      const question: pg.QueryConfig & { query_timeout: number } = { text: 'select 1', query_timeout: everyMs };
      client.query(question).then(
        () => this.#beat(client),
        () => this.#lose(client),
      );
    }, everyMs).unref();
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
