import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { Logger } from '../../base/logger.ts';
import { cancelStatement } from './cancel-statement.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { isConnectionLoss, isForeignPreparation, isRefusedParameter, LateError } from './postgres-errors.ts';

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

/** From this version on, a server reports when it becomes a standby or a setting stops writes. */
const reportsWritesFrom = 140_000;

/** Whether a caller waits for a statement. */
export type Pace = 'request' | 'job';

interface UsedConnection {
  query<Row extends pg.QueryResultRow>(
    query: string | pg.QueryConfig,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<Row>>;
  takesWrites(): Promise<boolean>;
  release(discard?: boolean): void;
}

interface PoolOptions {
  logger: Logger;
  limits: PostgresLimits;
  maxConnections: number;
  /** Whether statements may be prepared once and used often; undefined means unless there is a pooler. */
  prepare: boolean | undefined;
}

/**
 * A connection pool with a time limit for each statement. A network can drop packets silently, so only a timer on this side notices.
 * Then the connection is closed, together with all others of the same age.
 */
export class PostgresConnections {
  readonly #address: PostgresAddress;
  readonly #options: PoolOptions;
  readonly limits: PostgresLimits;
  #pool: pg.Pool;
  /** Whether a pooler may give each transaction another connection. Then nothing may depend on the session. */
  #isPooled = false;
  #prepares: boolean;
  /** Connections of an older generation are closed instead of used. */
  #generation = 0;
  readonly #generations = new WeakMap<pg.PoolClient, number>();
  /** A pooler finds the statement to cancel only while its connection is open. */
  readonly #cancelling = new WeakMap<pg.PoolClient, Promise<void>>();
  /** Connections to a server that takes writes, and that reports when it no longer does. */
  readonly #writable = new WeakSet<pg.PoolClient>();
  /** Whether the server does not reply, not even on a new connection. */
  #isInDoubt = false;
  /** Runs after a late reply, until it is known whether the server replies. */
  #probing: Promise<void> | undefined;

  constructor(address: PostgresAddress, options: PoolOptions) {
    this.#address = address;
    this.#options = options;
    this.limits = options.limits;
    this.#prepares = options.prepare ?? true;
    this.#pool = this.#openPool();
  }

