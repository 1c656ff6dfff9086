import { type ExpressionBuilder, type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { SqlDialect } from '../db/sql-dialect.ts';
import type { Tables } from '../db/tables.ts';
import type { RunFilter } from '../engine/run-store.ts';
import { type FailedRun, type FailureQuery, failedStatuses, type RunTotals } from './runs.ts';

/** Which of the runs without an end are still running. */
export interface RunningRuns {
  /** The ids of those whose process is alive. */
  alive: readonly string[];
}

const wordsOfRun = sql`title || ' ' || model || ' ' || coalesce(agent_id, '') || ' ' || coalesce(reason, '')`;
/** Bounds what the totals read. */
const maxSummed = 10_000;

type RunQuery<O> = SelectQueryBuilder<Tables, 'runs', O>;

/** Applies a filter to a query of runs. */
export function whereRuns<O>(
  query: RunQuery<O>,
  filter: RunFilter,
  { dialect, running }: { dialect: SqlDialect; running: RunningRuns },
): RunQuery<O> {
  const { agentId, state, since, until, text = '' } = filter;
  let found = query;
  if (agentId !== undefined) found = found.where('agent_id', '=', agentId);
  if (since !== undefined) found = found.where('started_at', '>=', since);
  if (until !== undefined) found = found.where('started_at', '<=', until);
  if (state !== undefined) found = found.where((each) => hasState(each, state, running));
  for (const word of text.split(/\s+/).filter(Boolean)) found = found.where(dialect.mentions(wordsOfRun, word));
  return found;
}

/** The ids are few: a process runs a handful of runs at a time. */
function hasState(
  each: ExpressionBuilder<Tables, 'runs'>,
  state: NonNullable<RunFilter['state']>,
  { alive }: RunningRuns,
) {
  const isAlive = alive.length === 0 ? sql<boolean>`1 = 0` : each('id', 'in', alive);
  if (state === 'running') return each.and([each('status', '=', 'running'), isAlive]);
  if (state !== 'interrupted') return each('status', '=', state);
  return each.or([each('status', '=', 'interrupted'), each.and([each('status', '=', 'running'), each.not(isAlive)])]);
}

/** Adds up the newest runs of a filter. */
export async function totalsOf(
  db: Kysely<Tables>,
  filter: RunFilter,
  options: { dialect: SqlDialect; running: RunningRuns },
): Promise<RunTotals> {
  const tokens = (name: string) =>
    sql<number | string | null>`sum(${options.dialect.numberIn(sql.ref('usage'), name)})`;
  const newest = whereRuns(db.selectFrom('runs'), filter, options)
    .select(['status', 'ticks', 'cost', 'usage'])
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(maxSummed);
  const row = await db
    .selectFrom(newest.as('newest'))
    .select(({ fn }) => [
      fn.countAll<number | string>().as('runs'),
      sql<number | string | null>`sum(case when status = 'failed' then 1 else 0 end)`.as('failed'),
      // The price is known from the first save on.
      sql<number | string | null>`sum(case when cost is null and ticks > 0 then 1 else 0 end)`.as('unpriced'),
      fn.sum<number | null>('cost').as('cost'),
      tokens('inputTokens').as('input'),
      tokens('outputTokens').as('output'),
    ])
    .executeTakeFirstOrThrow();
  return {
    runs: Number(row.runs),
    isPartial: Number(row.runs) === maxSummed,
    failed: Number(row.failed ?? 0),
    unpriced: Number(row.unpriced ?? 0),
    cost: Number(row.cost ?? 0),
    inputTokens: Number(row.input ?? 0),
    outputTokens: Number(row.output ?? 0),
  };
}

/** Returns failed runs, newest first, unless their chat has continued since or they are dismissed in the inbox. */
export async function findFailures(
  database: Database,
  { since, limit, dismissedAs }: FailureQuery,
): Promise<FailedRun[]> {
  const rows = await database.read((db) =>
    db
      .selectFrom('runs')
      .select(['id', 'agent_id', 'thread_id', 'status', 'reason', 'error', 'started_at', 'finished_at'])
      .where('status', 'in', failedStatuses)
      .where('started_at', '>=', since)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('runs as later')
              .select('later.id')
              .whereRef('later.thread_id', '=', 'runs.thread_id')
              .whereRef('later.started_at', '>', 'runs.started_at'),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('inbox_dismissals')
              .select('item')
              .where('item', '=', sql<string>`${sql.lit(dismissedAs)} || runs.id`),
          ),
        ),
      )
      .orderBy('started_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),
  );
  return rows.map((row) => ({
    id: row.id,
    agentId: row.agent_id,
    chatId: row.thread_id === row.id ? null : row.thread_id,
    // The query selects only these.
    status: row.status as FailedRun['status'],
    // Only `finish` writes it.
    message: (row.error === null ? row.reason : JSON.parse(row.error).message) ?? '',
    at: row.finished_at ?? row.started_at,
  }));
}
