import { type Kysely, sql } from 'kysely';
import type { DecisionCount, DecisionHistory } from '../tools/decision-log.ts';
import type { Database } from './database.ts';
import { joinEntries } from './decisions-page.ts';
import { withoutNul } from './decisions-rows.ts';
import type { Tables } from './tables.ts';

const minuteMs = 60_000;
/** Between two calls of a member are their results. */
const maxBlocks = 4;

/** An interval without calls is left out. */
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

/** When this member wrote last; `isCall`: when it called last. Also where no key was made yet, for a look inside of a transaction. */
export async function lastTimeIn(db: Kysely<Tables>, id: string, { isCall = false } = {}): Promise<number | undefined> {
  const agentId = withoutNul(id);
  const isMeant = isCall ? sql`agent_id = ${agentId} and kind = 'invocation'` : sql`agent_id = ${agentId}`;
  const blocks = sql`select block from decision_keys where key = ${`member ${agentId}`} order by block desc limit ${maxBlocks}`;
  const query = sql<{ at: number | null }>`select max(at) as at from (
      select at from (select at from decisions where seq > (select seq from decision_marks where name = 'noted') and ${isMeant}
        order by seq desc limit 1) as fresh
      union all
      select at from (${blocks}) as found ${joinEntries(db, isMeant)}
    ) as times`;
  return (await query.execute(db)).rows[0]?.at ?? undefined;
}
