import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Clock, toIso } from '../base/clock.ts';
import { holderState, holderWords, newHolder } from '../base/holder.ts';
import { HubError } from '../base/hub-error.ts';
import type { Lease, ProcessLeases } from '../base/lease.ts';
import type { Logger } from '../base/logger.ts';
import { Standstill } from '../base/standstill.ts';
import type { Database } from './database.ts';
import { processVersion } from './serving-versions.ts';
import type { Tables } from './tables.ts';

/** How long a lease lasts after its holder last renewed it. */
const leaseMs = 20_000;
const renewMs = 8_000;
/** Processes that end sooner write nothing. */
const firstRenewMs = 500;
/** After a pause of the database or the machine, every lease has run out. A living holder gets this long to renew its lease. */
const confirmMs = 5_000;
const forgetMs = 7 * 24 * 3_600_000;

export interface LeaseParts {
  database: Database;
  clock: Clock;
  logger: Logger;
  /** The name under which this process holds leases. Tests set it to simulate another machine. */
  holder?: string | undefined;
}

/**
 * Decides whether another process is gone. Every process that holds something (an answer, a sync, a delivery, calls in the log)
 * renews one lease for all of it. For a process on this machine, the operating system knows. On a database with a clock, a process
 * elsewhere is gone when its lease has run out by that clock. A SQLite file has no clock, and containers that share it may not see
 * each other's processes: there, a lease must stay unchanged for its whole length while someone watches.
 */
export class Leases implements ProcessLeases {
  readonly #parts: LeaseParts;
  readonly #seen = new Standstill();
  readonly #held = new Map<string, AbortController>();
  /** Names that are about to be taken. */
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

  /** Created on first use: a process that holds nothing does not need it. */
  get holder(): string {
    this.#holder ??= newHolder();
    return this.#holder;
  }

  /** Starts renewing the lease of this process. Writes nothing before it returns. */
  keep(): void {
    if (!this.#timer && !this.#isClosed) this.#renewIn(firstRenewMs);
  }

  /** The same, within the transaction in which the process takes something. */
  async enter(db: Kysely<Tables>): Promise<void> {
    this.keep();
    this.#mayHaveRow = true;
    if (!this.#hasRow) await this.#upsert(db, [this.holder]);
  }

  /**
   * Returns the holders whose process has ended. Unless the operating system knows, this takes several looks, so that a wrong clock
   * does not make a process look dead. Pass `db` inside a transaction.
   */
  async gone(holders: Iterable<string>, db?: Kysely<Tables>): Promise<Set<string>> {
    const hasClock = this.#parts.database.dialect.now !== undefined;
    return this.#judge(holders, db, (holder, row) => {
      if (hasClock && row?.isOver === false) return false;
      return this.#seen.isStill(holder, row?.until, hasClock && row ? confirmMs : leaseMs);
    });
  }

  /** Returns the holders whose lease has run out, for display only: one look at a clock is no reason to take something from them. */
  silent(holders: Iterable<string>): Promise<Set<string>> {
    return this.#judge(holders, undefined, (_holder, row) => row?.isOver ?? true);
  }

