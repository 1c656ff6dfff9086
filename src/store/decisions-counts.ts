import { type Kysely, sql } from 'kysely';
import type { DecisionCount, DecisionHistory, StoredDecision } from '../tools/decision-log.ts';
import type { Database } from './database.ts';
import { expand, type GroupRow, selectGroups } from './decisions-groups.ts';
import { withoutNul } from './decisions-rows.ts';
import type { Tables } from './tables.ts';

const minuteMs = 60_000;
/** Keys are made every second. */
const mostFresh = 2_000;
/** Between two calls of a member are their results. */
const mostOfMember = 8;

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

/** The newest group of each member. */
export async function readLastCalls(database: Database, agentIds: readonly string[]): Promise<Map<string, number>> {
  const last = new Map<string, number>();
  for (const id of new Set(agentIds)) {
    const at = await database.read((db) => lastCallIn(db, id));
    if (at !== undefined) last.set(id, at);
  }
  return last;
}

/** When this member wrote last, as far as keys were made. */
async function lastCallIn(db: Kysely<Tables>, id: string): Promise<number | undefined> {
  const [group] = await selectGroups(db, { key: `member ${withoutNul(id)}`, order: 'desc' }, 1);
  return group && timeOfLast(group, ({ agentId }) => agentId === id);
}

/** When this member called last, also where no key was made yet: for a look inside of a transaction. */
export async function lastInvocationIn(db: Kysely<Tables>, id: string): Promise<number | undefined> {
  const isCall = ({ agentId, kind }: StoredDecision) => agentId === id && kind === 'invocation';
  const { seq: mark } = await db
    .selectFrom('decision_marks')
    .select('seq')
    .where('name', '=', 'noted')
    .executeTakeFirstOrThrow();
  const fresh = await selectGroups(db, { from: mark + 1, order: 'desc' }, mostFresh);
  const known = await selectGroups(db, { key: `member ${withoutNul(id)}`, order: 'desc' }, mostOfMember);
  for (const group of [...fresh, ...known]) {
    const at = timeOfLast(group, isCall);
    if (at !== undefined) return at;
  }
  return undefined;
}

function timeOfLast(group: GroupRow, isMeant: (entry: StoredDecision) => boolean): number | undefined {
  const times = expand(group).filter(isMeant);
  return times.length === 0 ? undefined : Math.max(...times.map((entry) => entry.at));
}
