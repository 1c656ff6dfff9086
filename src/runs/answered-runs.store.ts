import type { Kysely } from 'kysely';
import { slices } from '../db/rows.ts';
import type { Tables } from '../db/tables.ts';
import type { RunStep } from '../engine/run-store.ts';
import type { AnsweredRun } from './runs.ts';

const runsAtOnce = 500;

export async function readAnswered(db: Kysely<Tables>, ids: readonly string[]): Promise<Map<string, AnsweredRun>> {
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
    const steps = Map.groupBy(stored, (row) => row.run_id);
    for (const row of rows)
      found.set(row.id, {
        agentId: row.agent_id,
        model: row.model,
        // `StoredRuns` and `StepWriter` wrote status, error, usage and steps, from these types.
        status: row.status === 'running' ? 'interrupted' : (row.status as AnsweredRun['status']),
        reason: row.reason,
        error: row.error === null ? null : JSON.parse(row.error),
        startedAt: row.started_at,
        finishedAt: row.finished_at ?? row.heartbeat_at,
        usage: JSON.parse(row.usage),
        cost: row.cost,
        steps: (steps.get(row.id) ?? []).map(({ data }): RunStep => JSON.parse(data)),
      });
  }
  return found;
}
