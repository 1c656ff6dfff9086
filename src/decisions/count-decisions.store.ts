import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import { type DecisionCountQuery, type DecisionCounts, isWorded, type StoredDecision } from '../tools/decision-log.ts';
import { withoutNul } from './decision-group.ts';
import { expand, readBounds, walkGroups } from './decision-groups.store.ts';
import { checked, groupsFor, isOutcome, matchesQuery } from './page-decisions.store.ts';

const minuteMs = 60_000;
/** The number of groups to search: those not indexed yet, and those with the member's key, which also hold results. */
const maxLooked = { fresh: 2_000, known: 16 };

/** The number of entries that are searched for a filter that no counter covers. */
const maxCounted = 50_000;

/** How long before the time range inputs are searched: a call that ended in the range may have begun earlier. */
const inputMs = 600_000;

/** Counts calls and errors by interval, from counters or, for other filters, from the entries themselves. */
export function readCounts(database: Database, request: DecisionCountQuery): Promise<DecisionCounts> {
  const { stepMs, since, until, ...filter } = request;
  const query = { ...checked(filter), since, until, stepMs };
  return isCounted(query) ? countExactly(database, query) : countMatches(database, query);
}

function isCounted({ kind, taskId, callId, text }: DecisionCountQuery): boolean {
  const isCountedKind = kind === undefined || kind === 'result' || kind === 'error';
  return isCountedKind && taskId === undefined && callId === undefined && !text;
}

/** Counters hold whole minutes. Calls in parts of a minute, at both ends of the range, are counted from their entries. */
async function countExactly(database: Database, query: DecisionCountQuery): Promise<DecisionCounts> {
  const { since, until } = query;
  const [from, to] = [Math.ceil(since / minuteMs) * minuteMs, Math.floor((until + 1) / minuteMs) * minuteMs - 1];
  if (from > to) return countMatches(database, query);
  const parts = await Promise.all([
    since < from ? countMatches(database, { ...query, until: from - 1 }) : nothingCounted,
    readCounters(database, { ...query, since: from, until: to }),
    to < until ? countMatches(database, { ...query, since: to + 1 }) : nothingCounted,
  ]);
  const counted = new Map<number, Count>();
  for (const { at, calls, errors } of parts.flatMap(({ intervals }) => intervals)) add(counted, at, { calls, errors });
  const completeSince = parts.findLast((part) => part.completeSince !== null)?.completeSince ?? null;
  return { intervals: toIntervals(counted), completeSince };
}

const nothingCounted: DecisionCounts = { intervals: [], completeSince: null };

async function readCounters(
  database: Database,
  { since, until, stepMs, agentId, tool, kind }: DecisionCountQuery,
): Promise<DecisionCounts> {
  const step = stepOf(stepMs);
  const interval = sql<number>`minute / ${sql.lit(step)}`;
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
      .where('minute', '>=', Math.floor(since / minuteMs))
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
    const at = row.interval * step * minuteMs;
    if (kind === 'error') return { at, calls: errors, errors };
    return kind === 'result' ? { at, calls: calls - errors, errors: 0 } : { at, calls, errors };
  });
  return { intervals: intervals.filter(({ calls }) => calls > 0), completeSince: null };
}

/**
 * Searches the entries, newest first. With a kind, each matching entry counts, because a call has at most one of each. Otherwise, a call
 * counts when it ends, if any of its entries matches.
 */
async function countMatches(database: Database, query: DecisionCountQuery): Promise<DecisionCounts> {
  const { kind, since, until, stepMs, text } = query;
  const stepMinutes = stepOf(stepMs) * minuteMs;
  const anyTime = { ...query, since: undefined, until: undefined };
  const counted = new Map<number, Count>();
  /** The outcome of each call; null if it was counted, or is not in the range. */
  const outcomes = new Map<string, StoredDecision | null>();
  const isInRange = ({ at }: StoredDecision) => at >= since && at <= until;
  const count = (entry: StoredDecision) =>
    add(counted, Math.floor(entry.at / stepMinutes) * stepMinutes, {
      calls: 1,
      errors: entry.kind === 'error' ? 1 : 0,
    });
  const holds = query.callId ?? query.agentId ?? query.tool;
  const searchedSince = text && kind === undefined ? since - inputMs : since;
  let searched = 0;
  let reached: number | null = null;
  for await (const group of groupsFor(database, { ...query, since: searchedSince }, Number.MAX_SAFE_INTEGER)) {
    if (searched >= maxCounted) {
      reached = group.last_at;
      break;
    }
    searched += group.row_count;
    for (const entry of expand(group, holds).reverse()) {
      if (kind !== undefined) {
        if (matchesQuery(query, entry)) count(entry);
        continue;
      }
      if (isWorded(entry.kind)) continue;
      if (isOutcome(entry) && !outcomes.has(entry.callId)) outcomes.set(entry.callId, isInRange(entry) ? entry : null);
      const outcome = outcomes.get(entry.callId);
      if (!outcome || !matchesQuery(anyTime, entry)) continue;
      count(outcome);
      outcomes.set(entry.callId, null);
    }
  }
  return { intervals: toIntervals(counted), completeSince: reached !== null && reached >= since ? reached : null };
}

type Count = { calls: number; errors: number };

function add(counted: Map<number, Count>, at: number, { calls, errors }: Count): void {
  const count = counted.get(at) ?? { calls: 0, errors: 0 };
  counted.set(at, { calls: count.calls + calls, errors: count.errors + errors });
}

function toIntervals(counted: ReadonlyMap<number, Count>): DecisionCounts['intervals'] {
  return [...counted].sort(([one], [other]) => one - other).map(([at, count]) => ({ at, ...count }));
}

/** Returns the length of an interval in whole minutes. Intervals begin at its multiples, whenever the range begins. */
function stepOf(stepMs: number): number {
  return Math.max(1, Math.round(stepMs / minuteMs));
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
