import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Clock, toIso } from '../base/clock.ts';
import { holderState, holderWords, newHolder } from '../base/holder.ts';
import { HubError } from '../base/hub-error.ts';
import type { Lease, ProcessLeases } from '../base/lease.ts';
import type { Logger } from '../base/logger.ts';
import { Standstill } from '../base/standstill.ts';
import type { Database } from './database.ts';
import type { Tables } from './tables.ts';

/** How long a lease lasts after its holder last renewed it. */
const leaseMs = 20_000;
const renewMs = 4_000;
/** Processes that end sooner write nothing. */
const firstRenewMs = 500;
/** After a pause of the database or the machine, every lease is over: a living holder gets this long to renew its own. */
const confirmMs = 5_000;
const forgetMs = 7 * 24 * 3_600_000;

export interface LeaseParts {
  database: Database;
  clock: Clock;
  logger: Logger;
  /** The name under which this process holds leases; a test gives one to stand for another machine. */
  holder?: string | undefined;
}

/**
 * The one answer to "is that process gone?". Every process that holds something (an answer, a sync, a delivery, calls in the log)
 * renews one lease for all of it. A process of this machine is gone when the system says so. On PostgreSQL a process elsewhere is gone
 * when its lease is over by the database's clock. A SQLite file has no clock of its own, and containers that share it may not see
 * each other's processes: there a lease must stand still for its whole length while somebody watches.
 */
export class Leases implements ProcessLeases {
  readonly #parts: LeaseParts;
  readonly #seen = new Standstill();
  readonly #held = new Map<string, AbortController>();
  /** Names that are being taken. */
  readonly #taking = new Set<string>();
  #holder: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;
  #hasRow = false;
  #mayHaveRow = false;
  #mustTidy = false;
  #hasFailed = false;
  #isClosed = false;

  constructor(parts: LeaseParts) {
    this.#parts = parts;
    this.#holder = parts.holder;
  }

  /** Made when it is first asked for: a process that holds nothing starts without it. */
  get holder(): string {
    this.#holder ??= newHolder();
    return this.#holder;
  }

  /** Tells others from now on that this process is there. Writes nothing before it returns. */
  keep(): void {
    if (!this.#timer && !this.#isClosed) this.#renewIn(firstRenewMs);
  }

  /** The same, in the transaction by which the process takes what it holds. */
  async enter(db: Kysely<Tables>): Promise<void> {
    this.keep();
    this.#mayHaveRow = true;
    if (!this.#hasRow) await this.#upsert(db, [this.holder]);
  }

  /**
   * Returns those of the holders whose process has ended. Without a sign from the system this takes several looks, so that nobody
   * is taken for dead because of a clock. `db`: inside a transaction.
   */
  async gone(holders: Iterable<string>, db?: Kysely<Tables>): Promise<Set<string>> {
    const hasClock = this.#parts.database.dialect.now !== undefined;
    return this.#judge(holders, db, (holder, row) => {
      if (hasClock && row?.isOver === false) return false;
      return this.#seen.isStill(holder, row?.until, hasClock && row ? confirmMs : leaseMs);
    });
  }

  /** Returns those of the holders that are not heard of, for showing it: at a single look and by a clock, so nothing may be taken from them. */
  silent(holders: Iterable<string>): Promise<Set<string>> {
    return this.#judge(holders, undefined, (_holder, row) => row?.isOver ?? true);
  }

