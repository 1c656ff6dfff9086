import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import { blockSize, readBounds } from './decisions-note.ts';
import type { StoredRow } from './decisions-rows.ts';
import type { Tables } from './tables.ts';

const rowsAtOnce = 4_096;
const keysAtOnce = 4_096;
/** Between the clocks of processes. */
const slackMs = 10_000;
const minuteMs = 60_000;

type Row = Pick<StoredRow, 'seq' | 'chain' | 'no' | 'at' | 'hash'>;

/**
 * In small transactions, so that nobody waits long. What one hash covers goes as a whole, when all of it is old enough. A chain
 * loses entries only from its start, and says where it begins now. What has no keys yet stays until it has.
 */
export async function pruneDecisions(database: Database, before: number): Promise<number> {
  let deleted = 0;
  const staying = new Set<string>();
  for (let from: number | undefined = 0; from !== undefined; ) {
    const start: number = from;
    const batch = await database.write(({ db }) => pruneSome(db, { from: start, before, staying }), { isJob: true });
    deleted += batch.deleted;
    from = batch.next;
  }
  await database.write(
    async ({ db }) => {
      await db
        .deleteFrom('decision_counts')
        .where('minute', '<', Math.floor(before / minuteMs))
        .execute();
      await db
        .deleteFrom('decision_chains')
        .whereRef('first_no', '>', 'last_no')
        .where('settled_at', '<', before)
        .execute();
    },
    { isJob: true },
  );
  if (deleted > 0) await pruneKeys(database);
  return deleted;
}

/** Looks at the next entries. `next`: where to go on; undefined at the end. */
async function pruneSome(
  db: Kysely<Tables>,
  { from, before, staying }: { from: number; before: number; staying: Set<string> },
): Promise<{ deleted: number; next: number | undefined }> {
  const rows = await db
    .selectFrom('decisions')
    .select(['seq', 'chain', 'no', 'at', 'hash'])
    .where('seq', '>=', from)
    .where('seq', '<=', (each) => each.selectFrom('decision_marks').select('seq').where('name', '=', 'noted'))
    .orderBy('seq')
    .limit(rowsAtOnce)
    .execute();
  const isEnd = rows.length < rowsAtOnce;
  let deleted = 0;
  let next = rows.at(-1)?.seq ?? 0;
  for (const [chain, ofChain] of Map.groupBy(rows, (row) => row.chain)) {
    const { gone, open } = oldestOf(ofChain, { before, isStaying: staying.has(chain) });
    const last = gone.at(-1);
    // A clock that was set back leaves older times behind newer ones; such entries go when those before them go.
    if (gone.length + open.length < ofChain.length && chain !== '') staying.add(chain);
    // The rest of what their hash covers is behind these: they are read again with it, or stay when that is too much.
    if (open[0] && open[0].seq > from) next = Math.min(next, open[0].seq - 1);
    else if (open[0]) staying.add(chain);
    if (!last) continue;
    deleted += gone.length;
    await deleteRows(db, gone);
    if (chain === '' || last.hash === null) continue;
    await db
      .updateTable('decision_chains')
      .set({ first_no: last.no + 1, hash_before_first: last.hash })
      .where('chain', '=', chain)
      .execute();
  }
  const isNew = (rows.at(-1)?.at ?? 0) >= before + slackMs;
  return { deleted, next: isEnd || isNew ? undefined : next + 1 };
}

/** What goes of these entries of one chain, and those at their end whose hash was not read yet. */
function oldestOf(
  rows: readonly Row[],
  { before, isStaying }: { before: number; isStaying: boolean },
): { gone: Row[]; open: Row[] } {
  if (isStaying) return { gone: [], open: [] };
  // Without hashes each one stands for itself.
  if (rows[0]?.chain === '') return { gone: rows.filter((row) => row.at < before), open: [] };
  const gone: Row[] = [];
  let open: Row[] = [];
  for (const row of rows) {
    if (row.at >= before) return { gone, open: [] };
    open.push(row);
    if (row.hash === null) continue;
    gone.push(...open);
    open = [];
  }
  return { gone, open };
}

async function deleteRows(db: Kysely<Tables>, rows: readonly Row[]): Promise<void> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return;
  const { chain } = first;
  let query = db
    .deleteFrom('decisions')
    .where('chain', '=', chain)
    .where('seq', '>=', first.seq)
    .where('seq', '<=', last.seq);
  if (chain === '')
    query = query.where(
      'seq',
      'in',
      rows.map((row) => row.seq),
    );
  await query.execute();
}

/** Those of blocks before the first entry. A key whose entries are gone is harmless, so what lies behind it may stay. */
async function pruneKeys(database: Database): Promise<void> {
  const { oldest, mark } = await readBounds(database);
  const first = Math.floor((oldest === 0 ? mark + 1 : oldest) / blockSize);
  for (let after = { key: '', block: -1 }; ; ) {
    const behind = sql<boolean>`(key, block) > (${after.key}, ${after.block})`;
    const next = await database.read((db) =>
      db
        .selectFrom('decision_keys')
        .select(['key', 'block'])
        .where(behind)
        .orderBy('key')
        .orderBy('block')
        .limit(1)
        .offset(keysAtOnce)
        .executeTakeFirst(),
    );
    await database.write(
      ({ db }) =>
        db
          .deleteFrom('decision_keys')
          .where(behind)
          .$if(next !== undefined, (query) => query.where(sql<boolean>`(key, block) <= (${next?.key}, ${next?.block})`))
          .where('block', '<', first)
          .execute(),
      { isJob: true },
    );
    if (!next) break;
    after = next;
  }
  await database.write(({ db }) => db.deleteFrom('decision_minutes').where('block', '<', first).execute(), {
    isJob: true,
  });
}
