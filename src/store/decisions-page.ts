import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, type RawBuilder, SqliteAdapter, sql } from 'kysely';
import { HubError } from '../base/hub-error.ts';
import { timeOfId } from '../base/ids.ts';
import { type DecisionPage, type DecisionQuery, decisionKinds, type StoredDecision } from '../tools/decision-log.ts';
import type { Database } from './database.ts';
import { blockSize, type LogBounds, lastBeforeGap, readBounds, writersEnded } from './decisions-note.ts';
import { type StoredRow, toStored, withoutNul } from './decisions-rows.ts';
import type { Tables } from './tables.ts';

const defaultLimit = 50;
const maxLimit = 500;
/** A page looks at so many entries, then it says where to go on. */
const maxScanned = 20_000;
/** One query looks at so many; a search for text, which reads every word of them, at fewer. In between others have their turn. */
const windowSize = { fields: 2_048, text: 256 };
const maxTextCharacters = 1_000;
/** Between an id and the entry that begins its call, which may have waited for a lock. */
const slackMs = 30_000;
const minuteMs = 60_000;

/** Newest first, in the order of writing. Throws INVALID_ARGUMENTS for a query that is none. */
export async function readPage(database: Database, query: DecisionQuery): Promise<DecisionPage> {
  const filter = filterOf(query);
  const limit = limitOf(query);
  const isFirst = query.cursor === undefined;
  const before = query.cursor === undefined ? Number.MAX_SAFE_INTEGER : parseCursor(query.cursor);
  // Before the entries, so that nothing falls between this page and a tail that begins with it.
  const settled = isFirst ? await newestSettled(database) : 0;
  const bounds = await readBounds(database);
  const found: StoredDecision[] = [];
  let scanned = 0;
  let reached = before;
  let isEnd = true;
  for (const range of await rangesOf(database, filter, { bounds, before }))
    for (; isEnd && range.to >= range.from; range.to = reached - 1) {
      if (found.length > limit || scanned >= maxScanned) isEnd = false;
      else {
        const window = await readWindow(
          database,
          filter,
          { ...range, order: 'desc', limit: limit + 1 },
          { isNext: scanned > 0 },
        );
        found.push(...window.entries);
        scanned += window.scanned;
        reached = window.reached;
      }
    }
  const entries = found.slice(0, limit);
  const lastShown = entries.at(-1);
  const cursor = found.length > limit && lastShown ? toCursor(lastShown.seq) : isEnd ? null : toCursor(reached);
  return { entries, cursor, newest: isFirst ? toTailCursor(newestOf(database, entries, settled)) : null };
}

/** In the order of writing, which no clock disturbs. Throws INVALID_ARGUMENTS for a cursor that is none. */
export async function readTail(database: Database, query: DecisionQuery & { after: string }): Promise<DecisionPage> {
  const filter = filterOf(query);
  const limit = limitOf(query);
  const after = parseTailCursor(query.after);
  const to = await newestSettled(database, after);
  const entries: StoredDecision[] = [];
  let reached = after;
  for (let scanned = 0; reached < to && entries.length < limit && scanned < maxScanned; ) {
    const range = { from: reached + 1, to, key: undefined };
    const limitLeft = limit - entries.length;
    const window = await readWindow(
      database,
      filter,
      { ...range, order: 'asc', limit: limitLeft },
      { isNext: scanned > 0 },
    );
    entries.push(...window.entries);
    scanned += window.scanned;
    reached = window.reached;
  }
  return { entries, cursor: null, newest: toTailCursor(reached) };
}

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
  const filter = filterOf(query);
  const bounds = await readBounds(database);
  const begun = await notedBetween(database, { since: begin - slackMs, until: begin + slackMs });
  const entries: StoredDecision[] = [];
  let reached = (begun?.from ?? bounds.mark + 1) - 1;
  const last = Math.max(begun?.to ?? 0, reached) + maxScanned;
  let scanned = 0;
  while (reached < Math.min(last, bounds.newest) && !entries.some(isOutcome)) {
    const range = { from: reached + 1, to: Math.min(last, bounds.newest), key: undefined };
    const window = await readWindow(
      database,
      filter,
      { ...range, order: 'asc', limit: maxLimit },
      { isNext: scanned > 0 },
    );
    entries.push(...window.entries);
    scanned += window.scanned;
    reached = window.reached;
  }
  return { entries: entries.reverse(), cursor: null, newest: null };
}

