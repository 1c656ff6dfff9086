import { type ExpressionBuilder, type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { SqlDialect } from '../db/sql-dialect.ts';
import type { Tables } from '../db/tables.ts';
import type { RunFilter, StoredRun } from '../engine/run-store.ts';
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
  const { called = 'hide', agentId, state, since, until, text = '' } = filter;
  let found = query;
  if (called !== 'show') found = found.where((each) => (called === 'only' ? isCalled(each) : each.not(isCalled(each))));
  if (agentId !== undefined) found = found.where('agent_id', '=', agentId);
  if (since !== undefined) found = found.where('started_at', '>=', since);
  if (until !== undefined) found = found.where('started_at', '<=', until);
  if (state !== undefined) found = found.where((each) => hasState(each, state, running));
  for (const word of text.split(/\s+/).filter(Boolean)) found = found.where(dialect.mentions(wordsOfRun, word));
  return found;
}

/** Whether another run started it. A run that outlives the one at the top counts as started by itself: nothing else leads to it. */
function isCalled({ exists, selectFrom }: ExpressionBuilder<Tables, 'runs'>) {
  return exists(
    selectFrom('run_calls')
      .innerJoin('runs as top', 'top.id', 'run_calls.root_id')
      .select('run_calls.run_id')
      .whereRef('run_calls.run_id', '=', 'runs.id'),
  );
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

/** Adds up the newest runs of a filter. If the called runs are hidden, each counts for the run at the top. */
export async function totalsOf(
  db: Kysely<Tables>,
  filter: RunFilter,
  options: { dialect: SqlDialect; running: RunningRuns },
): Promise<RunTotals> {
  const tokens = (name: string) =>
    sql<number | string | null>`sum(${options.dialect.numberIn(sql.ref('usage'), name)})`;
  const newest = whereRuns(db.selectFrom('runs'), filter, options)
    .select(['id', 'status', 'ticks', 'cost', 'usage', sql<number>`0`.as('is_called')])
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(maxSummed);
  const isWithCalled = (filter.called ?? 'hide') === 'hide';
  const row = await db
    .with('newest', () => newest)
    .with('called', (each) =>
      each
        .selectFrom('run_calls')
        .innerJoin('runs', 'runs.id', 'run_calls.run_id')
        .select(['runs.id', 'status', 'ticks', 'cost', 'usage', sql<number>`1`.as('is_called')])
        .where('root_id', 'in', (top) => top.selectFrom('newest').select('newest.id'))
        .limit(maxSummed),
    )
    .selectFrom((each) => {
      const own = each.selectFrom('newest').selectAll();
      return (isWithCalled ? own.unionAll(each.selectFrom('called').selectAll()) : own).as('summed');
    })
    .select(({ fn }) => [
      sql<number | string | null>`sum(1 - is_called)`.as('runs'),
      sql<number | string | null>`sum(is_called)`.as('called'),
      sql<number | string | null>`sum(case when status = 'failed' and is_called = 0 then 1 else 0 end)`.as('failed'),
      // The price is known from the first save on.
      sql<number | string | null>`sum(case when cost is null and ticks > 0 then 1 else 0 end)`.as('unpriced'),
      fn.sum<number | null>('cost').as('cost'),
      tokens('inputTokens').as('input'),
      tokens('outputTokens').as('output'),
    ])
    .executeTakeFirstOrThrow();
  return {
    runs: Number(row.runs ?? 0),
    called: Number(row.called ?? 0),
    isPartial: [row.runs, row.called].some((count) => Number(count) === maxSummed),
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
      // The calling agent was told, and its own run shows what became of it.
      .where((each) => each.not(isCalled(each)))
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
  const answered = await answeredMessages(database, rows);
  return rows.map((row) => {
    // Only `finish` writes it.
    const error: StoredRun['error'] = row.error === null ? null : JSON.parse(row.error);
    return {
      id: row.id,
      agentId: row.agent_id,
      chatId: row.thread_id === row.id ? null : row.thread_id,
      messageId: answered.get(row.id) ?? null,
      // The query selects only these.
      status: row.status as FailedRun['status'],
      code: error?.code ?? null,
      message: (error === null ? row.reason : error.message) ?? '',
      at: row.finished_at ?? row.started_at,
    };
  });
}

/** Returns the ids of the user's messages that runs in chats answer, by the ids of the runs. */
async function answeredMessages(
  database: Database,
  runs: readonly { id: string; thread_id: string }[],
): Promise<Map<string, string>> {
  const inChats = runs.filter(({ id, thread_id }) => id !== thread_id);
  if (inChats.length === 0) return new Map();
  const rows = await database.read((db) =>
    db
      .selectFrom('messages')
      .select(['run_id', 'message_id'])
      .distinct()
      .where('thread_id', 'in', [...new Set(inChats.map(({ thread_id }) => thread_id))])
      .where(
        'run_id',
        'in',
        inChats.map(({ id }) => id),
      )
      .where('message_id', 'is not', null)
      .execute(),
  );
  return new Map(rows.map(({ run_id, message_id }) => [run_id, message_id ?? '']));
}
