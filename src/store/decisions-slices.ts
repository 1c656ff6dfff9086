import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import { type GroupRow, selectGroups } from './decisions-groups.ts';
import type { Tables } from './tables.ts';

/**
 * The most of the log that is read and worked through in one turn of the event loop, some milliseconds' worth. A group may hold one
 * entry or a thousand, so neither their number nor their bytes alone would do.
 */
export const maxSlice = { groups: 128, bytes: 256 * 1024 };

export interface GroupSize {
  seq: number;
  bytes: number;
}

const sizesAtOnce = 1_024;

/** The size of a text comes from its row, without reading it. */
export const bytesOfEntries = sql<number>`octet_length(entries)`;

/** Groups as slices, each with one group at least. */
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

/** All groups in the order of writing, slice by slice; in between others have their turn. */
export async function* walkSlices(database: Database): AsyncGenerator<GroupRow[]> {
  for (let from = 0; ; ) {
    const sizes = await database.read((db) => sizesFrom(db, from));
    for (const slice of slicesOf(sizes)) {
      yield await database.read((db) => groupsOf(db, slice));
      await nextTurn();
    }
    const last = sizes.at(-1);
    if (!last || sizes.length < sizesAtOnce) return;
    from = last.seq + 1;
  }
}

/** The groups from the first of these to the last; one that was written since they were measured comes along. */
export function groupsOf(db: Kysely<Tables>, slice: readonly GroupSize[]): Promise<GroupRow[]> {
  const [from, to] = [slice[0]?.seq ?? 0, slice.at(-1)?.seq ?? 0];
  return selectGroups(db, { from, to, order: 'asc' }, to - from + 1);
}

function sizesFrom(db: Kysely<Tables>, from: number): Promise<GroupSize[]> {
  return db
    .selectFrom('decision_groups')
    .select(['seq', bytesOfEntries.as('bytes')])
    .where('seq', '>=', from)
    .orderBy('seq')
    .limit(sizesAtOnce)
    .execute();
}
