import { Kysely, PostgresDialect, sql } from 'kysely';
import type { QueryResultRow } from 'pg';
import { HubError } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';
import { Slots } from '../../base/slots.ts';
import type { BulkInsert, Database, DecisionBatch, PreparedQuery, WaitingStep, Write } from '../database.ts';
import { GatheredChanges } from '../gathered-changes.ts';
import { type MigratedPart, migrateInParts, waitingSentence } from '../migrate.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { Tables } from '../tables.ts';
import { PostgresAbsence } from './postgres-absence.ts';
import { type PostgresAddress, parsePostgresUrl } from './postgres-address.ts';
import { type NotedChanges, PostgresChanges } from './postgres-changes.ts';
import { type Pace, PostgresConnections, type PostgresLimits, usualLimits } from './postgres-connections.ts';
import { postgresSql } from './postgres-dialect.ts';
import {
  describePostgresFailure,
  isConnectionLoss,
  isReadOnlyServer,
  LateError,
  repeatAfterDeadlock,
  repeatWhileLocked,
  toStoreError,
} from './postgres-errors.ts';
import { notifyText, PostgresListener } from './postgres-listener.ts';
import { fillSegmentQuery, insertDecisionsOf } from './postgres-statements.ts';
import type { RunQuery } from './recent-changes.ts';

/** Must differ from the advisory locks of other programs in this database. */
const migrationLock = 4_704_175_401;

/** How many connections a process has at most, unless `[db] max_connections` says otherwise. */
export const usualConnections = 6;

export interface PostgresOptions {
  url: string;
  /** An address for LISTEN that leads past a pooler. */
  listenUrl?: string | undefined;
  /** A NATS server that carries the notices instead. */
  busUrl?: string | undefined;
  maxConnections?: number | undefined;
  /** Whether statements are prepared; undefined means unless there is a pooler. */
  prepare?: boolean | undefined;
  logger: Logger;
  limits?: PostgresLimits;
}

/** Connects to the database and brings its tables up to date. Throws INVALID_CONFIG, UNAVAILABLE. */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const address = parsePostgresUrl(options.url);
  const lines = await linesOf(options, address);
  const { logger, limits = usualLimits, maxConnections = usualConnections, prepare } = options;
  // One of the connections is for notices.
  const connections = new PostgresConnections(address, {
    logger,
    limits,
    maxConnections: Math.max(maxConnections - 1, 1),
    prepare,
  });
  const jobs = kyselyOn(connections, 'job');
  try {
    await connections.findPooler();
    const waiting = await bringUpToDate(jobs, { location: address.location, limits: connections.limits });
    if (waiting.length > 0) logger.warn({ waiting }, waitingSentence);
  } catch (error) {
    await connections.end();
    throw error instanceof HubError ? error : describePostgresFailure(error, address.location);
  }
  const query: RunQuery = async <Row extends QueryResultRow>(text: string, values: unknown[]) =>
    (await connections.query<Row>({ text, values }, 'request')).rows;
  const changes = new PostgresChanges({ logger, query, ...lines(query, limits) });
  const database = new PostgresStoreDatabase({ address, connections, jobs, changes, logger: options.logger });
  await changes.listen();
  return database;
}

interface Upgrade {
  location: string;
  limits: PostgresLimits;
  isForced?: boolean | undefined;
}

/**
 * Migrates while other processes may be serving. What waits for a table's lock stops everybody who comes after it, so each part of a
 * migration waits for less time than they would, gives way, and tries again.
 */
function bringUpToDate(jobs: Kysely<Tables>, { location, limits, isForced = false }: Upgrade): Promise<WaitingStep[]> {
  const inTransaction = (run: (transaction: Kysely<Tables>) => Promise<MigratedPart>) => {
    const attempt = (number: number) =>
      jobs.transaction().execute(async (transaction) => {
        await setLockTimeout(transaction, limits.jobMs);
        await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(transaction);
        await setLockTimeout(transaction, lockWaitMs(number, limits));
        return run(transaction);
      });
    return repeatWhileLocked((number) => repeatAfterDeadlock(() => attempt(number)), limits.jobMs);
  };
  return migrateInParts(inTransaction, location, { isForced });
}

