import { HubError } from '../base/hub-error.ts';
import { timeOfId } from '../base/ids.ts';
import type { Database } from '../db/database.ts';
import {
  type DecisionEntry,
  type DecisionPage,
  type DecisionQuery,
  decisionKinds,
  type StoredDecision,
} from '../tools/decision-log.ts';
import { withoutNul } from './decision-group.ts';
import {
  expand,
  type GroupRange,
  type GroupRow,
  groupOf,
  maxInGroup,
  readBounds,
  selectGroups,
  settledGroup,
  walkGroups,
} from './decision-groups.store.ts';
import { keyOf, minuteOf } from './index-decisions.store.ts';

const defaultLimit = 50;
const maxLimit = 500;
/** The number of entries that a page scans before it returns a cursor to continue. */
const maxScanned = 20_000;
const maxTextCharacters = 1_000;
/** The maximum time between the creation of a call id and its first entry, which may have waited for a lock. */
const slackMs = 30_000;

/** Returns entries newest first, in the order of writing. Throws INVALID_ARGUMENTS for a bad query. */
export async function readPage(database: Database, request: DecisionQuery): Promise<DecisionPage> {
  const query = checked(request);
  const limit = limitOf(query);
  const isFirst = query.cursor === undefined;
  const before = query.cursor === undefined ? Number.MAX_SAFE_INTEGER : parseCursor(query.cursor);
  // Read before the entries, so that a tail that starts after this page misses nothing.
  const settled = isFirst ? await settledGroup(database) : 0;
  const holds = query.callId ?? query.agentId ?? query.tool;
  const found: StoredDecision[] = [];
  let scanned = 0;
  let isEnd = true;
  let reached = before;
  for await (const group of groupsFor(database, query, groupOf(before))) {
    if (found.length > limit || scanned >= maxScanned) {
      isEnd = false;
      break;
    }
    for (const entry of expand(group, holds).reverse())
      if (entry.seq < before && found.length <= limit && matchesQuery(query, entry)) found.push(entry);
    scanned += group.row_count;
    reached = group.seq * maxInGroup;
  }
  const entries = found.slice(0, limit);
  const lastShown = entries.at(-1);
  const cursor = found.length > limit && lastShown ? toCursor(lastShown.seq) : isEnd ? null : toCursor(reached);
  return { entries, cursor, newest: isFirst ? toTailCursor(newestOf(database, entries, settled)) : null };
}

/** Returns entries in the order of writing, independent of clocks. Throws INVALID_ARGUMENTS for a bad query. */
export async function readTail(database: Database, request: DecisionQuery & { after: string }): Promise<DecisionPage> {
  const query = checked(request);
  const limit = limitOf(query);
  const after = parseTailCursor(request.after);
  const to = await settledGroup(database, groupOf(after));
  const entries: StoredDecision[] = [];
  let reached = after;
  let scanned = 0;
  for await (const group of walkGroups(database, { from: groupOf(after), to, order: 'asc' })) {
    for (const entry of expand(group)) {
      if (entry.seq <= after || entries.length === limit) continue;
      scanned += 1;
      if (matchesQuery(query, entry)) entries.push(entry);
      reached = entry.seq;
    }
    if (entries.length === limit || scanned >= maxScanned) break;
    // A group never grows.
    reached = Math.max(reached, lastNumberIn(group.seq));
  }
  return { entries, cursor: null, newest: toTailCursor(reached) };
}

/**
 * Returns the entries of one call without an index of call ids: the id contains the time of the call, and its entries are searched from
 * there on. Returns undefined if the id contains no time; then `callId` is a filter like any other.
 */
export async function readCall(
  database: Database,
  request: DecisionQuery & { callId: string },
): Promise<DecisionPage | undefined> {
  const query = checked(request);
  const begin = timeOfId('call', request.callId);
  if (begin === undefined) return undefined;
  const { mark } = await database.read(readBounds);
  const range = await indexedBetween(database, { since: begin - slackMs, until: begin + slackMs });
  const ofCall: StoredDecision[] = [];
  let scanned = 0;
  for await (const group of walkGroups(database, { from: range?.from ?? mark + 1, order: 'asc' })) {
    ofCall.push(...expand(group, query.callId).filter((entry) => entry.callId === query.callId));
    if (group.seq > (range?.to ?? 0)) scanned += group.row_count;
    if (scanned >= maxScanned || ofCall.some(isOutcome)) break;
  }
  return { entries: ofCall.filter((entry) => matchesQuery(query, entry)).reverse(), cursor: null, newest: null };
}

export async function readEntry(database: Database, seq: number): Promise<StoredDecision | undefined> {
  const slice = [{ seq: groupOf(seq), bytes: 0 }];
  const [group] = await database.read((db) => selectGroups(db, slice, { order: 'asc' }));
  return group && expand(group).find((entry) => entry.seq === seq);
}

export function isOutcome({ kind }: Pick<StoredDecision, 'kind'>): boolean {
  return kind === 'result' || kind === 'error';
}

