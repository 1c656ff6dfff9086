import { type Kysely, type Selectable, sql } from 'kysely';
import type { DecisionEntry, StoredDecision } from '../tools/decision-log.ts';
import type { Database } from './database.ts';
import { mostInGroup } from './decisions-chain.ts';
import { type DecisionHead, unpackEntries, unpackHeads } from './decisions-pack.ts';
import type { DecisionGroupRow, Tables } from './tables.ts';

export type GroupRow = Selectable<DecisionGroupRow>;

export const groupOf = (seq: number): number => Math.floor(seq / mostInGroup);

/** In the order of writing. `holds`: only those that have this value among their fields; others may be there, too. */
export function expand(group: GroupRow, holds?: string | undefined): StoredDecision[] {
  const { chain, hash } = group;
  const found: StoredDecision[] = [];
  for (const [index, entry] of unpackGroup(group.entries, holds).entries()) {
    if (!entry) continue;
    const chainNo = chain === '' ? 0 : group.first_no + index;
    found.push({ seq: group.seq * mostInGroup + index, ...entry, chain, chainNo, hash });
  }
  return found;
}

/** Nothing where somebody made the text unreadable: `verify` tells of it. */
export function unpackGroup(entries: string, holds?: string | undefined): (DecisionEntry | undefined)[] {
  try {
    return unpackEntries(entries, holds);
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** As `unpackGroup`, for what groups are found, counted and checked by. */
export function headsOf(entries: string): DecisionHead[] {
  try {
    return unpackHeads(entries);
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

export interface GroupRange {
  /** Only groups that have this key. */
  key?: string | undefined;
  /** Both inclusive. */
  from?: number | undefined;
  to?: number | undefined;
  order: 'asc' | 'desc';
}

const firstWindow = 16;
const mostWindow = 128;

/** Group after group, read some at a time; between two goes others have their turn. */
export async function* walkGroups(database: Database, range: GroupRange): AsyncGenerator<GroupRow> {
  let { from = 0, to = Number.MAX_SAFE_INTEGER } = range;
  for (let size = firstWindow; from <= to; size = Math.min(size * 4, mostWindow)) {
    const groups = await database.read((db) => selectGroups(db, { ...range, from, to }, size));
    yield* groups;
    const last = groups.at(-1);
    if (!last || groups.length < size) return;
    if (range.order === 'asc') from = last.seq + 1;
    else to = last.seq - 1;
  }
}

export async function selectGroups(
  db: Kysely<Tables>,
  { key, from = 0, to = Number.MAX_SAFE_INTEGER, order }: GroupRange,
  limit: number,
): Promise<GroupRow[]> {
  if (key === undefined) {
    return db
      .selectFrom('decision_groups')
      .selectAll()
      .where('seq', '>=', from)
      .where('seq', '<=', to)
      .orderBy('seq', order)
      .limit(limit)
      .execute();
  }
  // The keys first: whatever a planner thinks of their number, they are few and in order.
  const found = sql`(select group_seq from decision_keys where key = ${key} and group_seq >= ${from} and group_seq <= ${to}
    order by group_seq ${sql.raw(order)} limit ${limit}) as found`;
  const query = sql<GroupRow>`select decision_groups.* from ${found} join decision_groups on seq = group_seq
    order by seq ${sql.raw(order)}`;
  return (await query.execute(db)).rows;
}
