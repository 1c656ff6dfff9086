import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { SqlDialect } from '../db/sql-dialect.ts';
import type { Tables } from '../db/tables.ts';
import { type DecisionQuery, isWorded, type LogWork } from '../tools/decision-log.ts';
import type { DecisionHead } from './decision-group.ts';
import {
  bytesOfEntries,
  type GroupRow,
  headsOf,
  lastWithoutGap,
  maxSlice,
  readBounds,
  slicesOf,
} from './decision-groups.store.ts';

/** Slices in one transaction if they do not block the event loop. A round trip costs more than a slice. */
const slicesAtOnce = 8;
const minuteMs = 60_000;

export const minuteOf = (at: number): number => Math.floor(at / minuteMs);

export interface IndexOptions {
  /** What the writer knows about its own chain and groups, which then need not be read again. */
  writer: { chain: string | undefined; openSince: number | null; indexes: Map<number, GroupIndex> };
  /** Checked between two transactions: true ends the work early. */
  shouldStop?: (() => boolean) | undefined;
  onProgress?: LogWork['onProgress'];
  /** Set if nobody else waits for this process: it then works in larger steps, which is faster. */
  isAlone?: boolean;
}

/**
 * Indexes groups of all processes that are not indexed yet: makes their keys and counters and records how far the chains go. A
 * mark remembers the last indexed group. An index lost in a power failure is rebuilt from the groups, so only the last step is synced
 * to the disk, together with the ends of the chains. Returns false if `shouldStop` ended the work early.
 */
export async function indexDecisions(database: Database, options: IndexOptions): Promise<boolean> {
  const { onProgress, shouldStop = () => false, isAlone = false } = options;
  const slices = isAlone || !database.dialect.runsOnEventLoop ? slicesAtOnce : 1;
  const { mark: first, newest } = await database.read(readBounds);
  if (newest <= first) return true;
  let done = 0;
  for (let mark = first; mark < newest; ) {
    if (shouldStop()) return false;
    const noted = await database.write(({ db }) => indexSome(db, { ...options, dialect: database.dialect, slices }), {
      isDurable: false,
    });
    // Another process may still fill a gap: the next call continues from there.
    if (noted.mark === mark) break;
    mark = noted.mark;
    done += noted.entries;
    // The number of entries in unread groups is an estimate.
    const share = (mark - first) / (Math.max(newest, mark) - first);
    onProgress?.({ phase: 'keys', done, total: Math.max(done, Math.round(done / share)) });
    // A transaction may run on the event loop, and calls wait for it.
    await nextTurn();
  }
  await database.sync?.();
  return true;
}

async function indexSome(
  db: Kysely<Tables>,
  { dialect, slices, writer }: IndexOptions & { dialect: SqlDialect; slices: number },
): Promise<{ mark: number; entries: number }> {
  const { seq: mark } = await db
    .selectFrom('decision_marks')
    .select('seq')
    .where('name', '=', 'noted')
    .$call(dialect.lockRows)
    .executeTakeFirstOrThrow();
  const last = await lastToIndex(db, { mark, slices, dialect, known: writer.indexes });
  if (last === mark) return { mark, entries: 0 };
  const groups = await readIndexes(db, { mark, last, known: writer.indexes });
  await addKeys(db, dialect, groups);
  await addMinutes(db, dialect, groups);
  await addCounts(db, dialect, groups);
  await moveChains(db, groups, writer);
  await db.updateTable('decision_marks').set({ seq: last }).where('name', '=', 'noted').execute();
  return { mark: last, entries: groups.reduce((sum, group) => sum + group.row_count, 0) };
}

async function lastToIndex(
  db: Kysely<Tables>,
  { mark, slices, dialect, known }: Record<'mark' | 'slices', number> & { dialect: SqlDialect; known: Indexes },
): Promise<number> {
  const groups = await db
    .selectFrom('decision_groups')
    .select(['seq', bytesOfEntries.as('bytes')])
    .where('seq', '>', mark)
    .orderBy('seq')
    .limit(maxSlice.groups * slices)
    .execute();
  const unread = groups.map(({ seq, bytes }) => ({ seq, bytes: known.has(seq) ? 0 : bytes }));
  const last = slicesOf(unread).take(slices).toArray().at(-1)?.at(-1)?.seq ?? mark;
  return dialect.commitsInOrder || last === mark ? last : lastWithoutGap(db, dialect, { from: mark, to: last });
}

type Indexes = IndexOptions['writer']['indexes'];

