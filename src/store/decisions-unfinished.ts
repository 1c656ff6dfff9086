import { hostname } from 'node:os';
import { type Selectable, sql } from 'kysely';
import type { StoredDecision } from '../tools/decision-log.ts';
import type { Database } from './database.ts';
import { type StoredDecisionRow, toStoredDecision } from './decisions-rows.ts';
import type { DecisionChainRow } from './tables.ts';

type Chain = Selectable<DecisionChainRow>;

/** A writer says every half minute that it is there. */
const silentMs = 120_000;
/** One look is at so many rows between the oldest open call of a chain and its end. */
const mostRows = 20_000;
const mostChains = 100;

/** A chain that left nothing open is not looked at again. */
export async function readUnfinished(
  database: Database,
  { now, own }: { now: number; own: ReadonlySet<string> },
): Promise<StoredDecision[]> {
  const chains = await database.read((db) =>
    db
      .selectFrom('decision_chains')
      .selectAll()
      .where('settled_at', 'is', null)
      .orderBy('seen_at')
      .limit(mostChains)
      .execute(),
  );
  const unfinished: StoredDecisionRow[] = [];
  const settled: string[] = [];
  for (const chain of chains) {
    if (own.has(chain.chain) || !hasEnded(chain, now)) continue;
    const calls = chain.open_since === null ? [] : await openCalls(database, chain, chain.open_since);
    if (calls.length === 0) settled.push(chain.chain);
    unfinished.push(...calls);
  }
  if (settled.length > 0)
    await database.write(({ db }) =>
      db.updateTable('decision_chains').set({ settled_at: now }).where('chain', 'in', settled).execute(),
    );
  return unfinished.map(toStoredDecision);
}

function hasEnded({ closed_at, seen_at, host, pid }: Chain, now: number): boolean {
  return closed_at !== null || now - seen_at > silentMs || (host === hostname() && !isRunning(pid));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is one, too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** A writer whose insert failed goes on in another chain: the end of a call may be there. Errors may come much later. */
async function openCalls(database: Database, chain: Chain, since: number): Promise<StoredDecisionRow[]> {
  const rows = await database.read(async (db) => {
    const { until } = await db
      .selectFrom('decision_chains')
      .select((each) => each.fn.max('seen_at').as('until'))
      .where('host', '=', chain.host)
      .where('pid', '=', chain.pid)
      .executeTakeFirstOrThrow();
    const inTime = sql`select * from decisions where at >= ${since} and at <= ${until} order by at, seq limit ${mostRows}`;
    const later = sql`select call_id from decisions where kind in ('error', 'manual') and kind = 'error' and at >= ${since} order by at desc limit ${mostRows}`;
    const query = sql<StoredDecisionRow>`with looked_at as materialized (${inTime})
      select * from looked_at where kind = 'invocation' and chain = ${chain.chain}
        and call_id not in (select call_id from looked_at where kind in ('result', 'error'))
        and call_id not in (select call_id from (${later}) as later)
      order by at, seq`;
    return (await query.execute(db)).rows;
  });
  return rows;
}
