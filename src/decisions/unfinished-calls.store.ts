import type { Selectable } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Leases } from '../db/leases.ts';
import type { StoredDecision } from '../tools/decision-log.ts';
import { type DecisionChainRow, expand, readBounds, walkGroups } from './decision-groups.store.ts';
import { indexedBetween, isOutcome } from './page-decisions.store.ts';

type Chain = Selectable<DecisionChainRow>;

/** The number of entries looked at between the oldest open call of a chain and its end. */
const maxScanned = 20_000;
const maxChains = 100;

/** Returns calls without an outcome whose writer has ended. A chain without open calls is marked and not read again. */
export async function readUnfinished(
  database: Database,
  { now, leases }: { now: number; leases: Pick<Leases, 'gone'> },
): Promise<StoredDecision[]> {
  const unfinished: StoredDecision[] = [];
  const settled: string[] = [];
  for (const chain of await endedChains(database, leases)) {
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

/** Returns chains whose writer closed them or is gone, oldest first. */
async function endedChains(database: Database, leases: Pick<Leases, 'gone'>): Promise<Chain[]> {
  const chains = await database.read((db) =>
    db.selectFrom('decision_chains').selectAll().where('settled_at', 'is', null).orderBy('started_at').execute(),
  );
  const open = chains.filter((chain) => chain.closed_at === null);
  const endedHolders = await leases.gone(open.map(({ holder }) => holder));
  return chains.filter(({ closed_at, holder }) => closed_at !== null || endedHolders.has(holder)).slice(0, maxChains);
}

/** Returns the open calls of a chain. Their outcome may be in another chain, where the writer continued after a failed insert. */
async function openCalls(database: Database, { chain }: Chain, since: number): Promise<StoredDecision[]> {
  const open = new Map<string, StoredDecision>();
  const { mark } = await database.read(readBounds);
  const from = (await indexedBetween(database, { since }))?.from ?? mark + 1;
  let scanned = 0;
  for await (const group of walkGroups(database, { from, order: 'asc' })) {
    for (const entry of expand(group)) {
      if (entry.kind === 'invocation' && entry.chain === chain) open.set(entry.callId, entry);
      else if (isOutcome(entry)) open.delete(entry.callId);
    }
    scanned += group.row_count;
    if (scanned >= maxScanned) break;
  }
  if (scanned < maxScanned || open.size === 0) return [...open.values()];
  scanned = 0;
  for await (const group of walkGroups(database, { key: 'error', from, order: 'desc' })) {
    for (const entry of expand(group)) if (entry.kind === 'error') open.delete(entry.callId);
    scanned += group.row_count;
    if (scanned >= maxScanned) break;
  }
  return [...open.values()];
}
