import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import { type DecisionCountQuery, type DecisionCounts, isWorded, type StoredDecision } from '../tools/decision-log.ts';
import { withoutNul } from './decision-group.ts';
import { expand, readBounds, walkGroups } from './decision-groups.store.ts';
import { checked, groupsFor, matchesQuery } from './page-decisions.store.ts';

const minuteMs = 60_000;
/** The number of groups to search: those not indexed yet, and those with the member's key, which also hold results. */
const maxLooked = { fresh: 2_000, known: 16 };

/** The number of entries that are searched for a filter that no counter covers. */
const maxCounted = 50_000;

/** Counts calls and errors by interval, from counters or, for other filters, from the entries themselves. */
export function readCounts(database: Database, request: DecisionCountQuery): Promise<DecisionCounts> {
  const { stepMs, since, until, ...filter } = request;
  const query = { ...checked(filter), since, until, stepMs };
  return isCounted(query) ? readCounters(database, query) : countMatches(database, query);
}

function isCounted({ kind, taskId, callId, text }: DecisionCountQuery): boolean {
  const isCountedKind = kind === undefined || kind === 'result' || kind === 'error';
  return isCountedKind && taskId === undefined && callId === undefined && !text;
}

async function readCounters(
  database: Database,
  { since, until, stepMs, agentId, tool, kind }: DecisionCountQuery,
): Promise<DecisionCounts> {
  const { first, step } = intervalsOf({ since, stepMs });
  const interval = sql<number>`(minute - ${sql.lit(first)}) / ${sql.lit(step)}`;
  // Earlier versions counted calls when they began, without those that were refused before.
  const ended = database.dialect.greatest(sql.ref('calls'), sql.ref('errors'));
  const rows = await database.read((db) =>
    db
      .selectFrom('decision_counts')
      .select((each) => [
        interval.as('interval'),
        sql<number | string>`sum(${ended})`.as('calls'),
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
  const intervals = rows.map((row) => {
    const errors = Number(row.errors);
    const calls = Number(row.calls);
    const at = (first + row.interval * step) * minuteMs;
    if (kind === 'error') return { at, calls: errors, errors };
    return kind === 'result' ? { at, calls: calls - errors, errors: 0 } : { at, calls, errors };
  });
  return { intervals: intervals.filter(({ calls }) => calls > 0), completeSince: null };
}

/** Searches the entries, newest first. A call counts once, when its last matching entry was written. */
async function countMatches(database: Database, query: DecisionCountQuery): Promise<DecisionCounts> {
  const { first, step } = intervalsOf(query);
  const countsEntries = query.kind !== undefined && isWorded(query.kind);
  const counted = new Map<number, { calls: number; errors: number }>();
  const known = new Set<string>();
  const holds = query.callId ?? query.agentId ?? query.tool;
  let searched = 0;
  let reached: number | null = null;
  for await (const group of groupsFor(database, query, Number.MAX_SAFE_INTEGER)) {
    if (searched >= maxCounted) {
      reached = group.last_at;
      break;
    }
    searched += group.row_count;
    for (const entry of expand(group, holds).reverse()) {
      if (!matchesQuery(query, entry) || (!countsEntries && (isWorded(entry.kind) || known.has(entry.callId))))
        continue;
      known.add(entry.callId);
      const interval = Math.floor((Math.floor(entry.at / minuteMs) - first) / step);
      const count = counted.get(interval) ?? { calls: 0, errors: 0 };
      counted.set(interval, count);
      count.calls += 1;
      if (entry.kind === 'error') count.errors += 1;
    }
  }
  const sorted = [...counted].sort(([one], [other]) => one - other);
  const intervals = sorted.map(([interval, count]) => ({ at: (first + interval * step) * minuteMs, ...count }));
  return { intervals, completeSince: reached };
}

function intervalsOf({ since, stepMs }: { since: number; stepMs: number }): { first: number; step: number } {
  return { first: Math.floor(since / minuteMs), step: Math.max(1, Math.round(stepMs / minuteMs)) };
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