/** Returns how long a part of a migration waits for a lock. PostgreSQL interrupts its own autovacuum only for those who wait a second. */
function lockWaitMs(attempt: number, { lockMs }: PostgresLimits): number {
  return Math.round(attempt % 4 === 3 ? lockMs * 0.75 : lockMs / 8);
}

type OpenLine = Pick<ConstructorParameters<typeof PostgresChanges>[0], 'openLine' | 'advice'>;

/** Chooses what carries notices. Throws INVALID_CONFIG. */
async function linesOf(
  { listenUrl, busUrl, logger }: PostgresOptions,
  address: PostgresAddress,
): Promise<(query: RunQuery, limits: PostgresLimits) => OpenLine> {
  if (busUrl !== undefined) {
    // Loaded on demand, because few hubs use NATS.
    const { NatsLine, parseNatsUrl } = await import('../nats-line.ts');
    const url = parseNatsUrl(busUrl);
    return () => ({
      advice: 'Check [db] bus_url and the NATS server.',
      openLine: (events) => new NatsLine({ ...events, url, logger }),
    });
  }
  const direct = listenUrl === undefined ? [] : [parsePostgresUrl(listenUrl, '[db] listen_url')];
  const [first = address, ...others] = [...direct, address];
  return (query, limits) => ({
    advice:
      listenUrl === undefined
        ? 'If [db] url leads to a pooler in transaction mode, set [db] listen_url to an address of the server itself.'
        : 'Correct [db] listen_url: it must lead to the server itself, and to the same database.',
    openLine: (events) => {
      const timed = (each: PostgresAddress) => ({
        ...each,
        config: { ...each.config, connectionTimeoutMillis: limits.requestMs },
      });
      const notify = (channel: string, notice: string) => query(notifyText, [channel, notice]);
      return new PostgresListener({ ...events, addresses: [timed(first), ...others.map(timed)], notify });
    },
  });
}

function kyselyOn(connections: PostgresConnections, pace: Pace): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: connections.poolFor(pace) }) });
}

async function setLockTimeout(db: Kysely<Tables>, milliseconds: number): Promise<void> {
  await sql`set local lock_timeout = ${sql.lit(milliseconds)}`.execute(db);
}

interface PostgresParts {
  address: PostgresAddress;
  connections: PostgresConnections;
  jobs: Kysely<Tables>;
  changes: PostgresChanges;
  logger: Logger;
}

/** A PostgreSQL database: a pool for statements, and one connection that announces and receives changes. */
class PostgresStoreDatabase implements Database {
  readonly kind = 'postgres';
  readonly dialect: SqlDialect = postgresSql;
  readonly location: string;
  readonly changes: PostgresChanges;
  readonly clock: PostgresChanges['clock'];
  readonly health: PostgresAbsence;
  readonly #connections: PostgresConnections;
  readonly #requests: Kysely<Tables>;
  readonly #jobs: Kysely<Tables>;
  #closing: Promise<void> | undefined;
  readonly #running = new Slots<Promise<unknown>>();

  constructor(parts: PostgresParts) {
    this.location = parts.address.location;
    this.#connections = parts.connections;
    this.#requests = kyselyOn(parts.connections, 'request');
    this.#jobs = parts.jobs;
    this.changes = parts.changes;
    this.clock = parts.changes.clock;
    const { location } = parts.address;
    this.health = new PostgresAbsence({ location, replies: () => parts.connections.replies(), logger: parts.logger });
  }

