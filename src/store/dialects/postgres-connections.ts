import type { PostgresPool } from 'kysely';
import pg from 'pg';
import type { Logger } from '../../base/logger.ts';
import type { PostgresAddress } from './postgres-address.ts';

export interface PostgresLimits {
  /** For one statement or transaction that somebody waits for, with the wait for a connection. */
  requestMs: number;
  /** The same while the last one was in vain: with several to do, a caller still hears within seconds. */
  doubtMs: number;
  /** For a lock that another session holds. */
  lockMs: number;
  /** For each statement of a migration, a backup or another job that nobody waits for. */
  jobMs: number;
}

export const usualLimits: PostgresLimits = { requestMs: 5_000, doubtMs: 1_000, lockMs: 2_000, jobMs: 60_000 };

/** How long what is done with a connection may take: `request` as a whole, `job` each statement. */
export type Pace = 'request' | 'job';

/**
 * The pool, with a limit for each use of a connection. A network can swallow packets without a word, so only a timer on this
 * side notices; the connection is given up then, and with it every other one that is as old.
 */
export class PostgresConnections {
  readonly #address: PostgresAddress;
  readonly #pool: pg.Pool;
  readonly limits: PostgresLimits;
  /** Connections of an older generation are closed instead of used. */
  #generation = 0;
  readonly #generations = new WeakMap<pg.PoolClient, number>();
  #isInDoubt = false;

  constructor(address: PostgresAddress, options: { logger: Logger; limits: PostgresLimits }) {
    this.#address = address;
    this.limits = options.limits;
    const { requestMs, jobMs, lockMs } = options.limits;
    this.#pool = new pg.Pool({
      ...address.config,
      connectionTimeoutMillis: requestMs,
      statement_timeout: jobMs,
      query_timeout: jobMs + requestMs,
      lock_timeout: lockMs,
      max: 10,
      idleTimeoutMillis: 30_000,
      allowExitOnIdle: true,
    });
    // Without listeners a lost connection would end this process. The pool listens only to idle ones: whoever uses one
    // hears of the loss from the next statement.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
    this.#pool.on('error', (error) =>
      options.logger.warn({ err: error, place: address.place }, 'a database connection was lost'),
    );
  }

  /** The time that one use may take now; undefined: no limit for the whole of it. */
  limitOf(pace: Pace): number | undefined {
    if (pace === 'job') return undefined;
    return this.#isInDoubt ? this.limits.doubtMs : this.limits.requestMs;
  }

  /** For Kysely, which asks for a connection for each statement or transaction. */
  poolFor(pace: Pace): PostgresPool {
    return { connect: () => this.connect(pace), end: async () => {}, options: {} };
  }

  async query<Row extends pg.QueryResultRow>(query: pg.QueryConfig, pace: Pace): Promise<pg.QueryResult<Row>> {
    const client = await this.connect(pace);
    let failure: unknown;
    try {
      return await client.query<Row>(query);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      client.release(failure !== undefined);
    }
  }

  async connect(pace: Pace): Promise<pg.PoolClient> {
    const limitMs = this.limitOf(pace);
    const endsAt = limitMs === undefined ? undefined : performance.now() + limitMs;
    const client = await this.#checkOut(endsAt);
    if (endsAt === undefined) return client;
    const timer = setTimeout(() => this.#giveUp(client), endsAt - performance.now());
    const release = client.release.bind(client);
    client.release = (discard) => {
      clearTimeout(timer);
      release(discard);
    };
    return client;
  }

  /** From now on, new connections are made. */
  renew(): void {
    this.#generation += 1;
  }

  /** Something was answered. */
  trust(): void {
    this.#isInDoubt = false;
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  async #checkOut(endsAt: number | undefined): Promise<pg.PoolClient> {
    for (;;) {
      const client = await (endsAt === undefined ? this.#pool.connect() : this.#connectBefore(endsAt));
      const generation = this.#generations.get(client);
      if (generation === undefined) this.#generations.set(client, this.#generation);
      if (generation === undefined || generation === this.#generation) return client;
      client.release(true);
    }
  }

  #connectBefore(endsAt: number): Promise<pg.PoolClient> {
    const connecting = this.#pool.connect();
    return new Promise((resolve, reject) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        this.#isInDoubt = true;
        reject(new Error('There was no connection in time (timeout).'));
      }, endsAt - performance.now());
      connecting.then(
        (client) => {
          clearTimeout(timer);
          if (isLate) client.release();
          else resolve(client);
        },
        (error: unknown) => {
          clearTimeout(timer);
          reject(error);
        },
      );
    });
  }

  #giveUp(client: pg.PoolClient): void {
    this.#isInDoubt = true;
    this.renew();
    const { processID } = client as pg.PoolClient & { processID?: number | null };
    // With a statement on its way, this closes the socket at once.
    (client as pg.PoolClient & pg.Client).end().catch(() => {});
    if (typeof processID === 'number') void this.#cancel(processID);
  }

  /** The server would go on with the statement, and keep its connection, although nobody is there to hear the end of it. */
  async #cancel(processId: number): Promise<void> {
    const client = new pg.Client({ ...this.#address.config, connectionTimeoutMillis: this.limits.requestMs });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('select pg_cancel_backend($1)', [processId]);
    } catch {
      // Its own limit ends it.
    } finally {
      client.end().catch(() => {});
    }
  }
}