/** A group with its index instead of its entries. */
type IndexedRow = Omit<GroupRow, 'entries'> & { groupIndex: GroupIndex };

async function readIndexes(
  db: Kysely<Tables>,
  { mark, last, known }: Record<'mark' | 'last', number> & { known: Indexes },
): Promise<IndexedRow[]> {
  const groups = await db
    .selectFrom('decision_groups')
    .select(['seq', 'chain', 'first_no', 'row_count', 'first_at', 'last_at', 'hash'])
    .where('seq', '>', mark)
    .where('seq', '<=', last)
    .orderBy('seq')
    .execute();
  const isKnown = ({ seq, hash }: Omit<GroupRow, 'entries'>) => known.get(seq)?.hash === hash;
  const unread = groups.filter((group) => !isKnown(group)).map(({ seq }) => seq);
  const read =
    unread.length === 0
      ? []
      : await db.selectFrom('decision_groups').select(['seq', 'entries']).where('seq', 'in', unread).execute();
  const texts = new Map(read.map(({ seq, entries }) => [seq, entries]));
  const found = groups.map((group) => {
    const knownIndex = isKnown(group) ? known.get(group.seq) : undefined;
    return { ...group, groupIndex: knownIndex ?? indexGroup(group.hash, headsOf(texts.get(group.seq) ?? '')) };
  });
  // Needed only once. If the transaction fails, the groups themselves are read.
  for (const seq of known.keys()) if (seq <= last) known.delete(seq);
  return found;
}

interface DecisionCounter {
  minute: number;
  tool: string;
  agentId: string;
  calls: number;
  errors: number;
}

/** The keys and counters by which the entries of a group are found and counted. */
export interface GroupIndex {
  /** Identifies the group, because its number may belong to another group after a restore. */
  hash: string;
  keys: ReadonlySet<string>;
  minutes: ReadonlySet<number>;
  counters: readonly DecisionCounter[];
}

export function indexGroup(hash: string, entries: readonly DecisionHead[]): GroupIndex {
  const minutes = new Set(entries.map(({ at }) => minuteOf(at)));
  return { hash, keys: keysOf(entries), minutes, counters: countersOf(entries) };
}

/** Returns a key for each tool, member and task. Rare kinds get keys of their own, alone and combined with tool and member. */
export function keysOf(entries: readonly DecisionHead[]): Set<string> {
  const keys = new Set<string>();
  let known: DecisionHead | undefined;
  for (const entry of entries) {
    const { kind, tool, agentId, taskId } = entry;
    // Consecutive entries are often alike.
    if (known && known.tool === tool && known.agentId === agentId && known.taskId === taskId && !isRare(kind)) continue;
    known = entry;
    keys.add(`tool ${tool}`);
    if (agentId !== null) keys.add(`member ${agentId}`);
    if (taskId !== null) keys.add(`task ${taskId}`);
    if (!isRare(kind)) continue;
    keys.add(kind);
    keys.add(`${kind} tool ${tool}`);
    if (agentId !== null) keys.add(`${kind} member ${agentId}`);
  }
  return keys;
}

/** Returns the most selective key for a query; undefined if no key fits. */
export function keyOf({ kind, tool, agentId, taskId }: DecisionQuery): string | undefined {
  if (taskId !== undefined) return `task ${taskId}`;
  const rare = kind !== undefined && isRare(kind) ? `${kind} ` : '';
  if (agentId !== undefined) return `${rare}member ${agentId}`;
  if (tool !== undefined) return `${rare}tool ${tool}`;
  return rare === '' ? undefined : rare.trimEnd();
}

function isRare(kind: DecisionHead['kind']): boolean {
  return kind === 'error' || isWorded(kind);
}

/** Counts a call when it ends, so that a call that was refused before it began counts too, and errors never exceed calls. */
function countersOf(entries: readonly DecisionHead[]): DecisionCounter[] {
  const counters: DecisionCounter[] = [];
  for (const { kind, at, tool, agentId } of entries) {
    if (kind !== 'result' && kind !== 'error') continue;
    const counter = counterFor(counters, { minute: minuteOf(at), tool, agentId: agentId ?? '' });
    counter.calls += 1;
    if (kind === 'error') counter.errors += 1;
  }
  return counters;
}

