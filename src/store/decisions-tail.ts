import { HubError } from '../base/hub-error.ts';
import type { DecisionPage, DecisionQuery, StoredDecision } from '../tools/decision-log.ts';
import type { Database } from './database.ts';
import { mostInGroup } from './decisions-chain.ts';
import { matcherOf } from './decisions-filter.ts';
import { writersEnded } from './decisions-gaps.ts';
import { expand, groupOf, walkGroups } from './decisions-groups.ts';
import { limitOf, mostScanned } from './decisions-page.ts';

const mostLooked = 500;
/** A number that is missing before a group older than this is one that was pruned, or never written. */
const mayComeMs = 10 * 60_000;

/** In the order of writing, which no clock disturbs. Throws INVALID_ARGUMENTS for a cursor that is none. */
export async function readTail(
  database: Database,
  query: DecisionQuery & { after: string },
  now: number,
): Promise<DecisionPage> {
  const limit = limitOf(query);
  const matches = matcherOf(query);
  const found: StoredDecision[] = [];
  const after = parseTailCursor(query.after);
  const newest = await newestGroup(database, now, groupOf(after));
  let seen = after;
  let scanned = 0;
  for await (const group of walkGroups(database, { from: groupOf(after), to: newest, order: 'asc' })) {
    for (const entry of expand(group)) {
      if (entry.seq <= after || found.length === limit) continue;
      scanned += 1;
      if (matches(entry)) found.push(entry);
      seen = entry.seq;
    }
    if (found.length === limit || scanned >= mostScanned) break;
    // Nothing more comes into a group.
    seen = Math.max(seen, (group.seq + 1) * mostInGroup - 1);
  }
  return { entries: found, cursor: null, newest: toTailCursor(seen) };
}

/** Up to this group nothing is missing any more. */
export async function newestGroup(database: Database, now: number, from = 0): Promise<number> {
  if (database.kind === 'sqlite') return (await highestGroup(database)) ?? 0;
  const groups = await database.read((db) =>
    db
      .selectFrom('decision_groups')
      .select(['seq', 'last_at'])
      .where('seq', '>', from)
      .orderBy('seq', 'desc')
      .limit(mostLooked)
      .execute(),
  );
  const ordered = groups.reverse();
  const last = ordered.at(-1)?.seq ?? from;
  for (const [index, group] of ordered.entries()) {
    const before = index === 0 ? (ordered.length < mostLooked ? from : group.seq - 1) : (ordered[index - 1]?.seq ?? 0);
    if (group.seq > before + 1 && Math.abs(now - group.last_at) < mayComeMs)
      return (await database.read(writersEnded)) ? last : before;
  }
  return last;
}

/** Null in an empty log. */
export async function highestGroup(database: Database): Promise<number | null> {
  const row = await database.read((db) =>
    db
      .selectFrom('decision_groups')
      .select((each) => each.fn.max('seq').as('seq'))
      .executeTakeFirst(),
  );
  return row?.seq ?? null;
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