export async function readEntry(database: Database, seq: number): Promise<StoredDecision | undefined> {
  const [row] = await database.read((db) => selectRows(db, sql`decisions where seq = ${seq}`));
  return row && toStored(row);
}

function isOutcome({ kind }: Pick<StoredDecision, 'kind'>): boolean {
  return kind === 'result' || kind === 'error';
}

interface Filter {
  fields: RawBuilder<boolean>;
  /** The key that leaves the fewest blocks; undefined when none of them fits the question. */
  key: string | undefined;
  since: number | undefined;
  until: number | undefined;
  holdsText: ((entry: StoredDecision) => boolean) | undefined;
}

/** Throws INVALID_ARGUMENTS for a kind that is none, and for a text that is too long. */
function filterOf(query: DecisionQuery): Filter {
  const { kind, since, until } = query;
  if (kind !== undefined && !decisionKinds.includes(kind))
    throw new HubError('INVALID_ARGUMENTS', `There is no kind "${kind}". Kinds: ${decisionKinds.join(', ')}.`);
  if ((query.text?.length ?? 0) > maxTextCharacters)
    throw new HubError('INVALID_ARGUMENTS', `The text to search for has more than ${maxTextCharacters} characters.`);
  // As what is kept was cleaned.
  const clean = (text: string | undefined) => (text === undefined ? undefined : withoutNul(text));
  const [agentId, tool, taskId, callId] = [query.agentId, query.tool, query.taskId, query.callId].map(clean);
  const conditions = [
    kind !== undefined && sql<boolean>`kind = ${kind}`,
    agentId !== undefined && sql<boolean>`agent_id = ${agentId}`,
    tool !== undefined && sql<boolean>`tool = ${tool}`,
    taskId !== undefined && sql<boolean>`task_id = ${taskId}`,
    callId !== undefined && sql<boolean>`call_id = ${callId}`,
    since !== undefined && sql<boolean>`at >= ${since}`,
    until !== undefined && sql<boolean>`at <= ${until}`,
  ].filter((condition) => condition !== false);
  const words = query.text ? withoutNul(query.text).toLowerCase() : undefined;
  return {
    fields: conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`,
    key: keyOf({ kind, tool, agentId, taskId }),
    since,
    until,
    holdsText: words === undefined ? undefined : (entry) => holds(entry, words),
  };
}

export function keyOf({ kind, tool, agentId, taskId }: DecisionQuery): string | undefined {
  if (taskId !== undefined) return `task ${taskId}`;
  const rare = kind === 'error' || kind === 'manual' ? `${kind} ` : '';
  if (agentId !== undefined) return `${rare}member ${agentId}`;
  if (tool !== undefined) return `${rare}tool ${tool}`;
  return rare === '' ? undefined : rare.trimEnd();
}

function holds({ decision, reasoning, context }: StoredDecision, words: string): boolean {
  return [context, decision, reasoning].some((each) => each.toLowerCase().includes(words));
}

interface EntryRange {
  /** Numbers of entries, both inclusive. */
  from: number;
  to: number;
  /** Only blocks that have this key. */
  key: string | undefined;
}

/** Where the entries are that may fit, the newest range first. What has no keys yet is looked through. */
async function rangesOf(
  database: Database,
  { key, since, until }: Filter,
  { bounds, before }: { bounds: LogBounds; before: number },
): Promise<EntryRange[]> {
  const { oldest, newest, mark } = bounds;
  const to = Math.min(before - 1, newest);
  if (key === undefined && since === undefined && until === undefined) return [{ from: oldest, to, key }];
  const noted = await notedBetween(database, { since, until });
  const ranges: EntryRange[] = [{ from: Math.max(mark + 1, oldest), to, key: undefined }];
  if (noted) ranges.push({ from: Math.max(noted.from, oldest), to: Math.min(noted.to, to, mark), key });
  return ranges;
}

/** Between which entries all of these times are that were noted; undefined: there are none. */
export async function notedBetween(
  database: Database,
  { since, until }: { since?: number | undefined; until?: number | undefined },
): Promise<{ from: number; to: number } | undefined> {
  if (since === undefined && until === undefined) return { from: 0, to: Number.MAX_SAFE_INTEGER };
  const row = await database.read((db) =>
    db
      .selectFrom('decision_minutes')
      .select((each) => [each.fn.min('block').as('first'), each.fn.max('block').as('last')])
      .$if(since !== undefined, (query) => query.where('minute', '>=', Math.floor((since ?? 0) / minuteMs)))
      .$if(until !== undefined, (query) => query.where('minute', '<=', Math.floor((until ?? 0) / minuteMs)))
      .executeTakeFirst(),
  );
  if (row?.first === null || row?.first === undefined) return undefined;
  return { from: row.first * blockSize, to: (row.last + 1) * blockSize - 1 };
}

interface Window {
  entries: StoredDecision[];
  scanned: number;
  /** The last number that was looked at, whether or not there is an entry. */
  reached: number;
}

/** What fits among the next entries of a range. `isNext`: others have their turn first. */
export async function readWindow(
  database: Database,
  filter: Pick<Filter, 'fields' | 'holdsText'>,
  range: EntryRange & { order: 'asc' | 'desc'; limit: number },
  { isNext }: { isNext: boolean },
): Promise<Window> {
  // SQLite reads on the event loop.
  if (isNext) await nextTurn();
  const size = filter.holdsText ? windowSize.text : windowSize.fields;
  const limit = filter.holdsText ? size : range.limit;
  const window = await database.read((db) =>
    range.key === undefined
      ? readNumbers(db, filter.fields, { ...range, size, limit })
      : readBlocks(db, filter.fields, { ...range, key: range.key, size, limit }),
  );
  const entries = window.rows.map(toStored);
  return { ...window, entries: filter.holdsText ? entries.filter(filter.holdsText) : entries };
}

type Read = EntryRange & { order: 'asc' | 'desc'; size: number; limit: number };
type Rows = Omit<Window, 'entries'> & { rows: StoredRow[] };

async function readNumbers(
  db: Kysely<Tables>,
  fields: RawBuilder<boolean>,
  { from, to, order, size, limit }: Read,
): Promise<Rows> {
  const [first, last] = order === 'asc' ? [from, Math.min(to, from + size - 1)] : [Math.max(from, to - size + 1), to];
  const rows = await selectRows(
    db,
    sql`decisions where seq >= ${first} and seq <= ${last} and ${fields} order by seq ${sql.raw(order)} limit ${limit}`,
  );
  const end = order === 'asc' ? last : first;
  return { rows, scanned: last - first + 1, reached: rows.length === limit ? (rows.at(-1)?.seq ?? end) : end };
}

/** The keys first: whatever a planner thinks of their number, they are few and in order. A block in which nothing fits is told too. */
async function readBlocks(
  db: Kysely<Tables>,
  fields: RawBuilder<boolean>,
  { key, from, to, size, limit }: Read & { key: string },
): Promise<Rows> {
  const blocks = Math.ceil(size / blockSize);
  const found = sql`(select block from decision_keys where key = ${key} and block >= ${Math.floor(from / blockSize)}
      and block <= ${Math.floor(to / blockSize)} order by block desc limit ${blocks}) as found`;
  const isMeant = sql`seq >= ${from} and seq <= ${to} and ${fields}`;
  const rows = await selectRows(
    db,
    sql`${found} ${joinEntries(db, isMeant)} order by block desc, seq desc limit ${limit + blocks}`,
    sql`block, `,
  );
  const fitting = rows.filter((row) => row.seq !== null);
  const isCut = rows.length === limit + blocks;
  const lastBlock = rows.at(-1)?.block;
  const seen = new Set(rows.map((row) => row.block)).size;
  const end = seen < blocks || lastBlock === undefined ? from : Math.max(from, lastBlock * blockSize);
  return {
    rows: fitting,
    scanned: seen * blockSize,
    reached: isCut ? (fitting.at(-1)?.seq ?? end) : end,
  };
}

/** Joins what is meant among the entries of each block. */
export function joinEntries(db: Kysely<Tables>, isMeant: RawBuilder<unknown>): RawBuilder<unknown> {
  const size = sql.lit(blockSize);
  const inBlock = sql`seq >= block * ${size} and seq < (block + 1) * ${size} and ${isMeant}`;
  // PostgreSQL would rather read a short log whole.
  return db.getExecutor().adapter instanceof SqliteAdapter
    ? sql`left join decisions on ${inBlock}`
    : sql`left join lateral (select * from decisions where ${inBlock} offset 0) as decisions on true`;
}

/** How far behind an entry the hash that covers it may be; others may have written in between. */
const maxUntilHash = 4_000;

/** With the hash that covers each entry. */
async function selectRows(
  db: Kysely<Tables>,
  from: RawBuilder<unknown>,
  more: RawBuilder<unknown> = sql``,
): Promise<(StoredRow & { block?: number })[]> {
  const query = sql<
    StoredRow & { block?: number }
  >`select ${more} seq, chain, no, at, kind, call_id, surface, agent_id, persona, task_id, tool,
    decision, reasoning, context, case when chain = '' then '' else coalesce(hash, (select hash from decisions as later
      where later.seq > decisions.seq and later.seq <= decisions.seq + ${sql.lit(maxUntilHash)} and later.chain = decisions.chain
        and later.hash is not null order by later.seq limit 1)) end as hash
    from ${from}`;
  return (await query.execute(db)).rows;
}

const maxLooked = 1_000;

/** Up to this entry nothing is missing any more: whoever goes on from here misses none. */
async function newestSettled(database: Database, after = 0): Promise<number> {
  const { mark, newest } = await readBounds(database);
  if (database.kind === 'sqlite' || newest <= after) return Math.max(newest, after);
  // What was noted has no gaps that anybody may still fill.
  const from = Math.max(after, mark, newest - maxLooked);
  return database.read(async (db) => {
    const query = sql<{
      count: number;
    }>`select count(*) as count from decisions where seq > ${from} and seq <= ${newest}`;
    const count = Number((await query.execute(db)).rows[0]?.count);
    if (count === newest - from || (await writersEnded(db))) return newest;
    return lastBeforeGap(db, from);
  });
}

/** PostgreSQL lets entries appear out of order; a tail that begins a little earlier sees some twice, but misses none. */
function newestOf(database: Database, entries: readonly StoredDecision[], settled: number): number {
  return database.kind === 'postgres' ? settled : Math.max(settled, ...entries.map((entry) => entry.seq));
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
    throw new HubError('INVALID_ARGUMENTS', 'The cursor is not one of this log. Use the one of the page before.');
  return Number.parseInt(seq, 36);
}

function toTailCursor(seq: number): string {
  return `n${seq.toString(36)}`;
}

function parseTailCursor(cursor: string): number {
  const [, seq] = /^n([0-9a-z]{1,11})$/.exec(cursor) ?? [];
  if (seq === undefined)
    throw new HubError('INVALID_ARGUMENTS', 'What comes "after" is told by "newest" of a page of this log.');
  return Number.parseInt(seq, 36);
}
