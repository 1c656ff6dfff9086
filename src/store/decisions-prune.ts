import { sql } from 'kysely';
import type { Database, Write } from './database.ts';

const batchRows = 500;
const minuteMs = 60_000;

interface Oldest {
  seq: number;
  at: number;
  chain: string;
  chain_no: number;
  hash: string;
}

type Pruning = Write & { isLocking: boolean };

/** In small transactions, so that nobody waits long. A chain loses rows only from its start, and says where it begins now. */
export async function pruneDecisions(database: Database, before: number): Promise<number> {
  let deleted = 0;
  let place = { at: Number.MIN_SAFE_INTEGER, seq: -1 };
  for (;;) {
    const from = place;
    const { batch, count } = await database.write(async (write) => {
      const { rows } = await sql<Oldest>`select seq, at, chain, chain_no, hash from decisions
        where at < ${before} and (at, seq) > (${from.at}, ${from.seq}) order by at, seq limit ${batchRows}`.execute(
        write.db,
      );
      return { batch: rows, count: await deleteRows({ ...write, isLocking: database.kind === 'postgres' }, rows) };
    });
    deleted += count;
    const last = batch.at(-1);
    if (!last || batch.length < batchRows) break;
    place = last;
  }
  await database.write(async ({ db }) => {
    await db
      .deleteFrom('decision_counts')
      .where('minute', '<', Math.floor(before / minuteMs))
      .execute();
    await db
      .deleteFrom('decision_chains')
      .whereRef('first_no', '>', 'last_no')
      .where('settled_at', 'is not', null)
      .where('seen_at', '<', before)
      .execute();
  });
  return deleted;
}

async function deleteRows(write: Pruning, rows: readonly Oldest[]): Promise<number> {
  const seqs: number[] = [];
  for (const [chain, own] of Map.groupBy(rows, (row) => row.chain)) {
    const gone = chain === '' ? own : await startOfChain(write, chain, own);
    const last = gone.at(-1);
    if (!last) continue;
    for (const row of gone) seqs.push(row.seq);
    if (chain === '') continue;
    await write.db
      .updateTable('decision_chains')
      .set({ first_no: last.chain_no + 1, hash_before_first: last.hash })
      .where('chain', '=', chain)
      .execute();
  }
  if (seqs.length > 0) await write.db.deleteFrom('decisions').where('seq', 'in', seqs).execute();
  return seqs.length;
}

/** A clock that was set back leaves older times behind newer ones; such rows go when those before them go. */
async function startOfChain({ db, isLocking }: Pruning, chain: string, rows: readonly Oldest[]): Promise<Oldest[]> {
  const known = await db
    .selectFrom('decision_chains')
    .select('first_no')
    .where('chain', '=', chain)
    .$if(isLocking, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!known) return [];
  const start: Oldest[] = [];
  for (const row of rows.toSorted((one, other) => one.chain_no - other.chain_no)) {
    if (row.chain_no !== known.first_no + start.length) break;
    start.push(row);
  }
  return start;
}