/** Returns the range of groups that contains all indexed entries of this time span; undefined if there are none. */
export async function indexedBetween(
  database: Database,
  { since, until }: { since?: number | undefined; until?: number | undefined },
): Promise<{ from: number; to: number } | undefined> {
  if (since === undefined && until === undefined) return { from: 0, to: Number.MAX_SAFE_INTEGER };
  const row = await database.read((db) =>
    db
      .selectFrom('decision_minutes')
      .select((each) => [each.fn.min('first_group').as('from'), each.fn.max('last_group').as('to')])
      .$if(since !== undefined, (query) => query.where('minute', '>=', minuteOf(since ?? 0)))
      .$if(until !== undefined, (query) => query.where('minute', '<=', minuteOf(until ?? 0)))
      .executeTakeFirst(),
  );
  // Null if there are no rows, despite its type.
  return row?.from === undefined || row.from === null ? undefined : row;
}

/** Yields the groups that may match a query, newest first. Includes all groups that are not indexed yet. */
export async function* groupsFor(database: Database, query: DecisionQuery, to: number): AsyncGenerator<GroupRow> {
  const { since, until } = query;
  const key = keyOf(query);
  const ranges: Omit<GroupRange, 'order'>[] = [];
  if (key === undefined && since === undefined && until === undefined) ranges.push({ to });
  else {
    const { mark } = await database.read(readBounds);
    const indexed = await indexedBetween(database, { since, until });
    ranges.push({ from: mark + 1, to });
    if (indexed) ranges.push({ from: indexed.from, to: Math.min(indexed.to, to, mark), key });
  }
  for (const range of ranges) yield* walkGroups(database, { ...range, order: 'desc' });
}

/** Throws INVALID_ARGUMENTS for an unknown kind or a text that is too long. Cleans names in the same way as the stored ones. */
export function checked(query: DecisionQuery): DecisionQuery {
  const { kind, text = '' } = query;
  if (kind !== undefined && !decisionKinds.includes(kind))
    throw new HubError('INVALID_ARGUMENTS', `Unknown kind "${kind}". Available: ${decisionKinds.join(', ')}.`);
  if (text.length > maxTextCharacters)
    throw new HubError(
      'INVALID_ARGUMENTS',
      `The search text has more than ${maxTextCharacters} characters. Shorten it.`,
    );
  const clean = (name: string | undefined) => (name === undefined ? undefined : withoutNul(name));
  return {
    ...query,
    agentId: clean(query.agentId),
    tool: clean(query.tool),
    taskId: clean(query.taskId),
    callId: clean(query.callId),
    text: withoutNul(text).toLowerCase(),
  };
}

export function matchesQuery(query: DecisionQuery, entry: DecisionEntry): boolean {
  const { kind, agentId, tool, taskId, callId, since, until, text = '' } = query;
  return (
    (kind === undefined || entry.kind === kind) &&
    (agentId === undefined || entry.agentId === agentId) &&
    (tool === undefined || entry.tool === tool) &&
    (taskId === undefined || entry.taskId === taskId) &&
    (callId === undefined || entry.callId === callId) &&
    (since === undefined || entry.at >= since) &&
    (until === undefined || entry.at <= until) &&
    (text === '' || containsText(entry, text))
  );
}

function containsText({ decision, reasoning, context }: DecisionEntry, text: string): boolean {
  return [context, decision, reasoning].some((each) => each.toLowerCase().includes(text));
}

/** When groups may appear out of order, a tail begins a little earlier: it sees some twice, but misses none. */
function newestOf(database: Database, entries: readonly StoredDecision[], settled: number): number {
  const all = lastNumberIn(settled);
  return database.dialect.commitsInOrder ? Math.max(all, ...entries.map((entry) => entry.seq)) : all;
}

function lastNumberIn(group: number): number {
  return (group + 1) * maxInGroup - 1;
}

function limitOf(query: DecisionQuery): number {
  return Math.min(Math.max(query.limit ?? defaultLimit, 1), maxLimit);
}

function toCursor(seq: number): string {
  return `b${seq.toString(36)}`;
}

function parseCursor(cursor: string): number {
  const [, seq] = /^b([0-9a-z]{1,11})$/.exec(cursor) ?? [];
  if (seq === undefined)
    throw new HubError(
      'INVALID_ARGUMENTS',
      'The cursor is not valid for this log. Use the cursor of the previous page.',
    );
  return Number.parseInt(seq, 36);
}

function toTailCursor(seq: number): string {
  return `n${seq.toString(36)}`;
}

function parseTailCursor(cursor: string): number {
  const [, seq] = /^n([0-9a-z]{1,11})$/.exec(cursor) ?? [];
  if (seq === undefined)
    throw new HubError('INVALID_ARGUMENTS', '"after" is not valid for this log. Use "newest" of an earlier page.');
  return Number.parseInt(seq, 36);
}
