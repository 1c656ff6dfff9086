import type { Kysely } from 'kysely';
import { newId } from '../base/ids.ts';
import type { Database } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import type { Head } from './anchor-lines.ts';
import type { DecisionCutRow } from './decision-groups.store.ts';
import { checkProof, cutText, type LogKey } from './log-key.ts';

interface NewCut {
  kind: 'prune' | 'restore';
  at: number;
  detail: object;
}

/** Records why chains are removed, in the same transaction. */
export async function addCut(db: Kysely<Tables>, { kind, at, detail }: NewCut, key: LogKey): Promise<void> {
  const row = { id: newId('cut', at), kind, at, detail: JSON.stringify(detail) };
  await db
    .insertInto('decision_cuts')
    .values({ ...row, proof: key.sign(cutText(row)) })
    .execute();
}

/** Why chains are gone, as far as it can be proven. */
export interface Cuts {
  /** Chains that were deleted because all their entries were old. */
  pruned: Set<string>;
  /** The time of the last restore. */
  restoredAt: number | undefined;
  /** Records made with keys that this machine does not have. They explain gaps, but prove nothing. */
  unknownKeys: Set<string>;
  /** Records that someone changed or made up. */
  wrong: DecisionCutRow[];
}

export async function readCuts(database: Database, keys: ReadonlyMap<string, LogKey>): Promise<Cuts> {
  const cuts: Cuts = { pruned: new Set(), restoredAt: undefined, unknownKeys: new Set(), wrong: [] };
  const rows = await database.read((db) => db.selectFrom('decision_cuts').selectAll().execute());
  for (const row of rows) {
    const proof = checkProof(keys, row.proof, cutText(row));
    if (proof === 'unknown') cuts.unknownKeys.add(row.proof.split('.')[0] ?? '');
    else if (proof === 'wrong') cuts.wrong.push(row);
    else if (row.kind === 'restore') cuts.restoredAt = Math.max(cuts.restoredAt ?? 0, row.at);
    else for (const chain of chainsIn(row.detail)) cuts.pruned.add(chain);
  }
  return cuts;
}

function chainsIn(detail: string): string[] {
  const { chains } = Object(JSON.parse(detail));
  return Array.isArray(chains) ? chains.filter((chain) => typeof chain === 'string') : [];
}

/** Returns the ends of all chains that have entries, for a first anchor. */
export async function readHeads(database: Database, at: number): Promise<Head[]> {
  const rows = await database.read((db) =>
    db.selectFrom('decision_chains').select(['chain', 'first_no', 'last_no', 'last_hash']).orderBy('chain').execute(),
  );
  return rows
    .filter(({ last_no }) => last_no > 0)
    .map(({ chain, first_no, last_no, last_hash }) => ({ chain, no: last_no, hash: last_hash, at, firstNo: first_no }));
}
