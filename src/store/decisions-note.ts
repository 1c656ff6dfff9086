import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { LogWork } from '../tools/decision-log.ts';
import type { Database } from './database.ts';
import type { Tables } from './tables.ts';

/** Entries are found by their block, so many numbers in a row: a key for each of them would cost more than the entries do. */
export const blockSize = 128;
/** What one transaction takes, while calls wait for it. SQLite works on the event loop, PostgreSQL elsewhere. */
const maxEntries = { sqlite: 2_048, postgres: 32_768 };

export interface NoteOptions {
  /** What the writer knows of its own chain. */
  own: { chain: string | undefined; openSince: number | null };
  /** Asked between two transactions: true ends the work early. */
  isOver?: (() => boolean) | undefined;
  onProgress?: LogWork['onProgress'];
  /** Nobody else waits for this process: it takes more at a time, which is quicker. */
  isAlone?: boolean;
}

/**
 * Makes keys and counters of entries that have none yet, whoever wrote them, and tells the chains how far they go. A mark says up to
 * which entry that was done. Notes that a power loss takes are made again from the entries, so only the last portion waits
 * for the disk, and with it the ends of the chains. Returns false when it was over before everything was noted.
 */
export async function noteDecisions(database: Database, options: NoteOptions): Promise<boolean> {
  const { onProgress, isOver = () => false, isAlone = false } = options;
  const limit = maxEntries[isAlone ? 'postgres' : database.kind];
  let { mark, newest } = await readBounds(database);
  if (newest <= mark) return true;
  const first = mark;
  while (mark < newest) {
    if (isOver()) return false;
    const reached = await database.write(({ db }) => noteSome(db, { ...options, kind: database.kind, limit }), {
      isDurable: false,
    });
    onProgress?.({ phase: 'keys', done: reached - first, total: Math.max(newest, reached) - first });
    // A gap that somebody may still fill: the next look goes on from there.
    if (reached === mark) break;
    mark = reached;
    // A transaction runs on the event loop, and calls wait for it.
    await nextTurn();
  }
  await database.sync?.();
  return true;
}

export interface LogBounds {
  /** Of the first and the last entry; 0 in an empty log. */
  oldest: number;
  newest: number;
  /** Keys and counters were made up to this one. */
  mark: number;
}

export async function readBounds(database: Database): Promise<LogBounds> {
  const query = sql<LogBounds>`select coalesce((select min(seq) from decisions), 0) as oldest,
    coalesce((select max(seq) from decisions), 0) as newest, (select seq from decision_marks where name = 'noted') as mark`;
  const [row] = (await database.read((db) => query.execute(db))).rows;
  return row ?? { oldest: 0, newest: 0, mark: 0 };
}

type Range = { mark: number; last: number };

/** Returns the new mark. */
async function noteSome(
  db: Kysely<Tables>,
  { kind, limit, own }: NoteOptions & { kind: Database['kind']; limit: number },
): Promise<number> {
  const { seq: mark } = await db
    .selectFrom('decision_marks')
    .select('seq')
    .where('name', '=', 'noted')
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirstOrThrow();
  const last = await lastToNote(db, { kind, limit, mark });
  if (last === mark) return mark;
  const range = { mark, last };
  await addKeys(db, range);
  await addMinutes(db, range);
  await addCounts(db, range);
  await moveChains(db, range, own);
  await db.updateTable('decision_marks').set({ seq: last }).where('name', '=', 'noted').execute();
  return last;
}

async function lastToNote(
  db: Kysely<Tables>,
  { kind, limit, mark }: { kind: Database['kind']; limit: number; mark: number },
): Promise<number> {
  const query = sql<{ last: number | null; count: number }>`select max(seq) as last, count(*) as count from
    (select seq from decisions where seq > ${mark} order by seq limit ${limit}) as next`;
  const [next] = (await query.execute(db)).rows;
  if (!next?.last) return mark;
  if (kind === 'sqlite' || next.last - mark === Number(next.count) || (await writersEnded(db))) return next.last;
  return lastBeforeGap(db, mark);
}

const noted = ({ mark, last }: Range) => sql`seq > ${mark} and seq <= ${last}`;
const block = sql`seq / ${sql.lit(blockSize)}`;
const minuteOf = sql`at / 60000`;

