import { HubError } from '../base/hub-error.ts';
import type { DecisionPage, DecisionQuery, StoredDecision } from '../tools/decision-log.ts';
import type { Database } from './database.ts';
import { mostInGroup } from './decisions-chain.ts';
import { cleanQuery, matcherOf } from './decisions-filter.ts';
import { expand, groupOf, walkGroups } from './decisions-groups.ts';
import { keyOf } from './decisions-keys.ts';
import { newestGroup, toTailCursor } from './decisions-tail.ts';
import { groupsBetween } from './decisions-times.ts';

const defaultLimit = 50;
const mostLimit = 500;
/** A page looks at so many entries, then it says where to go on. */
export const mostScanned = 20_000;

export function limitOf(query: DecisionQuery): number {
  return Math.min(Math.max(query.limit ?? defaultLimit, 1), mostLimit);
}

/** Newest first, in the order of writing. Throws INVALID_ARGUMENTS for a cursor that is none. */
export async function readPage(database: Database, query: DecisionQuery, now: number): Promise<DecisionPage> {
  const limit = limitOf(query);
  const isFirst = query.cursor === undefined;
  const matches = matcherOf(query);
  const before = query.cursor === undefined ? Number.MAX_SAFE_INTEGER : parseCursor(query.cursor);
  // Before the entries, so that nothing falls between this page and a tail that begins with it.
  const newestBefore = isFirst ? await newestGroup(database, now) : 0;
  const range = await groupsBetween(database, query);
  const to = Math.min(groupOf(before), range.to);
  const clean = cleanQuery(query);
  const holds = clean.callId ?? clean.agentId ?? clean.tool;
  const found: StoredDecision[] = [];
  let scanned = 0;
  let isEnd = true;
  let last = before;
  for await (const group of walkGroups(database, { key: keyOf(clean), from: range.from, to, order: 'desc' })) {
    if (found.length > limit || scanned >= mostScanned) {
      isEnd = false;
      break;
    }
    for (const entry of expand(group, holds).reverse()) {
      if (entry.seq >= before) continue;
      if (found.length <= limit && matches(entry)) found.push(entry);
    }
    scanned += group.row_count;
    last = group.seq * mostInGroup;
  }
  const entries = found.slice(0, limit);
  const lastShown = entries.at(-1);
  const cursor = found.length > limit && lastShown ? toCursor(lastShown.seq) : isEnd ? null : toCursor(last);
  return { entries, cursor, newest: isFirst ? toTailCursor(newestOf(database, entries, newestBefore)) : null };
}

/** PostgreSQL lets groups appear out of order; a tail that begins a little earlier sees some twice, but misses none. */
function newestOf(database: Database, entries: readonly StoredDecision[], newestBefore: number): number {
  const all = (newestBefore + 1) * mostInGroup - 1;
  return database.kind === 'postgres' ? all : Math.max(all, ...entries.map((entry) => entry.seq));
}

function toCursor(seq: number): string {
  return `b${seq.toString(36)}`;
}

function parseCursor(cursor: string): number {
  const [, seq] = /^b([0-9a-z]{1,11})$/.exec(cursor) ?? [];
  if (seq === undefined)
    throw new HubError('INVALID_ARGUMENTS', 'The cursor is not one of this log. Use the one of the page before.');
  return Number.parseInt(seq, 36);
}