  /**
   * Takes what only one process may have at a time. Throws CONFLICT, with who has it and since when; `what` begins its message:
   * "The source x is being synced".
   */
  async take(name: string, what = `"${name}" is held`): Promise<Lease> {
    if (this.#held.has(name) || this.#taking.has(name)) throw await this.#conflict(name, what);
    this.#taking.add(name);
    try {
      if (!(await this.#insert(name))) throw await this.#conflict(name, what);
      const lost = new AbortController();
      this.#held.set(name, lost);
      return { lost: lost.signal, release: () => this.#release(name, lost) };
    } finally {
      this.#taking.delete(name);
    }
  }

  /** Returns what is held of the names that begin with `prefix`, without the prefix. */
  async held(prefix: string): Promise<Set<string>> {
    const rows = await this.#parts.database.read((db) =>
      db.selectFrom('leases').select(['name', 'holder']).where('name', 'like', `${prefix}%`).execute(),
    );
    const gone = await this.gone(rows.map(({ holder }) => holder));
    const isHeld = ({ name, holder }: { name: string; holder: string }) =>
      holder === this.#holder ? this.#held.has(name) : !gone.has(holder);
    return new Set(rows.filter(isHeld).map(({ name }) => name.slice(prefix.length)));
  }

  /** Says now what `keep` says every few seconds. Never rejects. A row that was lost is put back, unless another process has the name. */
  async renew(): Promise<void> {
    const { database, logger } = this.#parts;
    const held = [...this.#held];
    this.#mayHaveRow = true;
    try {
      const renewed = await database.write(
        async ({ db }) => {
          if (!this.#hasRow) await sql`delete from leases where until < ${this.#now()} - ${forgetMs}`.execute(db);
          if (this.#mustTidy) await this.#tidy(db);
          return this.#upsert(db, [this.holder, ...held.map(([name]) => name)]);
        },
        { isDurable: false },
      );
      this.#hasRow = true;
      this.#hasFailed = false;
      for (const [name, lost] of held) {
        if (renewed.has(name) || this.#held.get(name) !== lost) continue;
        this.#held.delete(name);
        lost.abort(new HubError('CONFLICT', `Another process has taken over "${name}".`));
      }
    } catch (error) {
      if (!this.#isClosed && !this.#hasFailed)
        logger.warn({ err: error }, 'the lease of this process was not renewed; it is tried again every few seconds');
      this.#hasFailed = true;
    }
  }

  /** To be called when nothing is held any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#renewing;
    if (!this.#mayHaveRow) return;
    const { database, logger } = this.#parts;
    await database
      .write(({ db }) => db.deleteFrom('leases').where('holder', '=', this.holder).execute(), { isDurable: false })
      .catch((error: unknown) => logger.debug({ err: error }, 'a lease was not given back; it runs out by itself'));
  }

  async #judge(
    holders: Iterable<string>,
    db: Kysely<Tables> | undefined,
    isGone: (holder: string, row: SeenRow | undefined) => boolean,
  ): Promise<Set<string>> {
    const gone = new Set<string>();
    const states = new Map<string, ReturnType<typeof holderState>>();
    for (const holder of new Set(holders)) {
      if (holder === this.#holder) continue;
      const state = holderState(holder);
      if (state === 'ended') gone.add(holder);
      else states.set(holder, state);
    }
    if (states.size === 0) return gone;
    const rows = await this.#look([...states.keys()], db);
    for (const [holder, state] of states) {
      const row = rows.get(holder);
      // A process that runs and has no lease here works with another database, of which this one is a copy.
      if (!(state === 'running' && row) && isGone(holder, row)) gone.add(holder);
    }
    return gone;
  }

  async #look(names: readonly string[], db?: Kysely<Tables>): Promise<Map<string, SeenRow>> {
    const query = (by: Kysely<Tables>) =>
      by
        .selectFrom('leases')
        .select(['name', 'until', this.#now().as('now')])
        .where('name', 'in', names)
        .execute();
    const rows = await (db ? query(db) : this.#parts.database.read(query));
    return new Map(rows.map(({ name, until, now }) => [name, { until, isOver: until < now }]));
  }

  /** Returns the names that are ours. */
  async #upsert(db: Kysely<Tables>, names: readonly string[]): Promise<Set<string>> {
    const { dialect } = this.#parts.database;
    const next = sql<number>`excluded.until`;
    // Without the database's clock, others watch for a change, and this machine's clock may stand still or be set back.
    const until = dialect.now ? next : dialect.greatest(sql`leases.until + 1`, next);
    const { rows } = await sql<{ name: string }>`insert into leases (name, holder, since, until)
      values ${sql.join(names.map((name) => sql`(${this.#row(name)})`))}
      on conflict (name) do update set until = ${until} where leases.holder = excluded.holder returning name`.execute(
      db,
    );
    return new Set(rows.map(({ name }) => name));
  }

  async #insert(name: string): Promise<boolean> {
    const { database } = this.#parts;
    const before = await database.read((db) =>
      db.selectFrom('leases').select('holder').where('name', '=', name).executeTakeFirst(),
    );
    // One of our own that is not held is left from a release that failed.
    const isFree = before && (before.holder === this.holder || (await this.gone([before.holder])).size > 0);
    const from = isFree ? before.holder : '';
    return database.write(async ({ db }) => {
      await this.enter(db);
      const { rows } = await sql`insert into leases (name, holder, since, until) values (${this.#row(name)})
        on conflict (name) do update set holder = excluded.holder, since = excluded.since, until = excluded.until
        where leases.holder = ${from} returning name`.execute(db);
      return rows.length > 0;
    });
  }

  async #conflict(name: string, what: string): Promise<HubError> {
    const row = await this.#parts.database.read((db) =>
      db.selectFrom('leases').selectAll().where('name', '=', name).executeTakeFirst(),
    );
    const who = row ? holderWords(row.holder) : 'another process';
    const since = row ? toIso(row.since) : null;
    const message = `${what} by ${who}${since ? ` since ${since}` : ''}. Wait until that has ended.`;
    return new HubError('CONFLICT', message, { details: { name, holder: who, since } });
  }

  async #release(name: string, lost: AbortController): Promise<void> {
    if (this.#held.get(name) !== lost) return;
    this.#held.delete(name);
    // A renewal that has begun would put the row back.
    await this.#renewing;
    const { database, logger } = this.#parts;
    await database
      .write(({ db }) => db.deleteFrom('leases').where('name', '=', name).where('holder', '=', this.holder).execute())
      .catch((error: unknown) => {
        this.#mustTidy = true;
        logger.warn({ err: error, name }, 'a lease was not given back; it is tried again with the next renewal');
      });
  }

  /** Gives back what was not given back when it was released. */
  async #tidy(db: Kysely<Tables>): Promise<void> {
    const kept = [this.holder, ...this.#held.keys(), ...this.#taking];
    await db.deleteFrom('leases').where('holder', '=', this.holder).where('name', 'not in', kept).execute();
    this.#mustTidy = false;
  }

  #renewIn(milliseconds: number): void {
    this.#timer = setTimeout(() => {
      this.#renewing = this.renew().finally(() => {
        this.#renewing = undefined;
        if (!this.#isClosed) this.#renewIn(renewMs);
      });
    }, milliseconds).unref();
  }

  #row(name: string): RawBuilder<unknown> {
    return sql`${name}, ${this.holder}, ${this.#parts.clock.now()}, ${this.#now()} + ${leaseMs}`;
  }

  #now(): RawBuilder<number> {
    const { database, clock } = this.#parts;
    return database.dialect.now ?? sql<number>`${clock.now()}`;
  }
}

interface SeenRow {
  until: number;
  isOver: boolean;
}
