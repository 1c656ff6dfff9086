import { type Kysely, sql } from 'kysely';
import type { ChatEventBody } from '../chats/chat.ts';
import { slices } from '../db/rows.ts';
import type { SqlDialect } from '../db/sql-dialect.ts';
import type { Tables } from '../db/tables.ts';
import type { RunStep } from '../engine/run-store.ts';
import type { AnsweredRun, Spent } from './runs.ts';
import { calledIn, spentIn } from './spent.ts';

const runsAtOnce = 500;

interface Read {
  db: Kysely<Tables>;
  dialect: SqlDialect;
}

export async function readAnswered({ db, dialect }: Read, ids: readonly string[]): Promise<Map<string, AnsweredRun>> {
  const found = new Map<string, AnsweredRun>();
  for (const some of slices([...new Set(ids)], runsAtOnce)) {
    const rows = await db.selectFrom('runs').selectAll().where('id', 'in', some).execute();
    const stored = await db
      .selectFrom('run_steps')
      .select(['run_id', 'data'])
      .where('run_id', 'in', some)
      .orderBy('run_id')
      .orderBy('step')
      .execute();
    const stepRows = Map.groupBy(stored, (row) => row.run_id);
    const shown = await shownIn({ db, dialect }, some);
    for (const row of rows) {
      // `StoredRuns` and `StepWriter` wrote status, error, usage and steps, from these types.
      const steps = (stepRows.get(row.id) ?? []).map(({ data }): RunStep => JSON.parse(data));
      const own: Spent = { usage: JSON.parse(row.usage), cost: row.cost };
      found.set(row.id, {
        agentId: row.agent_id,
        model: row.model,
        status: row.status === 'running' ? 'interrupted' : (row.status as AnsweredRun['status']),
        reason: row.reason,
        error: row.error === null ? null : JSON.parse(row.error),
        startedAt: row.started_at,
        finishedAt: row.finished_at ?? row.heartbeat_at,
        ...(shown.get(row.id) ?? spentIn([own, ...calledIn(steps)])),
        steps,
      });
    }
  }
  return found;
}

/** Returns what the chats of these runs show as the usage and cost of their answers. */
async function shownIn({ db, dialect }: Read, ids: readonly string[]): Promise<Map<string, Spent>> {
  const ends = await db
    .selectFrom('chat_events')
    .select('event')
    .where('chat_id', 'in', (each) => each.selectFrom('runs').select('chat_id').where('id', 'in', ids))
    .where(dialect.contains(sql.ref('event'), JSON.stringify('answer.finished')))
    .orderBy('seq')
    .execute();
  const events = ends.map(({ event }): ChatEventBody => JSON.parse(event));
  return new Map(
    events.flatMap((event) =>
      event.type === 'answer.finished' ? [[event.runId, { usage: event.usage, cost: event.cost }] as const] : [],
    ),
  );
}
