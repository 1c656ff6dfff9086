import type { Kysely } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import { expand, type GroupRow, readBounds } from './decision-groups.store.ts';
import { keysOf, minuteOf } from './index-decisions.store.ts';

const groupsAtOnce = 64;
/** The assumed difference between the clocks of processes. */
const slackMs = 10_000;

/**
 * Deletes old groups in small transactions, so that nobody waits long. A group is deleted when all its entries are old enough. A chain
 * loses groups only from its start, and records where it begins now. Groups that are not indexed yet stay.
 */
export async function pruneDecisions(database: Database, before: number): Promise<number> {
  let deleted = 0;
  const staying = new Set<string>();
  for (let from: number | undefined = 0; from !== undefined; ) {
    const start: number = from;
    const batch = await database.write(({ db }) => pruneSome(db, { from: start, before, staying }), { isJob: true });
    deleted += batch.deleted;
    from = batch.next;
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

/** Checks the next groups. `next` is where to continue; undefined at the end. */
async function pruneSome(
  db: Kysely<Tables>,
  { from, before, staying }: { from: number; before: number; staying: Set<string> },
): Promise<{ deleted: number; next: number | undefined }> {
  const { mark } = await readBounds(db);
  const groups = await db
    .selectFrom('decision_groups')
    .selectAll()
    .where('seq', '>=', from)
    .where('seq', '<=', mark)
    .orderBy('seq')
    .limit(groupsAtOnce)
    .execute();
  let deleted = 0;
  for (const group of groups) {
    // After a clock was set back, older times follow newer ones. Such groups are deleted together with those before them.
    if (group.last_at >= before) staying.add(group.chain);
    else if (group.chain === '' || !staying.has(group.chain)) {
      await deleteGroup(db, group);
      deleted += group.row_count;
    }
  }
  const last = groups.at(-1);
  const isEnd = !last || groups.length < groupsAtOnce || last.first_at >= before + slackMs;
  return { deleted, next: isEnd ? undefined : last.seq + 1 };
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

/** Deletes minutes whose groups are gone. */
async function pruneMinutes(db: Kysely<Tables>, before: number): Promise<void> {
  await db
    .deleteFrom('decision_minutes')
    .where('minute', '<', minuteOf(before))
    .where((each) =>
      each.not(
        each.exists(
          each
            .selectFrom('decision_groups')
            .select('seq')
            .whereRef('seq', '>=', 'first_group')
            .whereRef('seq', '<=', 'last_group'),
        ),
      ),
    )
    .execute();
}
