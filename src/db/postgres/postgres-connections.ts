import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { Logger } from '../../base/logger.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { isConnectionLoss, LateError } from './postgres-errors.ts';

export interface PostgresLimits {
  /** For one statement that somebody waits for; the first of a transaction has it with the wait for a connection. */
  requestMs: number;
  /**
   * The same while the server does not reply at all, so that a caller with several to do still hears within seconds. It is also
   * how long the server may take to reply on a new connection before that is assumed.
   */
  doubtMs: number;
  /** For a lock that another session holds. */
  lockMs: number;
  /** For each statement of a migration, a backup or another job that nobody waits for. */
  jobMs: number;
}

export const usualLimits: PostgresLimits = { requestMs: 4_000, doubtMs: 1_000, lockMs: 2_000, jobMs: 60_000 };

/** Whether somebody waits for it. */
export type Pace = 'request' | 'job';

interface UsedConnection {
  query<Row extends pg.QueryResultRow>(
    query: string | pg.QueryConfig,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<Row>>;
  release(discard?: boolean): void;
}

/**
 * The pool, with a limit for each statement. A network can swallow packets without a word, so only a timer on this side
 * notices; the connection is given up then, and with it every other one that is as old.
 */
export class PostgresConnections {
  readonly #address: PostgresAddress;
  readonly #pool: pg.Pool;
  readonly limits: PostgresLimits;
  /** Connections of an older generation are closed instead of used. */
  #generation = 0;
  readonly #generations = new WeakMap<pg.PoolClient, number>();
  /** The server does not reply, not even on a new connection. */
  #isInDoubt = false;
  /** Runs after something was late, until it is known whether the server replies. */
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
    // Without listeners a lost connection would end this process. The pool listens only to idle ones: whoever uses one
    // hears of the loss from the next statement.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
    this.#pool.on('error', (error) =>
      options.logger.warn({ err: error, location: address.location }, 'a database connection was lost'),
    );
  }

  /** For Kysely, which asks for a connection for each statement or transaction. */
  poolFor(pace: Pace): PostgresPool {
    // Kysely calls what a UsedConnection has, and a cursor only where one is configured.
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
        // Kysely rolls back then, and would report that this failed, too, instead of why.
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
        reject(new LateError('There was no reply in time.'));
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
    // With a statement on its way, this closes the socket at once.
    (client as pg.PoolClient & pg.Client).end().catch(() => {});
    this.#probe(processID ?? undefined);
  }

  /** Finds out whether the server still replies: one slow statement says nothing about the next ones. */
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
   * Resolves to whether the server replies on a new connection. Cancels the statement of the given process, which the server
   * would otherwise go on with, and keep its connection, although nobody is there to hear the end of it. Never rejects.
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