  read<T>(run: (db: Kysely<Tables>) => Promise<T>, { isJob = false } = {}): Promise<T> {
    return this.#use(() => run(isJob ? this.#jobs : this.#requests));
  }

  async write<T>(run: (write: Write) => Promise<T>, { isDurable = true, isJob = false } = {}): Promise<T> {
    const changed = new GatheredChanges();
    let noted: NotedChanges | undefined;
    const use = { mayHaveRun: false };
    const transact = () =>
      (isJob ? this.#jobs : this.#requests).transaction().execute(async (db) => {
        changed.take();
        noted = undefined;
        use.mayHaveRun = false;
        // Nobody waits for a job.
        if (isJob) await setLockTimeout(db, this.#connections.limits.jobMs);
        if (!isDurable) await sql`set local synchronous_commit to off`.execute(db);
        const value = await run(changed.writeTo(db));
        if (!changed.isEmpty) noted = await this.changes.note(db, changed.take());
        // The commit is next. If the connection is lost now, its fate is unknown.
        use.mayHaveRun = true;
        return value;
      });
    const transactAndTell = async () => {
      try {
        return await repeatAfterDeadlock(transact);
      } catch (error) {
        if (!use.mayHaveRun) noted = undefined;
        throw error;
      } finally {
        // If the outcome is unknown, something may have changed.
        if (noted) this.changes.committed(noted);
      }
    };
    return this.#use(transactAndTell, use);
  }

  execute<T>(run: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.#use(() => repeatAfterDeadlock(() => run(this.#requests)), { mayHaveRun: true });
  }

  insertDecisions(take: () => DecisionBatch): Promise<number | undefined> {
    const insert = async () => {
      const { rows } = await this.#connections.query<{ seq: number }>(insertDecisionsOf(take()), 'request');
      return rows.at(-1)?.seq;
    };
    return this.#use(insert, { mayHaveRun: true });
  }

  select<Row>(query: PreparedQuery): Promise<Row[]> {
    return this.#use(async () => {
      const { rows } = await this.#connections.query({ ...query, values: [...query.values] }, 'request');
      // The caller knows the columns of its statement.
      return rows as Row[];
    });
  }

  fillSegment(segment: number, inserts: readonly BulkInsert[]): Promise<boolean> {
    const fill = async () => {
      const { rowCount } = await this.#connections.query(fillSegmentQuery(segment, inserts), 'job');
      return rowCount === 1;
    };
    return this.#use(fill, { mayHaveRun: true });
  }

  migrate({ isForced }: { isForced?: boolean } = {}): Promise<WaitingStep[]> {
    const { limits } = this.#connections;
    return this.#use(() => bringUpToDate(this.#jobs, { location: this.location, limits, isForced }));
  }

  async probe(): Promise<void> {
    if (await this.#use(() => this.#connections.takesWrites())) return;
    throw new HubError(
      'UNAVAILABLE',
      `The database ${this.location} is read-only. Connect the hub to the primary server.`,
    );
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.health.close();
    await Promise.allSettled(this.#running);
    await this.changes.close();
    await this.#connections.end();
  }

  /** Runs a request and translates its failure. `use.mayHaveRun` is read after the failure. */
  async #use<T>(run: () => Promise<T>, use: { mayHaveRun?: boolean } = {}): Promise<T> {
    if (this.#closing !== undefined) throw new HubError('UNAVAILABLE', `The database ${this.location} is closed.`);
    this.health.refuse();
    const running = run();
    const slot = this.#running.add(running);
    try {
      const result = await running;
      this.#connections.trust();
      return result;
    } catch (error) {
      if (error instanceof HubError) throw error;
      if (isReadOnlyServer(error)) this.#connections.renew();
      if (isConnectionLoss(error)) this.health.suspect(error instanceof LateError);
      throw toStoreError(error, { location: this.location, mayHaveRun: use.mayHaveRun ?? false }) ?? error;
    } finally {
      this.#running.remove(slot);
    }
  }
}
