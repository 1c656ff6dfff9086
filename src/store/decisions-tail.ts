import { sql } from 'kysely';
import { HubError } from '../base/hub-error.ts';
import type { DecisionPage, DecisionQuery } from '../tools/decision-log.ts';
import type { Database } from './database.ts';
import { conditionsOf } from './decisions-filter.ts';
import { all, limitOf, mostScanned, windowRows } from './decisions-page.ts';
import { type StoredDecisionRow, toStoredDecision } from './decisions-rows.ts';

/** PostgreSQL numbers a row before its transaction ends: a number that is missing may still come for so long. */
const mayComeMs = 2_000;

/** In the order of writing, which no clock disturbs. Throws INVALID_ARGUMENTS for a cursor that is none. */
export async function readTail(
  database: Database,
  query: DecisionQuery & { after: string },
  now: number,
): Promise<DecisionPage> {
  const limit = limitOf(query);
  const { drive, rest, matches } = conditionsOf(database.kind, query);
  const found: StoredDecisionRow[] = [];
  let seen = parseTailCursor(query.after);
  const newest = await newestSeq(database, now, seen);
  for (let scanned = 0; seen < newest && scanned < mostScanned && found.length < limit; scanned += windowRows) {
    const until = Math.min(newest, seen + windowRows);
    const window = sql`select * from decisions where seq > ${seen} and seq <= ${until} order by seq limit ${windowRows}`;
    const { rows } = await database.read((db) =>
      sql<StoredDecisionRow>`select * from (${window}) as looked_at ${all([...drive, ...rest])} order by seq`.execute(
        db,
      ),
    );
    const fitting = (matches ? rows.filter(matches) : rows).slice(0, limit - found.length);
    found.push(...fitting);
    seen = found.length === limit ? (found.at(-1)?.seq ?? until) : until;
  }
  return { entries: found.map(toStoredDecision), cursor: null, newest: toTailCursor(seen) };
}

/** Up to this row nothing is missing any more. */
export async function newestSeq(database: Database, now: number, from = 0): Promise<number> {
  if (database.kind === 'sqlite') {
    const row = await database.read((db) =>
      db
        .selectFrom('decisions')
        .select((each) => each.fn.max('seq').as('seq'))
        .executeTakeFirst(),
    );
    return row?.seq ?? 0;
  }
  const rows = await database.read((db) =>
    db
      .selectFrom('decisions')
      .select(['seq', 'at'])
      .where('seq', '>', from)
      .orderBy('seq', 'desc')
      .limit(500)
      .execute(),
  );
  const ordered = rows.reverse();
  for (const [index, row] of ordered.entries()) {
    const before = index === 0 ? (ordered.length < 500 ? from : row.seq - 1) : (ordered[index - 1]?.seq ?? 0);
    if (row.seq > before + 1 && Math.abs(now - row.at) < mayComeMs) return before;
  }
  return ordered.at(-1)?.seq ?? from;
}

export function toTailCursor(seq: number): string {
  return `n${seq.toString(36)}`;
}

function parseTailCursor(cursor: string): number {
  const [, seq] = /^n([0-9a-z]{1,11})$/.exec(cursor) ?? [];
  if (seq === undefined)
    throw new HubError('INVALID_ARGUMENTS', 'What comes "after" is told by "newest" of a page of this log.');
  return Number.parseInt(seq, 36);
}