  /**
   * Takes something that one process may hold at a time. Throws CONFLICT that names the holder and the time. `what` starts the
   * message: "The source x is being synced".
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

  /** Returns the held names that begin with `prefix`, without the prefix. */
  async held(prefix: string): Promise<Set<string>> {
    const rows = await this.#parts.database.read((db) =>
      db.selectFrom('leases').select(['name', 'holder']).where('name', 'like', `${prefix}%`).execute(),
    );
    const endedHolders = await this.gone(rows.map(({ holder }) => holder));
    const isHeld = ({ name, holder }: { name: string; holder: string }) =>
      holder === this.#holder ? this.#held.has(name) : !endedHolders.has(holder);
    return new Set(rows.filter(isHeld).map(({ name }) => name.slice(prefix.length)));
  }

  /** Renews all leases now, as `keep` does every few seconds. Never rejects. Restores a lost row unless another process has taken the name. */
  async renew(): Promise<void> {
    const { database, logger } = this.#parts;
    const held = [...this.#held];
    this.#mayHaveRow = true;
    try {
      if (!this.#hasRow || this.#mustTidy) await database.write(({ db }) => this.#tidy(db), { isDurable: false });
      const renewed = await database.execute((db) => this.#upsert(db, [this.holder, ...held.map(([name]) => name)]));
      this.#hasRow = true;
      this.#hasFailed = false;
      for (const [name, lost] of held) {
        if (renewed.has(name) || this.#held.get(name) !== lost) continue;
        this.#held.delete(name);
        lost.abort(new HubError('CONFLICT', `Another process has taken over "${name}".`));
      }
    } catch (error) {
      if (!this.#isClosed && !this.#hasFailed)
        logger.warn(
          { err: error },
          'the lease of this process could not be renewed; the next attempt follows in a few seconds',
        );
      this.#hasFailed = true;
    }
  }

  /** Call it when nothing is held any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#renewing;
    if (!this.#mayHaveRow) return;
    const { database, logger } = this.#parts;
    await database
      .write(({ db }) => db.deleteFrom('leases').where('holder', '=', this.holder).execute(), { isDurable: false })
      .catch((error: unknown) => logger.debug({ err: error }, 'a lease was not released; it will run out'));
  }

  async #judge(
    holders: Iterable<string>,
    db: Kysely<Tables> | undefined,
    isGone: (holder: string, row: SeenRow | undefined) => boolean,
  ): Promise<Set<string>> {
    const endedHolders = new Set<string>();
    const states = new Map<string, ReturnType<typeof holderState>>();
    for (const holder of new Set(holders)) {
      if (holder === this.#holder) continue;
      const state = holderState(holder);
      if (state === 'ended') endedHolders.add(holder);
      else states.set(holder, state);
    }
    if (states.size === 0) return endedHolders;
    const rows = await this.#look([...states.keys()], db);
    for (const [holder, state] of states) {
      const row = rows.get(holder);
      // A running process without a lease here uses another database, of which this one is a copy.
      if (!(state === 'running' && row) && isGone(holder, row)) endedHolders.add(holder);
    }
    return endedHolders;
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

  /** Renews or inserts the leases, and returns the names that this process holds. */
  async #upsert(db: Kysely<Tables>, names: readonly string[]): Promise<Set<string>> {
    const { dialect } = this.#parts.database;
    const next = sql<number>`excluded.until`;
    // Without the database's clock, others watch for a change, and this machine's clock may stand still or be set back.
    const until = dialect.now ? next : dialect.greatest(sql`leases.until + 1`, next);
    const { rows } = await sql<{ name: string }>`insert into leases (name, holder, since, until, version)
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
    // A lease of this process that is not held is left over from a failed release.
    const isFree = before && (before.holder === this.holder || (await this.gone([before.holder])).size > 0);
    const from = isFree ? before.holder : '';
    return database.write(async ({ db }) => {
      await this.enter(db);
      const { rows } = await sql`insert into leases (name, holder, since, until, version) values (${this.#row(name)})
        on conflict (name) do update set holder = excluded.holder, since = excluded.since, until = excluded.until, version = excluded.version
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
    const message = `${what} by ${who}${since ? ` since ${since}` : ''}. Wait until it has finished.`;
    return new HubError('CONFLICT', message, { details: { name, holder: who, since } });
  }

  async #release(name: string, lost: AbortController): Promise<void> {
    if (this.#held.get(name) !== lost) return;
    this.#held.delete(name);
    // A renewal in progress would insert the row again.
    await this.#renewing;
    const { database, logger } = this.#parts;
    await database
      .write(({ db }) => db.deleteFrom('leases').where('name', '=', name).where('holder', '=', this.holder).execute())
      .catch((error: unknown) => {
        this.#mustTidy = true;
        logger.warn({ err: error, name }, 'a lease was not released; the next renewal tries again');
      });
  }

  /** Deletes the rows of processes that were gone long ago, and of leases whose release failed. */
  async #tidy(db: Kysely<Tables>): Promise<void> {
    await sql`delete from leases where until < ${this.#now()} - ${forgetMs}`.execute(db);
    if (!this.#mustTidy) return;
    const currentNames = [this.holder, ...this.#held.keys(), ...this.#taking];
    await db.deleteFrom('leases').where('holder', '=', this.holder).where('name', 'not in', currentNames).execute();
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
    return sql`${name}, ${this.holder}, ${this.#parts.clock.now()}, ${this.#now()} + ${leaseMs}, ${processVersion}`;
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