/** For each tool, member and task, and for kinds that most entries do not have, alone and together with tool and member. */
async function addKeys(db: Kysely<Tables>, range: Range): Promise<void> {
  await sql`insert into decision_keys (key, block)
    with heads as materialized (
      select distinct ${block} as block, tool, agent_id, task_id, case when kind in ('error', 'manual') then kind end as rare
      from decisions where ${noted(range)}
    )
    select 'tool ' || tool, block from heads
    union select 'member ' || agent_id, block from heads where agent_id is not null
    union select 'task ' || task_id, block from heads where task_id is not null
    union select rare, block from heads where rare is not null
    union select rare || ' tool ' || tool, block from heads where rare is not null
    union select rare || ' member ' || agent_id, block from heads where rare is not null and agent_id is not null
    order by 1, 2
    on conflict do nothing`.execute(db);
}

async function addMinutes(db: Kysely<Tables>, range: Range): Promise<void> {
  await sql`insert into decision_minutes (minute, block)
    select distinct ${minuteOf}, ${block} from decisions where ${noted(range)}
    on conflict do nothing`.execute(db);
}

/** A call counts when it begins, and again among the errors when it fails. */
async function addCounts(db: Kysely<Tables>, range: Range): Promise<void> {
  await sql`insert into decision_counts (minute, tool, agent_id, calls, errors)
    select ${minuteOf}, tool, coalesce(agent_id, ''), count(case when kind = 'invocation' then 1 end),
      count(case when kind = 'error' then 1 end)
    from decisions where ${noted(range)} and kind in ('invocation', 'error') group by 1, 2, 3
    on conflict (minute, tool, agent_id) do update set
      calls = decision_counts.calls + excluded.calls, errors = decision_counts.errors + excluded.errors`.execute(db);
}

/** Whoever is not the writer knows only that a call may have begun with the first of these. */
async function moveChains(db: Kysely<Tables>, range: Range, own: NoteOptions['own']): Promise<void> {
  const isOwn = sql`decision_chains.chain = ${own.chain ?? ''}`;
  const isFurther = sql`no > last_no`;
  await sql`update decision_chains set
      open_since = case when ${isOwn} then cast(${own.openSince} as bigint) else coalesce(open_since, first_at) end,
      last_hash = case when ${isFurther} then hash else last_hash end,
      last_no = case when ${isFurther} then no else last_no end
    from (
      select found.chain, no, hash, first_at from
        (select chain, max(case when hash is not null then seq end) as last_seq, min(at) as first_at
          from decisions where ${noted(range)} group by chain) as found
        left join decisions on seq = last_seq
    ) as ends
    where ends.chain = decision_chains.chain`.execute(db);
}

const looks = 20;
const pauseSeconds = 0.005;

/**
 * PostgreSQL numbers an entry before its transaction ends, so that a smaller number may come after a greater one. Resolves to true
 * when everybody who was writing entries has ended: who looks again then sees all that comes into gaps he saw before. No clock
 * tells that, because those of several machines differ and a commit may take its time. False where somebody writes on.
 */
export async function writersEnded(db: Kysely<Tables>): Promise<boolean> {
  let writers = await writersOf(db);
  for (let look = 0; writers.length > 0; look += 1) {
    if (look === looks) return false;
    await sql`select pg_sleep(${pauseSeconds})`.execute(db);
    const there = new Set(await writersOf(db));
    writers = writers.filter((writer) => there.has(writer));
  }
  return true;
}

/** A transaction holds this lock from its first row until everybody sees what it wrote. */
async function writersOf(db: Kysely<Tables>): Promise<string[]> {
  const query = sql<{ writer: string }>`select distinct virtualtransaction as writer from pg_locks
    where locktype = 'relation' and relation = 'decisions'::regclass and mode = 'RowExclusiveLock'
      and database = (select oid from pg_database where datname = current_database()) and pid <> pg_backend_pid()`;
  return (await query.execute(db)).rows.map(({ writer }) => writer);
}

/** The last number before the first one that is missing. */
export async function lastBeforeGap(db: Kysely<Tables>, after: number): Promise<number> {
  const query = sql<{ seq: number }>`select seq from decisions as one where seq > ${after} and not exists
    (select from decisions where seq = one.seq + 1) order by seq limit 1`;
  const first = await db
    .selectFrom('decisions')
    .select('seq')
    .where('seq', '=', after + 1)
    .executeTakeFirst();
  if (!first) return after;
  return (await query.execute(db)).rows[0]?.seq ?? after;
}