/** Searches from the end, because consecutive entries are often alike. */
function counterFor(
  counters: DecisionCounter[],
  { minute, tool, agentId }: Pick<DecisionCounter, 'minute' | 'tool' | 'agentId'>,
): DecisionCounter {
  const known = counters.findLast((each) => each.minute === minute && each.tool === tool && each.agentId === agentId);
  if (known) return known;
  const counter = { minute, tool, agentId, calls: 0, errors: 0 };
  counters.push(counter);
  return counter;
}

async function addKeys(db: Kysely<Tables>, dialect: SqlDialect, groups: readonly IndexedRow[]): Promise<void> {
  const rows = groups.flatMap(({ seq, groupIndex }) => [...groupIndex.keys].map((key): [string, number] => [key, seq]));
  if (rows.length === 0) return;
  // In the order of the database index.
  rows.sort(([one, oneSeq], [other, otherSeq]) => (one === other ? oneSeq - otherSeq : one < other ? -1 : 1));
  await sql`insert into decision_keys (key, group_seq) ${valuesOf(dialect, ['text', 'bigint'], rows)}
    on conflict do nothing`.execute(db);
}

/**
 * Records the groups of each minute. A clock that was set back or forward can put earlier times after later ones, so a binary search
 * over the groups' times would not work.
 */
async function addMinutes(db: Kysely<Tables>, dialect: SqlDialect, groups: readonly IndexedRow[]): Promise<void> {
  const ranges = new Map<number, [minute: number, first: number, last: number]>();
  for (const { seq, groupIndex } of groups)
    for (const minute of groupIndex.minutes) ranges.set(minute, [minute, ranges.get(minute)?.[1] ?? seq, seq]);
  if (ranges.size === 0) return;
  await sql`insert into decision_minutes (minute, first_group, last_group)
    ${valuesOf(dialect, ['bigint', 'bigint', 'bigint'], [...ranges.values()])}
    on conflict (minute) do update set
      first_group = ${dialect.least(sql`decision_minutes.first_group`, sql`excluded.first_group`)},
      last_group = ${dialect.greatest(sql`decision_minutes.last_group`, sql`excluded.last_group`)}`.execute(db);
}

async function addCounts(db: Kysely<Tables>, dialect: SqlDialect, groups: readonly IndexedRow[]): Promise<void> {
  const sums = new Map<string, [minute: number, tool: string, agentId: string, calls: number, errors: number]>();
  for (const { minute, tool, agentId, calls, errors } of groups.flatMap(({ groupIndex }) => groupIndex.counters)) {
    const name = `${minute} ${agentId} ${tool}`;
    const [, , , calledBefore, failedBefore] = sums.get(name) ?? [0, '', '', 0, 0];
    sums.set(name, [minute, tool, agentId, calls + calledBefore, errors + failedBefore]);
  }
  if (sums.size === 0) return;
  const values = valuesOf(dialect, ['bigint', 'text', 'text', 'integer', 'integer'], [...sums.values()]);
  await sql`insert into decision_counts (minute, tool, agent_id, calls, errors) ${values}
    on conflict (minute, tool, agent_id) do update set
      calls = decision_counts.calls + excluded.calls, errors = decision_counts.errors + excluded.errors`.execute(db);
}

/** Passes rows as one parameter, so that any number of rows is the same statement. */
function valuesOf(
  dialect: SqlDialect,
  types: readonly ('text' | 'bigint' | 'integer')[],
  rows: readonly (readonly (string | number)[])[],
): RawBuilder<unknown> {
  const columns = types.map((type, index) => sql`cast(value ->> ${sql.lit(index)} as ${sql.raw(type)})`);
  return sql`select ${sql.join(columns)} from ${dialect.jsonRows(JSON.stringify(rows))} where true`;
}

/** Only the writer knows the time of its oldest open call; others assume the first of these entries. */
async function moveChains(
  db: Kysely<Tables>,
  groups: readonly IndexedRow[],
  writer: IndexOptions['writer'],
): Promise<void> {
  for (const [chain, ofChain] of Map.groupBy(groups, (group) => group.chain)) {
    const last = ofChain.at(-1);
    if (!last || chain === '') continue;
    const lastNo = last.first_no + last.row_count - 1;
    const firstAt = Math.min(...ofChain.map((group) => group.first_at));
    const openSince = writer.chain === chain ? sql`${writer.openSince}` : sql`coalesce(open_since, ${firstAt})`;
    await sql`update decision_chains set open_since = ${openSince},
        last_hash = case when last_no < ${lastNo} then ${last.hash} else last_hash end,
        last_no = case when last_no < ${lastNo} then ${lastNo} else last_no end
      where chain = ${chain}`.execute(db);
  }
}
