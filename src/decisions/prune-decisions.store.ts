import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import { expand, type GroupRow, readBounds } from './decision-groups.store.ts';
import { keysOf, minuteOf } from './index-decisions.store.ts';
import { addCut } from './log-cuts.store.ts';
import { type LogKey, startText } from './log-key.ts';

const groupsAtOnce = 64;
const chainsInCut = 1_000;
/** The assumed difference between the clocks of processes. */
const slackMs = 10_000;

/**
 * Deletes old groups in small transactions, so that nobody waits long. A group is deleted when all its entries are old enough. A chain
 * loses groups only from its start, and records where it begins now. Groups that are not indexed yet stay.
 */
export async function pruneDecisions(
  database: Database,
  before: number,
  { key, now }: { key: LogKey | undefined; now: number },
): Promise<number> {
  let deleted = 0;
  const staying = new Set<string>();
  for (let from: number | undefined = 0; from !== undefined; ) {
    const start: number = from;
    const batch = await database.write(({ db }) => pruneSome(db, { from: start, before, staying, key }), {
      isJob: true,
    });
    deleted += batch.deleted;
    from = batch.next;
  }
  await database.write(
    async ({ db }) => {
      await db.deleteFrom('decision_counts').where('minute', '<', minuteOf(before)).execute();
      await pruneMinutes(db, before);
      await deleteChains(db, { before, key, now });
    },
    { isJob: true },
  );
  return deleted;
}

/** Checks the next groups. `next` is where to continue; undefined at the end. */
async function pruneSome(
  db: Kysely<Tables>,
  { from, before, staying, key }: { from: number; before: number; staying: Set<string>; key: LogKey | undefined },
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
      await deleteGroup(db, group, key);
      deleted += group.row_count;
    }
  }
  const last = groups.at(-1);
  const isEnd = !last || groups.length < groupsAtOnce || last.first_at >= before + slackMs;
  return { deleted, next: isEnd ? undefined : last.seq + 1 };
}

async function deleteGroup(db: Kysely<Tables>, group: GroupRow, key: LogKey | undefined): Promise<void> {
  const keys = [...keysOf(expand(group))];
  if (keys.length > 0)
    await db.deleteFrom('decision_keys').where('group_seq', '=', group.seq).where('key', 'in', keys).execute();
  await db.deleteFrom('decision_groups').where('seq', '=', group.seq).execute();
  if (group.chain === '') return;
  const first_no = group.first_no + group.row_count;
  const start_proof = key?.sign(startText(group.chain, first_no, group.hash)) ?? '';
  await db
    .updateTable('decision_chains')
    .set({ first_no, hash_before_first: group.hash, start_proof })
    .where('chain', '=', group.chain)
    .execute();
}

/** Deletes chains without entries, and records that they existed: the anchors still know them. */
async function deleteChains(
  db: Kysely<Tables>,
  { before, key, now }: { before: number; key: LogKey | undefined; now: number },
): Promise<void> {
  const { rows } = await sql<{ chain: string }>`delete from decision_chains
    where first_no > last_no and settled_at < ${before} returning chain`.execute(db);
  if (!key) return;
  for (let start = 0; start < rows.length; start += chainsInCut) {
    const chains = rows.slice(start, start + chainsInCut).map(({ chain }) => chain);
    await addCut(db, { kind: 'prune', at: now, detail: { before, chains } }, key);
  }
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
