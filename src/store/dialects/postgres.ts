import { Kysely, PostgresDialect, sql } from 'kysely';
import type pg from 'pg';
import { EventChannel } from '../../base/events.ts';
import { HubError } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';
import { Slots } from '../../base/slots.ts';
import { bumpRevision } from '../bump-revision.ts';
import {
  type BulkInsert,
  type Database,
  type PreparedQuery,
  type RevisionKey,
  revisionKeys,
  type Write,
} from '../database.ts';
import type { DecisionBatch } from '../decisions-chain.ts';
import { migrate } from '../migrate.ts';
import type { Tables } from '../tables.ts';
import {
  connectionLost,
  describePostgresFailure,
  isConnectionLoss,
  openPostgresPool,
  type PostgresAddress,
  parsePostgresUrl,
  repeatAfterDeadlock,
} from './open-postgres-pool.ts';
import { insertDecisionsOf } from './postgres-decisions.ts';
import { fillSegmentQuery } from './postgres-fill.ts';
import { channel, PostgresListener } from './postgres-listener.ts';

/** Any number that no other program of this database uses for its advisory locks. */
const migrationLock = 4_704_175_401;

/** Connects, and brings the tables up to date. Throws INVALID_CONFIG, UNAVAILABLE. */
export async function openPostgres(options: { url: string; logger: Logger }): Promise<Database> {
  const address = parsePostgresUrl(options.url);
  const pool = openPostgresPool(address, options.logger);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await db.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(transaction);
      await migrate(transaction, address.place);
    });
  } catch (error) {
    await pool.end();
    throw error instanceof HubError ? error : describePostgresFailure(error, address.place);
  }
  const database = new PostgresStoreDatabase({ address, pool, db, logger: options.logger });
  await database.listen();
  return database;
}

interface PostgresParts {
  address: PostgresAddress;
  pool: pg.Pool;
  db: Kysely<Tables>;
  logger: Logger;
}

/** A pool for statements and one connection that hears of changes. While that one is lost, counters are unknown. */
class PostgresStoreDatabase implements Database {
  readonly kind = 'postgres';
  readonly place: string;
  readonly #pool: pg.Pool;
  readonly #db: Kysely<Tables>;
  readonly #changes: EventChannel<void>;
  readonly #listener: PostgresListener;
  readonly #known = new Map<string, number>();
  #isListening = false;
  #closing: Promise<void> | undefined;
  readonly #running = new Slots<Promise<unknown>>();

  constructor(parts: PostgresParts) {
    this.place = parts.address.place;
    this.#pool = parts.pool;
    this.#db = parts.db;
    this.#changes = new EventChannel((error) => parts.logger.error({ err: error }, 'a listener of the store failed'));
    this.#listener = new PostgresListener({
      config: parts.address.config,
      logger: parts.logger,
      onNotice: (payload) => this.#heard(payload),
      onConnected: () => this.#readCounters(),
      onLost: () => {
        this.#isListening = false;
      },
    });
  }

  listen(): Promise<void> {
    return this.#listener.connect();
  }

  read<T>(run: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.#use(() => run(this.#db));
  }

  async write<T>(run: (write: Write) => Promise<T>, { isDurable = true } = {}): Promise<T> {
    const bumped = new Map<RevisionKey, number>();
    const result = await this.#use(() =>
      repeatAfterDeadlock(() =>
        this.#db.transaction().execute(async (db) => {
          bumped.clear();
          const bump = async (key: RevisionKey) => {
            const value = await bumpRevision(db, key);
            bumped.set(key, value);
            return value;
          };
          if (!isDurable) await sql`set local synchronous_commit to off`.execute(db);
          const value = await run({ db, bump });
          for (const [key, count] of bumped) {
            await sql`select pg_notify(${channel}, ${`${key} ${count}`})`.execute(db);
          }
          return value;
        }),
      ),
    );
    this.#learn(bumped);
    return result;
  }

  revision(key: RevisionKey): number | undefined {
    return this.#isListening ? (this.#known.get(key) ?? 0) : undefined;
  }

  watch(onChange: () => void): () => void {
    return this.#changes.on(onChange);
  }

  insertDecisions(take: () => DecisionBatch): Promise<number | undefined> {
    return this.#use(async () => {
      const { rows } = await this.#pool.query<{ seq: number }>(insertDecisionsOf(take()));
      return rows.at(-1)?.seq;
    });
  }

  select<Row>(query: PreparedQuery): Promise<Row[]> {
    return this.#use(async () => {
      const { rows } = await this.#pool.query({ ...query, values: [...query.values] });
      return rows;
    });
  }

  fillSegment(segment: number, inserts: readonly BulkInsert[]): Promise<boolean> {
    return this.#use(async () => {
      const { rowCount } = await this.#pool.query(fillSegmentQuery(segment, inserts));
      return rowCount === 1;
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#running);
    await this.#listener.close();
    await this.#pool.end();
  }

  async #use<T>(run: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw new HubError('UNAVAILABLE', `The database ${this.place} is closed.`);
    const running = run();
    const place = this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      if (!(error instanceof HubError) && isConnectionLoss(error)) throw connectionLost(error, this.place);
      throw error;
    } finally {
      this.#running.remove(place);
    }
  }

  #heard(payload: string): void {
    const [key = '', count = ''] = payload.split(' ');
    this.#learn(new Map([[key, Number(count)]]));
  }

  async #readCounters(): Promise<void> {
    const rows = await this.#db.selectFrom('revisions').selectAll().where('key', 'in', revisionKeys).execute();
    this.#isListening = true;
    this.#learn(new Map(rows.map((row) => [row.key, row.value])));
  }

  /** Our own writes and notices come in any order; a counter only grows. */
  #learn(counts: ReadonlyMap<string, number>): void {
    let isNew = false;
    for (const [key, count] of counts) {
      if (!(count > (this.#known.get(key) ?? 0))) continue;
      this.#known.set(key, count);
      isNew = true;
    }
    if (isNew) this.#changes.emit();
  }
}
