import { type ExpressionBuilder, sql } from 'kysely';
import type { Database, Write } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import { type Deletion, deleteUnused, lockDeletion } from './messages.store.ts';
import { deleteArguments } from './run-arguments.store.ts';
import { deleteSteps, deleteUnusedPrompts } from './run-steps.store.ts';

const runsAtOnce = 50;

interface OldRuns {
  before: number;
  /** Processes that are gone, and with them their runs. */
  ended: readonly string[];
}

/** Deletes runs that began earlier and have ended, with the runs that they called. Returns how many. */
export async function deleteOldRuns(database: Pick<Database, 'dialect' | 'write'>, old: OldRuns): Promise<number> {
  let deleted = 0;
  for (;;) {
    const batch = await database.write(({ db }) => deleteBatch({ db, dialect: database.dialect }, old));
    deleted += batch;
    if (batch > 0) continue;
    if (deleted > 0) await database.write(({ db }) => deleteLeftovers(db, old.before));
    return deleted;
  }
}

/** Deletes what no run uses any more. Processes of the previous version know of runs, but not of their arguments and calls. */
async function deleteLeftovers(db: Write['db'], before: number): Promise<void> {
  await deleteUnusedPrompts(db, before);
  for (const table of ['run_arguments', 'run_calls'] as const)
    await db.deleteFrom(table).where('run_id', 'not in', db.selectFrom('runs').select('id')).execute();
}

/** Counts the runs that began earlier and have ended, with the runs that they called. */
export function countOldRuns(database: Pick<Database, 'read'>, before: number): Promise<number> {
  return database.read(async (db) => {
    const ended = db.selectFrom('runs').where('runs.status', '!=', 'running');
    const count = sql<number | string>`count(*)`.as('count');
    const old = await ended.select(count).where('started_at', '<', before).executeTakeFirstOrThrow();
    const called = await ended
      .innerJoin('run_calls', 'run_calls.run_id', 'runs.id')
      .innerJoin('runs as top', 'top.id', 'run_calls.root_id')
      .select(count)
      .where('runs.started_at', '>=', before)
      .where('top.started_at', '<', before)
      .where('top.status', '!=', 'running')
      .executeTakeFirstOrThrow();
    return Number(old.count) + Number(called.count);
  });
}

/** Deletes some of the runs. A run is deleted after those that it called: without it, nobody would find them. */
async function deleteBatch(deletion: Deletion, { before, ended }: OldRuns): Promise<number> {
  const { db } = deletion;
  await lockDeletion(deletion);
  const old = await db
    .selectFrom('runs')
    .select('id')
    .where('started_at', '<', before)
    .where((each) => hasEnded(each, ended))
    .orderBy('started_at')
    .limit(runsAtOnce)
    .execute();
  if (old.length === 0) return 0;
  const oldIds = old.map(({ id }) => id);
  const called = await calledIds(db, oldIds, ended);
  const ids = called.length > 0 ? called : oldIds;
  await deleteSteps(db, ids);
  await deleteArguments(db, ids);
  await db.deleteFrom('run_calls').where('run_id', 'in', ids).execute();
  const deleted = await db.deleteFrom('runs').where('id', 'in', ids).returning('thread_id').execute();
  await deleteUnused(deletion, [...new Set(deleted.map(({ thread_id }) => thread_id))]);
  return deleted.length;
}

function hasEnded(each: ExpressionBuilder<Tables, 'runs'>, ended: readonly string[]) {
  return each.or([each('status', '!=', 'running'), ...(ended.length > 0 ? [each('holder', 'in', ended)] : [])]);
}

/** Returns the ids of some of the runs that these started, directly or through others, and that have ended. */
async function calledIds(db: Write['db'], rootIds: readonly string[], ended: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('runs')
    .select('id')
    .where('id', 'in', (calls) => calls.selectFrom('run_calls').select('run_id').where('root_id', 'in', rootIds))
    .where((each) => hasEnded(each, ended))
    .limit(runsAtOnce)
    .execute();
  return rows.map(({ id }) => id);
}
