import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import type { DecisionCount, DecisionHistory, StoredDecision } from '../tools/decision-log.ts';
import { withoutNul } from './decision-group.ts';
import { expand, readBounds, walkGroups } from './decision-groups.store.ts';

const minuteMs = 60_000;
/** The number of groups to search: those not indexed yet, and those with the member's key, which also hold results. */
const maxLooked = { fresh: 2_000, known: 16 };

/** Counts calls and errors by interval. Intervals without calls are left out. */
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

/** Returns the names of all called tools. Jumps from one name to the next along the index, however many rows there are. */
export async function readTools(database: Database): Promise<string[]> {
  const query = sql<{ tool: string }>`with recursive found (tool) as (
      select min(tool) from decision_counts
      union all
      select (select min(tool) from decision_counts where tool > found.tool) from found where found.tool is not null
    ) select tool from found where tool is not null`;
  return (await database.read((db) => query.execute(db))).rows.map((row) => row.tool);
}

/**
 * Returns the time of a member's last entry, or of its last call with `isCall`. Also searches groups that are not indexed yet, so that
 * it works inside a transaction.
 */
export async function lastTimeIn(db: Kysely<Tables>, id: string, { isCall = false } = {}): Promise<number | undefined> {
  const agentId = withoutNul(id);
  const matches = (entry: StoredDecision) => entry.agentId === agentId && (!isCall || entry.kind === 'invocation');
  const { mark } = await readBounds(db);
  const fresh = { from: mark + 1, order: 'desc', groups: maxLooked.fresh } as const;
  const known = { to: mark, key: `member ${agentId}`, order: 'desc', groups: maxLooked.known } as const;
  for (const { groups, ...range } of [fresh, known]) {
    let looked = 0;
    for await (const group of walkGroups({ read: (run) => run(db) }, range)) {
      const times = expand(group, agentId).flatMap((entry) => (matches(entry) ? [entry.at] : []));
      if (times.length > 0) return Math.max(...times);
      looked += 1;
      if (looked === groups) break;
    }
  }
  return undefined;
}
