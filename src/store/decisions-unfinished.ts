import { hostname } from 'node:os';
import type { Selectable } from 'kysely';
import { isRunning } from '../base/is-running.ts';
import type { StoredDecision } from '../tools/decision-log.ts';
import type { Database } from './database.ts';
import { isOutcome } from './decisions-call.ts';
import { expand, walkGroups } from './decisions-groups.ts';
import { groupsBetween } from './decisions-times.ts';
import type { DecisionChainRow } from './tables.ts';

type Chain = Selectable<DecisionChainRow>;

/** A writer says every half minute that it is there. */
const silentMs = 120_000;
const longSilentMs = 7 * 24 * 3_600_000;
/** One look is at so many entries between the oldest open call of a chain and its end. */
const mostScanned = 20_000;
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
  const unfinished: StoredDecision[] = [];
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
  return unfinished;
}

/**
 * Of a process of this machine the system knows whether it runs: it may be silent because the machine slept or the clock jumped.
 * A number that another process has got meanwhile looks alike, so even that ends some day.
 */
function hasEnded({ closed_at, seen_at, host, pid }: Chain, now: number): boolean {
  if (closed_at !== null) return true;
  if (host === hostname()) return !isRunning(pid) || now - seen_at > longSilentMs;
  return now - seen_at > silentMs;
}

/** A writer whose insert failed goes on in another chain: the end of a call may be there. Errors may come much later. */
async function openCalls(database: Database, { chain }: Chain, since: number): Promise<StoredDecision[]> {
  const open = new Map<string, StoredDecision>();
  const { from } = await groupsBetween(database, { since });
  let scanned = 0;
  for await (const group of walkGroups(database, { from, order: 'asc' })) {
    for (const entry of expand(group)) {
      if (entry.kind === 'invocation' && entry.chain === chain) open.set(entry.callId, entry);
      else if (isOutcome(entry)) open.delete(entry.callId);
    }
    scanned += group.row_count;
    if (scanned >= mostScanned) break;
  }
  if (scanned < mostScanned || open.size === 0) return [...open.values()];
  scanned = 0;
  for await (const group of walkGroups(database, { key: 'error', from, order: 'desc' })) {
    for (const entry of expand(group)) if (entry.kind === 'error') open.delete(entry.callId);
    scanned += group.row_count;
    if (scanned >= mostScanned) break;
  }
  return [...open.values()];
}
