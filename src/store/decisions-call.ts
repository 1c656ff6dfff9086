import { timeOfId } from '../base/ids.ts';
import type { DecisionPage, DecisionQuery, StoredDecision } from '../tools/decision-log.ts';
import type { Database } from './database.ts';
import { matcherOf } from './decisions-filter.ts';
import { expand, walkGroups } from './decisions-groups.ts';
import { mostScanned } from './decisions-page.ts';
import { groupsBetween } from './decisions-times.ts';

/** Between an id and the entry that begins its call, which may have waited for a lock. */
const slackMs = 30_000;

/**
 * The entries of one call, without an index of call ids: an id says when the call began, and its entries are found from there
 * on, most often at once. Undefined when the id does not tell: then it is a filter as any other.
 */
export async function readCall(
  database: Database,
  query: DecisionQuery & { callId: string },
): Promise<DecisionPage | undefined> {
  const begin = timeOfId('call', query.callId);
  if (begin === undefined) return undefined;
  const matches = matcherOf(query);
  const ofCall: StoredDecision[] = [];
  let scanned = 0;
  // The first entry is written right after the id is made.
  const begun = await groupsBetween(database, { since: begin - slackMs, until: begin + slackMs });
  if (begun.to < begun.from) return { entries: [], cursor: null, newest: null };
  for await (const group of walkGroups(database, { from: begun.from, order: 'asc' })) {
    ofCall.push(...expand(group, query.callId).filter((entry) => entry.callId === query.callId));
    if (group.seq > begun.to) scanned += group.row_count;
    if (scanned >= mostScanned || ofCall.some(isOutcome)) break;
  }
  return { entries: ofCall.filter(matches).reverse(), cursor: null, newest: null };
}

export function isOutcome({ kind }: Pick<StoredDecision, 'kind'>): boolean {
  return kind === 'result' || kind === 'error';
}