  #openPool(): pg.Pool {
    const { logger, limits, maxConnections } = this.#options;
    const { requestMs, jobMs, lockMs } = limits;
    const pool = new pg.Pool({
      ...this.#address.config,
      connectionTimeoutMillis: requestMs,
      query_timeout: jobMs + requestMs,
      // Parameters of the session. A pooler refuses or ignores them, so each transaction sets them then.
      ...(!this.#isPooled && { statement_timeout: jobMs, lock_timeout: lockMs }),
      max: maxConnections,
      idleTimeoutMillis: 30_000,
      allowExitOnIdle: true,
    });
    // Without listeners, a lost connection would end this process. The pool listens only to idle connections; the user of a
    // connection gets the error from the next statement.
    pool.on('connect', (client) => {
      client.on('error', () => {});
      wireOf(client).on('parameterStatus', () => this.#writable.delete(client));
    });
    pool.on('error', (error) =>
      logger.warn({ err: error, location: this.#address.location }, 'a database connection was lost'),
    );
    return pool;
  }

  /** Finds out whether there is a pooler, which does not reveal the number of the server's process. Call it before anything else. */
  async findPooler(): Promise<void> {
    try {
      const client = await this.#pool.connect();
      try {
        const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
        if (rows[0]?.pid === idOf(client)) return;
      } finally {
        client.release();
      }
    } catch (error) {
      if (!isRefusedParameter(error)) throw error;
    }
    await this.#pool.end();
    this.#isPooled = true;
    this.#prepares = this.#options.prepare ?? false;
    this.#pool = this.#openPool();
  }

  /** Returns a pool for Kysely, which takes a connection for each statement or transaction. */
  poolFor(pace: Pace): PostgresPool {
    // Kysely only calls the methods of UsedConnection, unless a cursor is configured.
    const connect = () => this.#connect(pace) as Promise<UsedConnection & PostgresPoolClient>;
    return { connect, end: async () => {}, options: {} };
  }

  /** Runs a statement that is a transaction by itself. A statement with a name is prepared. */
  async query<Row extends pg.QueryResultRow>(
    { name, ...plain }: pg.QueryConfig,
    pace: Pace,
  ): Promise<pg.QueryResult<Row>> {
    if (name === undefined || !this.#prepares) return this.#query(plain, pace);
    try {
      return await this.#query({ name, ...plain }, pace);
    } catch (error) {
      if (!isForeignPreparation(error)) throw error;
      // A pooler that looks like the server. The statement has not run.
      this.#prepares = false;
      this.#options.logger.warn({}, 'the pooler does not keep prepared statements, so they are now off');
      return this.#query(plain, pace);
    }
  }

  /** Resolves to whether the server takes writes now. Usually costs it no statement. */
  takesWrites(): Promise<boolean> {
    return this.#use('request', (connection) => connection.takesWrites());
  }

  #query<Row extends pg.QueryResultRow>(query: pg.QueryConfig, pace: Pace): Promise<pg.QueryResult<Row>> {
    return this.#use(pace, (connection) => connection.query<Row>(query));
  }

  async #use<T>(pace: Pace, run: (connection: UsedConnection) => Promise<T>): Promise<T> {
    const connection = await this.#connect(pace);
    let isSpent = true;
    try {
      const result = await run(connection);
      isSpent = false;
      return result;
    } finally {
      connection.release(isSpent);
    }
  }

  async #connect(pace: Pace): Promise<UsedConnection> {
    const isJob = pace === 'job';
    if (!isJob && !this.#isInDoubt) await this.#probing;
    // The first statement shares its time with the wait for a connection.
    let endsAt = isJob ? undefined : performance.now() + this.#limitMs;
    const client = await this.#checkOut(endsAt);
    let loss: unknown;
    const inTime = async <T>(send: () => Promise<T>): Promise<T> => {
      // Kysely then rolls back, and would report that failure instead of its cause.
      if (loss !== undefined) throw loss;
      const replying = send();
      const leftMs = (endsAt ?? 0) - performance.now();
      endsAt = 0;
      const limitMs = isJob ? this.#jobLimitMs : leftMs > 0 ? leftMs : this.#limitMs;
      try {
        return await this.#before(replying, limitMs, () => this.#giveUp(client));
      } catch (error) {
        if (isConnectionLoss(error)) loss = error;
        throw error;
      }
    };
    return {
      query: <Row extends pg.QueryResultRow>(query: string | pg.QueryConfig, values?: readonly unknown[]) => {
        const sent = typeof query === 'string' ? this.#withLimits(query) : query;
        return inTime(() => client.query<Row>(sent as string, values as unknown[]));
      },
      takesWrites: () => inTime(() => this.#takesWrites(client)),
      release: (discard) => client.release(discard),
    };
  }

  async #takesWrites(client: pg.PoolClient): Promise<boolean> {
    if (this.#writable.has(client)) await ping(client);
    // What the server had to report came with its reply.
    if (this.#writable.has(client)) return true;
    const { rows } = await client.query<{ value: string; version: string }>(
      `select current_setting('transaction_read_only') as value, current_setting('server_version_num') as version`,
    );
    const isWritable = rows[0]?.value === 'off';
    // Behind a pooler, the next reply may come from another server, or from the pooler.
    if (isWritable && !this.#isPooled && Number(rows[0]?.version) >= reportsWritesFrom) this.#writable.add(client);
    return isWritable;
  }

  /** Behind a pooler, a transaction sets the time limits that the session would have. */
  #withLimits(query: string): string {
    if (!this.#isPooled || !/^(?:begin|start transaction)\b/i.test(query)) return query;
    const { lockMs, jobMs } = this.limits;
    return `${query}; set local lock_timeout = ${lockMs}; set local statement_timeout = ${jobMs}`;
  }

  /** The server ends the statement of a job itself, unless a pooler took its limit away. */
  get #jobLimitMs(): number {
    return this.limits.jobMs + (this.#isPooled ? 0 : this.limits.requestMs);
  }

  get #limitMs(): number {
    return this.#isInDoubt ? this.limits.doubtMs : this.limits.requestMs;
  }

  /** Resolves to whether the server replies on a new connection. A server that takes too long does not. Never rejects. */
  replies(): Promise<boolean> {
    return this.#before(this.#ask(), this.limits.doubtMs, () => {}).catch(() => false);
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
      const cancelling = this.#cancelling.get(client) ?? Promise.resolve();
      void cancelling.then(() => client.release(true));
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
    // While a statement is running, this closes the socket at once.
    const end = () => (client as pg.PoolClient & pg.Client).end().catch(() => {});
    if (this.#isPooled) this.#cancelling.set(client, cancelStatement(client, this.limits.doubtMs).then(end));
    else void end();
    this.#probe(this.#isPooled ? undefined : (idOf(client) ?? undefined));
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

/** Resolves when the server replies to an empty message, for which it runs nothing. */
function ping(client: pg.PoolClient): Promise<void> {
  return new Promise((resolve, reject) => {
    const message = {
      // pg wraps it to stop its timer.
      callback: (error?: Error) => (error ? reject(error) : resolve()),
      submit: (wire: pg.Connection) => wire.sync(),
      handleReadyForQuery: () => message.callback(),
      handleError: (error: Error) => message.callback(error),
    };
    client.query(message);
  });
}

function wireOf(client: pg.PoolClient): pg.Connection {
  return (client as pg.PoolClient & { connection: pg.Connection }).connection;
}

function idOf(client: pg.PoolClient): number | null | undefined {
  return (client as pg.PoolClient & { processID?: number | null }).processID;
}
