import { type RawBuilder, sql } from 'kysely';
import { HubError } from '../base/hub-error.ts';
import type { DecisionPage, DecisionQuery } from '../tools/decision-log.ts';
import type { Database } from './database.ts';
import { conditionsOf } from './decisions-filter.ts';
import { type StoredDecisionRow, toStoredDecision } from './decisions-rows.ts';
import { newestSeq, toTailCursor } from './decisions-tail.ts';

const defaultLimit = 50;
const mostLimit = 500;
/** A page looks at so many rows, then it says where to go on. */
export const mostScanned = 20_000;
/** Looked at in one go; between two goes others have their turn. */
export const windowRows = 2_000;

interface Place {
  at: number;
  seq: number;
}

export function limitOf(query: DecisionQuery): number {
  return Math.min(Math.max(query.limit ?? defaultLimit, 1), mostLimit);
}

/** Newest first. Throws INVALID_ARGUMENTS for a cursor that is none. */
export async function readPage(database: Database, query: DecisionQuery, now: number): Promise<DecisionPage> {
  const limit = limitOf(query);
  const isFirst = query.cursor === undefined;
  let place = query.cursor === undefined ? undefined : parseCursor(query.cursor);
  // Before the rows, so that nothing falls between this page and a tail that begins with it.
  const newestBefore = isFirst ? await newestSeq(database, now) : 0;
  const { drive, rest, matches } = conditionsOf(database.kind, query);
  const found: StoredDecisionRow[] = [];
  let cursor: string | null = null;
  for (let scanned = 0; ; ) {
    const missing = limit + 1 - found.length;
    const size = rest.length > 0 || matches ? windowRows : missing;
    const window = { where: [...drive, ...(place ? [before(place)] : [])], size };
    const rows = await readWindow(database, { ...window, rest, limit: matches ? size : missing });
    found.push(...(matches ? rows.filter(matches) : rows).slice(0, missing));
    const last = found[limit - 1];
    if (found.length > limit && last) {
      cursor = toCursor(last);
      break;
    }
    place = await endOf(database, window);
    scanned += size;
    if (!place) break;
    if (scanned >= mostScanned) {
      cursor = toCursor(place);
      break;
    }
  }
  const rows = found.slice(0, limit);
  return {
    entries: rows.map(toStoredDecision),
    cursor,
    newest: isFirst ? toTailCursor(newestOf(database, rows, newestBefore)) : null,
  };
}

interface Window {
  where: RawBuilder<unknown>[];
  size: number;
}

/** The conditions of `where` are served by an index; `rest` is checked for each row of the window. */
async function readWindow(
  database: Database,
  { where, size, rest, limit }: Window & { rest: RawBuilder<unknown>[]; limit: number },
): Promise<StoredDecisionRow[]> {
  const window = sql`select * from decisions ${all(where)} order by at desc, seq desc limit ${size}`;
  const query = sql<StoredDecisionRow>`select * from (${window}) as looked_at ${all(rest)}
    order by at desc, seq desc limit ${limit}`;
  return (await database.read((db) => query.execute(db))).rows;
}

/** Undefined when nothing comes behind the window. */
async function endOf(database: Database, { where, size }: Window): Promise<Place | undefined> {
  const query = sql<Place>`select at, seq from decisions ${all(where)} order by at desc, seq desc
    limit 1 offset ${size - 1}`;
  return (await database.read((db) => query.execute(db))).rows[0];
}

/** PostgreSQL lets rows appear out of order; a tail that begins a little earlier sees some twice, but misses none. */
function newestOf(database: Database, rows: readonly StoredDecisionRow[], newestBefore: number): number {
  return database.kind === 'postgres' ? newestBefore : Math.max(newestBefore, ...rows.map((row) => row.seq));
}

function before({ at, seq }: Place): RawBuilder<unknown> {
  return sql`(at, seq) < (${at}, ${seq})`;
}

export function all(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
}

function toCursor({ at, seq }: Place): string {
  return `${at.toString(36)}.${seq.toString(36)}`;
}

function parseCursor(cursor: string): Place {
  const [, at, seq] = /^(-?[0-9a-z]{1,11})\.([0-9a-z]{1,11})$/.exec(cursor) ?? [];
  if (at === undefined || seq === undefined)
    throw new HubError('INVALID_ARGUMENTS', 'The cursor is not one of this log. Use the one of the page before.');
  return { at: Number.parseInt(at, 36), seq: Number.parseInt(seq, 36) };
}
