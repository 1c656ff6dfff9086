import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Generated, type Kysely, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { SqlDialect } from '../db/sql-dialect.ts';
import type { Tables } from '../db/tables.ts';
import type { StoredDecision } from '../tools/decision-log.ts';
import { type DecisionHead, unpackEntries, unpackHeads } from './decision-group.ts';

export type GroupRow = Selectable<DecisionGroupRow>;

/** An entry's number is the group's number followed by three digits. */
export const maxInGroup = 1_000;
export const groupOf = (seq: number): number => Math.floor(seq / maxInGroup);

/** Returns the entries of a group in the order of writing. `holds` works as in `unpackEntries`, so others may be included. */
export function expand(group: GroupRow, holds?: string | undefined): StoredDecision[] {
  const { chain, hash } = group;
  const found: StoredDecision[] = [];
  for (const [index, entry] of readable(() => unpackEntries(group.entries, holds)).entries()) {
    if (!entry) continue;
    const chainNo = chain === '' ? 0 : group.first_no + index;
    found.push({ seq: group.seq * maxInGroup + index, ...entry, chain, chainNo, hash });
  }
  return found;
}

export function headsOf(entries: string): DecisionHead[] {
  return readable(() => unpackHeads(entries));
}

/** Returns nothing for a text that someone made unreadable; `verify` reports it. */
function readable<T>(unpack: () => T[]): T[] {
  try {
    return unpack();
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

export interface LogBounds {
  /** The last group; 0 in an empty log. */
  newest: number;
  /** Groups are indexed up to this one. */
  mark: number;
}

export async function readBounds(db: Kysely<Tables>): Promise<LogBounds> {
  const query = sql<LogBounds>`select coalesce((select max(seq) from decision_groups), 0) as newest,
    (select seq from decision_marks where name = 'noted') as mark`;
  return (await query.execute(db)).rows[0] ?? { newest: 0, mark: 0 };
}

export interface GroupRange {
  /** Inclusive, like `to`. */
  from?: number | undefined;
  to?: number | undefined;
  /** Only groups with this key. */
  key?: string | undefined;
  order: 'asc' | 'desc';
}

export interface GroupSize {
  seq: number;
  bytes: number;
}

/**
 * The maximum amount of work in one turn of the event loop: a few milliseconds. A group holds between one and a thousand entries, so
 * neither the number of groups nor their size alone is enough.
 */
export const maxSlice = { groups: 128, bytes: 256 * 1024 };
/** A page needs few groups; a walk through the whole log reads the sizes of many at once. */
const sizesAtOnce = { first: 16, next: 1_024 };

type Reader = Pick<Database, 'read'>;

/** Yields slices of groups, and lets the event loop run between two slices, because SQLite reads on it. */
export async function* walkSlices(database: Reader, range: GroupRange): AsyncGenerator<GroupRow[]> {
  let { from = 0, to = Number.MAX_SAFE_INTEGER } = range;
  let isFirst = true;
  for (let limit = sizesAtOnce.first; from <= to; limit = sizesAtOnce.next) {
    const sizes = await database.read((db) => selectSizes(db, { ...range, from, to }, limit));
    for (const slice of slicesOf(sizes)) {
      if (!isFirst) await nextTurn();
      isFirst = false;
      yield await database.read((db) => selectGroups(db, slice, range));
    }
    const last = sizes.at(-1);
    if (!last || sizes.length < limit) return;
    if (range.order === 'asc') from = last.seq + 1;
    else to = last.seq - 1;
  }
}

export async function* walkGroups(database: Reader, range: GroupRange): AsyncGenerator<GroupRow> {
  for await (const slice of walkSlices(database, range)) yield* slice;
}

/** Cuts a list into slices of at least one group. */
export function* slicesOf<Group extends GroupSize>(groups: readonly Group[]): Generator<Group[]> {
  let slice: Group[] = [];
  let bytes = 0;
  for (const group of groups) {
    if (slice.length > 0 && (slice.length === maxSlice.groups || bytes + group.bytes > maxSlice.bytes)) {
      yield slice;
      slice = [];
      bytes = 0;
    }
    slice.push(group);
    bytes += group.bytes;
  }
  if (slice.length > 0) yield slice;
}

/** The database knows a text's size without reading the text. */
export const bytesOfEntries = sql<number>`octet_length(entries)`;

async function selectSizes(
  db: Kysely<Tables>,
  { key, from = 0, to = Number.MAX_SAFE_INTEGER, order }: GroupRange,
  limit: number,
): Promise<GroupSize[]> {
  if (key === undefined) {
    return db
      .selectFrom('decision_groups')
      .select(['seq', bytesOfEntries.as('bytes')])
      .where('seq', '>=', from)
      .where('seq', '<=', to)
      .orderBy('seq', order)
      .limit(limit)
      .execute();
  }
  // Reads the keys first, whatever the planner estimates: they are few and sorted.
  const found = sql`(select group_seq from decision_keys where key = ${key} and group_seq >= ${from} and group_seq <= ${to}
    order by group_seq ${sql.raw(order)} limit ${limit}) as found`;
  const query = sql<GroupSize>`select seq, ${bytesOfEntries} as bytes from ${found} join decision_groups on seq = group_seq
    order by seq ${sql.raw(order)}`;
  return (await query.execute(db)).rows;
}

/** Reads the groups of a slice. Without a key, a group written since the sizes were read may be included. */
export function selectGroups(
  db: Kysely<Tables>,
  slice: readonly GroupSize[],
  { key, order }: GroupRange,
): Promise<GroupRow[]> {
  const seqs = slice.map(({ seq }) => seq);
  const between = (query: SelectQueryBuilder<Tables, 'decision_groups', GroupRow>) =>
    query.where('seq', '>=', Math.min(...seqs)).where('seq', '<=', Math.max(...seqs));
  const all = db.selectFrom('decision_groups').selectAll();
  return (key === undefined ? between(all) : all.where('seq', 'in', seqs)).orderBy('seq', order).execute();
}

const maxLooked = 1_000;

/** Returns the last group before which no group can appear any more, so that a reader who continues there misses nothing. */
export async function settledGroup(database: Database, after = 0): Promise<number> {
  const { mark, newest } = await database.read(readBounds);
  if (database.dialect.commitsInOrder || newest <= after) return Math.max(newest, after);
  // Gaps among indexed groups stay gaps.
  const from = Math.max(after, mark, newest - maxLooked);
  return database.read((db) => lastWithoutGap(db, database.dialect, { from, to: newest }));
}

/**
 * Returns the last group before one that may still come. A group may get its number before its transaction ends, so a smaller
 * number may appear after a greater one. A number that no running transaction can fill any more is not a gap.
 */
export async function lastWithoutGap(
  db: Kysely<Tables>,
  dialect: SqlDialect,
  { from, to }: Record<'from' | 'to', number>,
): Promise<number> {
  const read = async () => {
    const query = db.selectFrom('decision_groups').select('seq').where('seq', '>', from).where('seq', '<=', to);
    return (await query.orderBy('seq').execute()).map(({ seq }) => seq);
  };
  const seqs = await read();
  if (seqs.length === to - from || (await dialect.writersEnded(db, 'decision_groups'))) return to;
  const gap = seqs.findIndex((seq, index) => seq !== from + 1 + index);
  return gap === -1 ? from + seqs.length : from + gap;
}

declare module '../db/tables.ts' {
  interface Tables {
    decision_groups: DecisionGroupRow;
    decision_chains: DecisionChainRow;
    decision_cuts: DecisionCutRow;
    decision_marks: DecisionMarkRow;
    decision_keys: DecisionKeyRow;
    decision_minutes: DecisionMinuteRow;
    decision_counts: DecisionCountRow;
  }
}

/** Entries of the decision log that were written together, in the format of `packEntry`. */
interface DecisionGroupRow {
  seq: Generated<number>;
  /** '' for entries that are older than chains. */
  chain: string;
  /** The position of its first entry in the chain. */
  first_no: number;
  row_count: number;
  first_at: number;
  last_at: number;
  hash: string;
  entries: string;
}

/** One writer's part of the log. Entries from `first_no` to `last_no` must exist; newer ones may exist. */
export interface DecisionChainRow {
  chain: string;
  /** The process that writes it; empty for chains that are older than leases. */
  holder: string;
  started_at: number;
  first_no: number;
  hash_before_first: string;
  /** Proves that the hub deleted what was before `first_no`; empty if nothing was deleted, or before there were keys. */
  start_proof: Generated<string>;
  last_no: number;
  last_hash: string;
  /** The time of the oldest call without an outcome; null if every call has one. */
  open_since: number | null;
  /** When its writer closed it. */
  closed_at: number | null;
  /** When all calls that it left open had an outcome. */
  settled_at: number | null;
}

/** Records why chains are gone. `detail` is JSON and covered by the proof. */
export interface DecisionCutRow {
  id: string;
  /** `prune`: all entries of the chains in `detail` were old enough. `restore`: a backup replaced the whole log. */
  kind: string;
  at: number;
  detail: string;
  proof: string;
}

/** The last indexed group. */
interface DecisionMarkRow {
  name: string;
  seq: number;
}

/** Which groups contain a key. `indexDecisions` adds rows shortly after the groups are written. */
interface DecisionKeyRow {
  key: string;
  group_seq: number;
}

/** All entries of a minute are between these groups, possibly among others. */
interface DecisionMinuteRow {
  minute: number;
  first_group: number;
  last_group: number;
}

/** `agent_id` is '' for callers that are not members. */
interface DecisionCountRow {
  minute: number;
  tool: string;
  agent_id: string;
  calls: number;
  errors: number;
}
