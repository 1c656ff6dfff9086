import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import { expand, type GroupRow, selectGroups } from './decisions-groups.ts';
import { keysOf } from './decisions-keys.ts';
import { minuteOf, pruneMinutes } from './decisions-times.ts';
import type { Tables } from './tables.ts';

const batchGroups = 64;
/** Between the clocks of processes. */
const slackMs = 10_000;

interface Batch {
  rows: number;
  /** Of the last group that was looked at; undefined at the end. */
  seen: number | undefined;
}

/**
 * In small transactions, so that nobody waits long. A group goes when all of its entries are old enough. A chain loses groups
 * only from its start, and says where it begins now. What has no keys yet stays until it has.
 */
export async function pruneDecisions(database: Database, before: number): Promise<number> {
  let deleted = 0;
  const staying = new Set<string>();
  for (let from = 0; ; ) {
    const start = from;
    const { rows, seen } = await database.write(
      ({ db }) => pruneSome(db, { from: start, before, staying, kind: database.kind }),
      { isJob: true },
    );
    deleted += rows;
    if (seen === undefined) break;
    from = seen + 1;
  }
  await database.write(
    async ({ db }) => {
      await db.deleteFrom('decision_counts').where('minute', '<', minuteOf(before)).execute();
      await pruneMinutes(db, before);
      await db
        .deleteFrom('decision_chains')
        .whereRef('first_no', '>', 'last_no')
        .where('settled_at', '<', before)
        .execute();
    },
    { isJob: true },
  );
  return deleted;
}

async function pruneSome(
  db: Kysely<Tables>,
  { from, before, staying, kind }: { from: number; before: number; staying: Set<string>; kind: Database['kind'] },
): Promise<Batch> {
  const { seq: mark } = await db
    .selectFrom('decision_marks')
    .select('seq')
    .where('name', '=', 'noted')
    .executeTakeFirstOrThrow();
  const groups = await selectGroups(db, { from, to: mark, order: 'asc' }, batchGroups);
  const gone: GroupRow[] = [];
  for (const group of groups) {
    // A clock that was set back leaves older times behind newer ones; such groups go when those before them go.
    if (group.last_at >= before) staying.add(group.chain);
    else if (group.chain === '' || !staying.has(group.chain)) gone.push(group);
  }
  for (const group of gone) await deleteGroup(db, group);
  const lastGone = gone.at(-1);
  if (lastGone && kind === 'sqlite') await keepNumber(db, lastGone);
  const last = groups.at(-1);
  const isEnd = groups.length < batchGroups || (last !== undefined && last.first_at >= before + slackMs);
  return { rows: gone.reduce((sum, group) => sum + group.row_count, 0), seen: isEnd ? undefined : last?.seq };
}

async function deleteGroup(db: Kysely<Tables>, group: GroupRow): Promise<void> {
  const keys = [...keysOf(expand(group))];
  if (keys.length > 0)
    await db.deleteFrom('decision_keys').where('group_seq', '=', group.seq).where('key', 'in', keys).execute();
  await db.deleteFrom('decision_groups').where('seq', '=', group.seq).execute();
  if (group.chain === '') return;
  await db
    .updateTable('decision_chains')
    .set({ first_no: group.first_no + group.row_count, hash_before_first: group.hash })
    .where('chain', '=', group.chain)
    .execute();
}

/** SQLite gives the numbers at the end again when their groups are gone, and whoever follows the log would miss what gets them. */
async function keepNumber(db: Kysely<Tables>, { seq, first_at, last_at }: GroupRow): Promise<void> {
  await sql`insert into decision_groups (seq, chain, first_no, row_count, first_at, last_at, hash, entries)
    select ${seq}, '', 0, 0, ${first_at}, ${last_at}, '', ''
    where not exists (select 1 from decision_groups where seq > ${seq})`.execute(db);
}
