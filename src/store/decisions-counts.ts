import { sql } from 'kysely';
import type { DecisionCount, DecisionHistory } from '../tools/decision-log.ts';
import type { Database } from './database.ts';

const minuteMs = 60_000;

/** Sums what each writer counted. An interval without calls is left out. */
export async function readCounts(
  database: Database,
  { since, until, stepMs, agentId, tool }: Parameters<DecisionHistory['counts']>[0],
): Promise<DecisionCount[]> {
  const first = Math.floor(since / minuteMs);
  const step = Math.max(1, Math.round(stepMs / minuteMs));
  const interval = sql<number>`(minute - ${sql.lit(first)}) / ${sql.lit(step)}`;
  const rows = await database.read((db) =>
    db
      .selectFrom('decision_counts')
      .select((each) => [
        interval.as('interval'),
        each.fn.sum<number | string>('calls').as('calls'),
        each.fn.sum<number | string>('errors').as('errors'),
      ])
      .where('minute', '>=', first)
      .where('minute', '<=', Math.floor(until / minuteMs))
      .$if(agentId !== undefined, (query) => query.where('agent_id', '=', agentId ?? ''))
      .$if(tool !== undefined, (query) => query.where('tool', '=', tool ?? ''))
      .groupBy(interval)
      .orderBy(interval)
      .execute(),
  );
  return rows.map((row) => ({
    at: (first + row.interval * step) * minuteMs,
    calls: Number(row.calls),
    errors: Number(row.errors),
  }));
}

/** From one name to the next along the index: one step for each tool, however many rows there are. */
export async function readTools(database: Database): Promise<string[]> {
  const query = sql<{ tool: string }>`with recursive found (tool) as (
      select min(tool) from decision_counts
      union all
      select (select min(tool) from decision_counts where tool > found.tool) from found where found.tool is not null
    ) select tool from found where tool is not null`;
  return (await database.read((db) => query.execute(db))).rows.map((row) => row.tool);
}

/** One step down the index for each member. */
export async function readLastCalls(database: Database, agentIds: readonly string[]): Promise<Map<string, number>> {
  const ids = [...new Set(agentIds)];
  if (ids.length === 0) return new Map();
  const wanted =
    database.kind === 'sqlite'
      ? sql`(select value as id from json_each(${JSON.stringify(ids)})) as wanted`
      : sql`unnest(${ids}::text[]) as wanted (id)`;
  const query = sql<{ id: string; at: number | null }>`select id,
    (select at from decisions where agent_id = id order by at desc limit 1) as at from ${wanted}`;
  const { rows } = await database.read((db) => query.execute(db));
  return new Map(rows.flatMap(({ id, at }) => (at === null ? [] : [[id, at] as const])));
}
