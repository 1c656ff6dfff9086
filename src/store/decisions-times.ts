import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import { unpackGroup } from './decisions-groups.ts';
import type { Tables } from './tables.ts';

const minuteMs = 60_000;

export const minuteOf = (at: number): number => Math.floor(at / minuteMs);

interface TimedGroup {
  seq: number;
  first_at: number;
  last_at: number;
}

/**
 * Notes between which groups the entries of each minute are. Groups are in the order of writing, and a clock that was set back or
 * forward puts earlier times behind later ones, so their own times cannot be searched by halving.
 */
export async function addMinutes(
  db: Kysely<Tables>,
  kind: Database['kind'],
  groups: readonly TimedGroup[],
): Promise<void> {
  const ranges = new Map<number, [first: number, last: number]>();
  for (const group of groups) {
    for (const minute of await minutesOf(db, group)) {
      const [first, last] = ranges.get(minute) ?? [group.seq, group.seq];
      ranges.set(minute, [Math.min(first, group.seq), Math.max(last, group.seq)]);
    }
  }
  if (ranges.size === 0) return;
  const rows = [...ranges].map(([minute, [first, last]]) => sql`(${minute}, ${first}, ${last})`);
  const [least, greatest] = kind === 'sqlite' ? [sql`min`, sql`max`] : [sql`least`, sql`greatest`];
  await sql`insert into decision_minutes (minute, first_group, last_group) values ${sql.join(rows)}
    on conflict (minute) do update set
      first_group = ${least}(decision_minutes.first_group, excluded.first_group),
      last_group = ${greatest}(decision_minutes.last_group, excluded.last_group)`.execute(db);
}

/** Most groups are of one minute; the entries of others are read. */
async function minutesOf(db: Kysely<Tables>, { seq, first_at, last_at }: TimedGroup): Promise<Iterable<number>> {
  const first = minuteOf(first_at);
  if (first === minuteOf(last_at)) return [first];
  const group = await db.selectFrom('decision_groups').select('entries').where('seq', '=', seq).executeTakeFirst();
  const times = unpackGroup(group?.entries ?? '').flatMap((entry) => (entry ? [minuteOf(entry.at)] : []));
  return new Set([first, minuteOf(last_at), ...times]);
}

/**
 * The groups between which every entry of these times is, as far as groups are noted. Both times and both numbers are inclusive;
 * `to` is below `from` when there is none.
 */
export async function groupsBetween(
  database: Database,
  { since, until }: { since?: number | undefined; until?: number | undefined },
): Promise<{ from: number; to: number }> {
  if (since === undefined && until === undefined) return { from: 0, to: Number.MAX_SAFE_INTEGER };
  const row = await database.read((db) =>
    db
      .selectFrom('decision_minutes')
      .select((each) => [each.fn.min('first_group').as('from'), each.fn.max('last_group').as('to')])
      .$if(since !== undefined, (query) => query.where('minute', '>=', minuteOf(since ?? 0)))
      .$if(until !== undefined, (query) => query.where('minute', '<=', minuteOf(until ?? 0)))
      .executeTakeFirst(),
  );
  // Without an end, what is not noted yet belongs to it too.
  return { from: row?.from ?? 0, to: until === undefined ? Number.MAX_SAFE_INTEGER : (row?.to ?? -1) };
}

/** A minute goes when nothing is left between its groups. */
export async function pruneMinutes(db: Kysely<Tables>, before: number): Promise<void> {
  await sql`delete from decision_minutes where minute < ${minuteOf(before)} and not exists
    (select 1 from decision_groups where seq >= first_group and seq <= last_group and row_count > 0)`.execute(db);
}
