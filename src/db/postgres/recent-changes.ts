import { type Kysely, sql } from 'kysely';
import type { QueryResultRow } from 'pg';
import { type CommittedChange, countedTopics } from '../change-bus.ts';
import type { Tables } from '../tables.ts';
import type { ServerClock } from './server-clock.ts';

/** How long rows are kept. A process that has not looked for half of this time reads everything again. */
const keepMs = 60_000;
const pruneEveryMs = 5 * keepMs;
/** More rows than this are not told apart. */
const maxRows = 1_000;

export type RunQuery = <Row extends QueryResultRow>(text: string, values: unknown[]) => Promise<Row[]>;

export interface RecentChange {
  row: number;
  changes: CommittedChange[];
}

/**
 * The rows that each writing transaction leaves for the others. Every process looks through them, so that no change is missed, whoever
 * died and whichever notice was lost. What a look returns is exact: the rows that the snapshot of the look before could not see.
 */
export class RecentChanges {
  readonly #run: RunQuery;
  /** Identifies this process. It knows its own changes. */
  readonly #writer: string;
  /** Each look also reads the server's time. */
  readonly #clock: ServerClock;
  #snapshot: string | undefined;
  /** The rows survive until the server crashes or is replaced; then the table begins a new life. */
  #life: string | null = null;
  #database = '';
  #lookedAt = 0;
  #prunedAt = performance.now();

  constructor({ run, writer, clock }: { run: RunQuery; writer: string; clock: ServerClock }) {
    this.#run = run;
    this.#writer = writer;
    this.#clock = clock;
  }

  /** Identifies the rows: it differs for each database, also for a copy, and changes when the rows are lost. */
  get scope(): string {
    return `${this.#database}.${this.#life ?? ''}`;
  }

  /** Runs the last statement of a transaction. Returns the number of its row. */
  async note(db: Kysely<Tables>, changes: readonly CommittedChange[]): Promise<number> {
    const { rows } = await sql<{ id: number }>`insert into recent_changes (writer, changes)
      values (${this.#writer}, ${JSON.stringify(changes)}) returning id`.execute(db);
    return rows[0]?.id ?? 0;
  }

  /** Begins to look from now on. Returns the counters of the counted topics. */
  async begin(): Promise<Map<string, number>> {
    const startedAt = performance.now();
    const rows = await this.#run<BeginRow>(
      `with added as (insert into recent_changes (tx, changes) select 0, $2
         where not exists (select from recent_changes where tx = 0) on conflict do nothing returning changes)
       select txid_current_snapshot()::text as snapshot, ${serverTime}, key, value,
         (select oid::text from pg_database where datname = current_database()) as database,
         coalesce((select changes from added), (select changes from recent_changes where tx = 0)) as life
       from (select) as always left join revisions on key = any($1)`,
      [countedTopics, crypto.randomUUID()],
    );
    this.#clock.learn(rows[0]?.time, startedAt);
    this.#snapshot = rows[0]?.snapshot;
    this.#life = rows[0]?.life ?? null;
    this.#database = rows[0]?.database ?? '';
    this.#lookedAt = startedAt;
    return new Map(rows.flatMap(({ key, value }) => (key === null ? [] : [[key, value]])));
  }

  /** Returns the rows of other processes that were committed since the last look; undefined if they are not known. */
  async look(): Promise<RecentChange[] | undefined> {
    const startedAt = performance.now();
    if (this.#snapshot === undefined || startedAt - this.#lookedAt > keepMs / 2) return undefined;
    const rows = await this.#run<LookRow>(
      `select txid_current_snapshot()::text as snapshot, ${serverTime}, recent.id, recent.changes,
         (select changes from recent_changes where tx = 0) as life
       from (select) as always left join recent_changes as recent
         on recent.tx >= greatest(txid_snapshot_xmin($1::txid_snapshot), 1) and recent.writer <> $2
         and not txid_visible_in_snapshot(recent.tx, $1::txid_snapshot)
       limit ${maxRows + 1}`,
      [this.#snapshot, this.#writer],
    );
    const [first] = rows;
    this.#clock.learn(first?.time, startedAt);
    if (!first || first.life === null || first.life !== this.#life || rows.length > maxRows) return undefined;
    this.#snapshot = first.snapshot;
    this.#lookedAt = startedAt;
    return rows.flatMap(({ id, changes }) => (id === null ? [] : [{ row: id, changes: JSON.parse(changes) }]));
  }

  /** Deletes old rows, once in a while. */
  async prune(): Promise<void> {
    const now = performance.now();
    if (now - this.#prunedAt < pruneEveryMs) return;
    this.#prunedAt = now;
    await this.#run(
      `delete from recent_changes where tx > 0 and at < clock_timestamp() - interval '${keepMs} milliseconds'`,
      [],
    );
  }
}

/** In milliseconds, with fractions. */
const serverTime = `(extract(epoch from clock_timestamp()) * 1000)::float8 as time`;

interface LookRow {
  snapshot: string;
  time: number;
  life: string | null;
  id: number | null;
  changes: string;
}

interface BeginRow extends Pick<LookRow, 'snapshot' | 'time' | 'life'> {
  database: string;
  key: string | null;
  value: number;
}
