import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { Logger } from '../../base/logger.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { isConnectionLoss, LateError } from './postgres-errors.ts';

export interface PostgresLimits {
  /** Limit for one statement that a caller waits for. The first one shares it with the wait for a connection. */
  requestMs: number;
  /**
   * The same limit while the server does not reply at all, so that a caller with several statements still gets an error within seconds.
   * Also how long the server may take to reply on a new connection before it counts as silent.
   */
  doubtMs: number;
  /** Limit for the wait for a lock that another session holds. */
  lockMs: number;
  /** Limit for each statement of a migration, a backup or another job that nobody waits for. */
  jobMs: number;
}

export const usualLimits: PostgresLimits = { requestMs: 4_000, doubtMs: 1_000, lockMs: 2_000, jobMs: 60_000 };

/** Whether a caller waits for a statement. */
export type Pace = 'request' | 'job';

interface UsedConnection {
  query<Row extends pg.QueryResultRow>(
    query: string | pg.QueryConfig,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<Row>>;
  release(discard?: boolean): void;
}

/**
 * A connection pool with a time limit for each statement. A network can drop packets silently, so only a timer on this side notices.
 * Then the connection is closed, together with all others of the same age.
 */
export class PostgresConnections {
  readonly #address: PostgresAddress;
  readonly #pool: pg.Pool;
  readonly limits: PostgresLimits;
  /** Connections of an older generation are closed instead of used. */
  #generation = 0;
  readonly #generations = new WeakMap<pg.PoolClient, number>();
  /** Whether the server does not reply, not even on a new connection. */
  #isInDoubt = false;
  /** Runs after a late reply, until it is known whether the server replies. */
  #probing: Promise<void> | undefined;

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
    // Without listeners, a lost connection would end this process. The pool listens only to idle connections; the user of a
    // connection gets the error from the next statement.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
    this.#pool.on('error', (error) =>
      options.logger.warn({ err: error, location: address.location }, 'a database connection was lost'),
    );
  }

  /** Returns a pool for Kysely, which takes a connection for each statement or transaction. */
  poolFor(pace: Pace): PostgresPool {
    // Kysely only calls the methods of UsedConnection, unless a cursor is configured.
    const connect = () => this.#connect(pace) as Promise<UsedConnection & PostgresPoolClient>;
    return { connect, end: async () => {}, options: {} };
  }

  async query<Row extends pg.QueryResultRow>(query: pg.QueryConfig, pace: Pace): Promise<pg.QueryResult<Row>> {
    const connection = await this.#connect(pace);
    let isSpent = true;
    try {
      const result = await connection.query<Row>(query);
      isSpent = false;
      return result;
    } finally {
      connection.release(isSpent);
    }
  }

  async #connect(pace: Pace): Promise<UsedConnection> {
    if (pace === 'job') return this.#checkOut(undefined);
    if (!this.#isInDoubt) await this.#probing;
    // The first statement shares its time with the wait for a connection.
    let endsAt = performance.now() + this.#limitMs;
    const client = await this.#checkOut(endsAt);
    let loss: unknown;
    return {
      query: async <Row extends pg.QueryResultRow>(query: string | pg.QueryConfig, values?: readonly unknown[]) => {
        // Kysely then rolls back, and would report that failure instead of its cause.
        if (loss !== undefined) throw loss;
        const replying = client.query<Row>(query as string, values as unknown[]);
        const leftMs = endsAt - performance.now();
        endsAt = 0;
        try {
          return await this.#before(replying, leftMs > 0 ? leftMs : this.#limitMs, () => this.#giveUp(client));
        } catch (error) {
          if (isConnectionLoss(error)) loss = error;
          throw error;
        }
      },
      release: (discard) => client.release(discard),
    };
  }

  get #limitMs(): number {
    return this.#isInDoubt ? this.limits.doubtMs : this.limits.requestMs;
  }

  /** Replaces all existing connections with new ones from now on. */
  renew(): void {
    this.#generation += 1;
  }

  /** Call it after any reply of the server. */
  trust(): void {
    this.#isInDoubt = false;
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  async #checkOut(endsAt: number | undefined): Promise<pg.PoolClient> {
    for (;;) {
      const connecting = this.#pool.connect();
      const client =
        endsAt === undefined
          ? await connecting
          : await this.#before(connecting, endsAt - performance.now(), () => {
              connecting.then((late) => late.release()).catch(() => {});
              this.#probe();
            });
      const generation = this.#generations.get(client);
      if (generation === undefined) this.#generations.set(client, this.#generation);
      if (generation === undefined || generation === this.#generation) return client;
      client.release(true);
    }
  }

  #before<T>(reply: Promise<T>, limitMs: number, onLate: () => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        onLate();
        reject(new LateError('PostgreSQL did not reply in time.'));
      }, limitMs);
      reply.then(
        (value) => {
          clearTimeout(timer);
          resolve(value);
        },
        (error: unknown) => {
          clearTimeout(timer);
          reject(error);
        },
      );
    });
  }

  #giveUp(client: pg.PoolClient): void {
    this.renew();
    const { processID } = client as pg.PoolClient & { processID?: number | null };
    // While a statement is running, this closes the socket at once.
    (client as pg.PoolClient & pg.Client).end().catch(() => {});
    this.#probe(processID ?? undefined);
  }

  /** Checks whether the server still replies: one slow statement does not mean that the next ones are slow. */
  #probe(processId?: number): void {
    const asking = this.#ask(processId);
    const probing = this.#before(asking, this.limits.doubtMs, () => {})
      .catch(() => false)
      .then((replies) => {
        this.#isInDoubt = !replies;
        if (this.#probing === probing) this.#probing = undefined;
      });
    this.#probing = probing;
  }

  /**
   * Resolves to whether the server replies on a new connection. Cancels the statement of the given process, which the server would
   * otherwise continue although nobody waits for its result. Never rejects.
   */
  async #ask(processId?: number): Promise<boolean> {
    const { requestMs } = this.limits;
    const limits = { connectionTimeoutMillis: requestMs, query_timeout: requestMs };
    const client = new pg.Client({ ...this.#address.config, ...limits });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query(processId === undefined ? 'select 1' : `select pg_cancel_backend(${processId})`);
      this.trust();
      return true;
    } catch (error) {
      return !isConnectionLoss(error);
    } finally {
      client.end().catch(() => {});
    }
  }
}
