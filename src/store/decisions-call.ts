import { sql } from 'kysely';
import { timeOfId } from '../base/ids.ts';
import type { DecisionPage, DecisionQuery } from '../tools/decision-log.ts';
import type { Database } from './database.ts';
import { conditionsOf } from './decisions-filter.ts';
import { all, mostScanned, windowRows } from './decisions-page.ts';
import { type StoredDecisionRow, toStoredDecision } from './decisions-rows.ts';

/** A clock that is set back a little between the id and its first row. */
const slackMs = 1_000;

/**
 * The rows of one call, without an index of call ids: an id says when the call began, and its rows are found from there on,
 * most often at once. Undefined when the id does not tell: then it is a filter as any other.
 */
export async function readCall(
  database: Database,
  query: DecisionQuery & { callId: string },
): Promise<DecisionPage | undefined> {
  const begin = timeOfId('call', query.callId);
  if (begin === undefined) return undefined;
  const { drive, rest, matches } = conditionsOf(database.kind, query);
  const found: StoredDecisionRow[] = [];
  let place = { at: begin - slackMs, seq: -1 };
  for (let scanned = 0; scanned < mostScanned && !found.some(isOutcome); scanned += windowRows) {
    const where = sql`where (at, seq) > (${place.at}, ${place.seq}) order by at, seq`;
    const rows = sql<StoredDecisionRow>`select * from (select * from decisions ${where} limit ${windowRows}) as looked_at
      ${all([...drive, ...rest])} order by at, seq`;
    found.push(...(await database.read((db) => rows.execute(db))).rows);
    const end = sql<typeof place>`select at, seq from decisions ${where} limit 1 offset ${windowRows - 1}`;
    const next = (await database.read((db) => end.execute(db))).rows[0];
    if (!next) break;
    place = next;
  }
  const entries = (matches ? found.filter(matches) : found).reverse().map(toStoredDecision);
  return { entries, cursor: null, newest: null };
}

function isOutcome({ kind }: StoredDecisionRow): boolean {
  return kind === 'result' || kind === 'error';
}
