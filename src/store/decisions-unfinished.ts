import { type Selectable, sql } from 'kysely';
import type { StoredDecision } from '../tools/decision-log.ts';
import type { Database } from './database.ts';
import { readBounds } from './decisions-note.ts';
import { notedBetween, readWindow } from './decisions-page.ts';
import type { Leases } from './leases.ts';
import type { DecisionChainRow } from './tables.ts';

type Chain = Selectable<DecisionChainRow>;

/** One look is at so many entries between the oldest open call of a chain and its end. */
const maxScanned = 20_000;
const mostChains = 100;

/** A chain that left nothing open is not looked at again. */
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

/** Those whose writer closed them or is gone, the oldest first. */
async function endedChains(database: Database, leases: Pick<Leases, 'gone'>): Promise<Chain[]> {
  const chains = await database.read((db) =>
    db.selectFrom('decision_chains').selectAll().where('settled_at', 'is', null).orderBy('started_at').execute(),
  );
  const open = chains.filter((chain) => chain.closed_at === null);
  const gone = await leases.gone(open.map(({ holder }) => holder));
  return chains.filter(({ closed_at, holder }) => closed_at !== null || gone.has(holder)).slice(0, mostChains);
}

/** A writer whose insert failed goes on in another chain: the end of a call may be there. Errors may come much later. */
async function openCalls(database: Database, { chain }: Chain, since: number): Promise<StoredDecision[]> {
  const open = new Map<string, StoredDecision>();
  const { mark, newest } = await readBounds(database);
  let reached = ((await notedBetween(database, { since }))?.from ?? mark + 1) - 1;
  const last = Math.min(newest, reached + maxScanned);
  const isMeant = sql<boolean>`(kind = 'invocation' and chain = ${chain} or kind in ('result', 'error'))`;
  while (reached < last) {
    const range = { from: reached + 1, to: last, key: undefined, order: 'asc', limit: maxScanned } as const;
    const window = await readWindow(database, { fields: isMeant, holdsText: undefined }, range, { isNext: true });
    for (const entry of window.entries) {
      if (entry.kind === 'invocation') open.set(entry.callId, entry);
      else open.delete(entry.callId);
    }
    reached = window.reached;
  }
  if (open.size === 0 || last === newest) return [...open.values()];
  const errors = { fields: sql<boolean>`kind = 'error'`, holdsText: undefined };
  let to = newest;
  for (let scanned = 0; to > last && scanned < maxScanned; ) {
    const range = { from: last + 1, to, key: 'error', order: 'desc', limit: maxScanned } as const;
    const window = await readWindow(database, errors, range, { isNext: true });
    for (const entry of window.entries) open.delete(entry.callId);
    scanned += window.scanned;
    to = window.reached - 1;
  }
  return [...open.values()];
}
