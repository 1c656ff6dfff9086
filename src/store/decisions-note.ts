import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { LogWork } from '../tools/decision-log.ts';
import type { Database } from './database.ts';
import { withoutGaps, writersEnded } from './decisions-gaps.ts';
import { headsOf } from './decisions-groups.ts';
import { addCounts, type DecisionFinds, findsOf } from './decisions-keys.ts';
import { bytesOfEntries, type GroupSize, groupsOf, maxSlice, slicesOf } from './decisions-slices.ts';
import { addMinutes } from './decisions-times.ts';
import type { DecisionChainRow, DecisionGroupRow, Tables } from './tables.ts';

/**
 * What one transaction takes where it does not run on the event loop, while calls wait for it: PostgreSQL works elsewhere, and the way
 * there and back costs more than a slice.
 */
const manySlices = 8;

type Chain = Pick<Selectable<DecisionChainRow>, 'chain' | 'noted_no' | 'last_no' | 'open_since'>;

export interface NoteOptions {
  /** What the writer knows of its own chain, and of groups that it need not read again. */
  own: { chain: string | undefined; openSince: number | null; finds: Map<number, DecisionFinds> };
  /** Asked between two transactions: true ends the work early. */
  isOver?: (() => boolean) | undefined;
  onProgress?: LogWork['onProgress'];
  /** Nobody else waits for this process: it takes more at a time, which is quicker. */
  isAlone?: boolean;
}

/** A group without its entries. */
type Header = Omit<Selectable<DecisionGroupRow>, 'entries'> & GroupSize;

/** How far one transaction has looked, and how many entries it noted. */
interface Noted {
  seq: number;
  entries: number;
}

/**
 * Makes keys and counters for groups that have none yet, whoever wrote them, and tells the chains how far they go. What is
 * noted of a group is so in one transaction, once: its chain says up to which entry that was done. Notes that a power loss takes
 * are made again from the groups, so only the last portion waits for the disk, and with it the ends of the chains.
 * Returns false when it was over before everything was noted.
 */
export async function noteDecisions(database: Database, options: NoteOptions): Promise<boolean> {
  const { kind } = database;
  const { onProgress, isOver = () => false, isAlone = false } = options;
  const slices = kind === 'postgres' || isAlone ? manySlices : 1;
  let from = 0;
  let done = 0;
  let total: number | undefined;
  for (let seen = -1; from > seen && (await hasNews(database, from)); ) {
    if (isOver()) return false;
    seen = from;
    const noted = await database.write(({ db }) => noteSome(db, { ...options, kind, slices, from: seen }), {
      isDurable: false,
    });
    from = noted.seq;
    done += noted.entries;
    if (onProgress) {
      total ??= done + (await countLeft(database));
      onProgress({ phase: 'keys', done, total: Math.max(done, total) });
    }
    // A transaction runs on the event loop, and calls wait for it.
    await nextTurn();
  }
  if (from > 0) await database.sync?.();
  return true;
}

/** As far as the chains know. */
async function countLeft(database: Database): Promise<number> {
  const row = await database.read((db) =>
    db
      .selectFrom('decision_chains')
      .select((each) => each.fn.sum<number | string | null>(sql`last_no - noted_no`).as('left'))
      .whereRef('last_no', '>', 'noted_no')
      .executeTakeFirst(),
  );
  return Number(row?.left ?? 0);
}

async function hasNews(database: Database, from: number): Promise<boolean> {
  const query = sql<{ newest: number | null; mark: number }>`select (select max(seq) from decision_groups) as newest,
    (select seq from decision_marks where name = 'noted') as mark`;
  const [row] = (await database.read((db) => query.execute(db))).rows;
  return row !== undefined && (row.newest ?? 0) > Math.max(row.mark, from);
}

async function noteSome(
  db: Kysely<Tables>,
  { kind, slices, own, from }: NoteOptions & { kind: Database['kind']; slices: number; from: number },
): Promise<Noted> {
  const { seq: mark } = await db
    .selectFrom('decision_marks')
    .select('seq')
    .where('name', '=', 'noted')
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirstOrThrow();
  const start = Math.max(mark, from);
  let groups = await headersAfter(db, slices, start);
  let reached = groups.at(-1)?.seq ?? mark;
  if (kind === 'postgres' && withoutGaps(groups, mark) < reached) {
    // What may still come before these must find the mark before it.
    if (start === mark && (await writersEnded(db))) {
      const last = reached;
      groups = (await headersAfter(db, slices, start)).filter(({ seq }) => seq <= last);
      reached = groups.at(-1)?.seq ?? mark;
    } else reached = withoutGaps(groups, mark);
  }
  const fresh = await notNoted(db, groups, { reached, known: own.finds });
  await addKeys(db, kind, fresh);
  await addCounters(db, kind, fresh);
  await addMinutes(
    db,
    kind,
    fresh.map(({ group }) => group),
  );
  await moveChains(db, fresh, { own });
  if (reached > mark)
    await db.updateTable('decision_marks').set({ seq: reached }).where('name', '=', 'noted').execute();
  const entries = fresh.reduce((sum, { group }) => sum + group.row_count, 0);
  return { seq: groups.at(-1)?.seq ?? mark, entries };
}

async function headersAfter(db: Kysely<Tables>, slices: number, seq: number): Promise<Header[]> {
  const headers = await db
    .selectFrom('decision_groups')
    .select(['seq', 'chain', 'first_no', 'row_count', 'first_at', 'last_at', 'hash', bytesOfEntries.as('bytes')])
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(maxSlice.groups * slices)
    .execute();
  return slicesOf(headers).take(slices).toArray().flat();
}

interface Fresh {
  group: Header;
  finds: DecisionFinds;
  chain: Chain | undefined;
}

async function notNoted(
  db: Kysely<Tables>,
  groups: readonly Header[],
  { reached, known }: { reached: number; known: Map<number, DecisionFinds> },
): Promise<Fresh[]> {
  const names = [...new Set(groups.map((group) => group.chain))];
  if (names.length === 0) return [];
  const rows = await db
    .selectFrom('decision_chains')
    .select(['chain', 'noted_no', 'last_no', 'open_since'])
    .where('chain', 'in', names)
    .execute();
  const chains = new Map(rows.map((row) => [row.chain, row]));
  const fresh = groups.flatMap((group): Omit<Fresh, 'finds'>[] => {
    const chain = chains.get(group.chain);
    // Without a chain only the mark tells that it was done.
    const isNoted = chain ? chain.noted_no >= group.first_no : group.seq > reached;
    return isNoted ? [] : [{ group, chain }];
  });
  const isKnown = ({ seq, hash }: Header) => known.get(seq)?.hash === hash;
  const unread = fresh.map(({ group }) => group).filter((group) => !isKnown(group));
  const read = await readFinds(db, unread);
  const found = fresh.map((each): Fresh => {
    const { seq, hash } = each.group;
    const own = isKnown(each.group) ? known.get(seq) : undefined;
    return { ...each, finds: own ?? read.get(seq) ?? findsOf(hash, []) };
  });
  // Needed once; should it not come to the end, the groups themselves are read.
  for (const { seq } of groups) known.delete(seq);
  return found;
}

async function readFinds(db: Kysely<Tables>, headers: readonly Header[]): Promise<Map<number, DecisionFinds>> {
  const finds = new Map<number, DecisionFinds>();
  for (const slice of slicesOf(headers)) {
    for (const { seq, hash, entries } of await groupsOf(db, slice)) finds.set(seq, findsOf(hash, headsOf(entries)));
  }
  return finds;
}

/** One statement for any number of rows, in the order of the index. */
async function addKeys(db: Kysely<Tables>, kind: Database['kind'], fresh: readonly Fresh[]): Promise<void> {
  const groups = new Map<string, number[]>();
  for (const { group, finds } of fresh) {
    for (const key of finds.keys) {
      const seqs = groups.get(key);
      if (seqs) seqs.push(group.seq);
      else groups.set(key, [group.seq]);
    }
  }
  if (groups.size === 0) return;
  const sorted = [...groups].sort(([one], [other]) => (one < other ? -1 : 1));
  const values =
    kind === 'sqlite'
      ? sql`select name.value ->> 0, seq.value from json_each(${JSON.stringify(sorted)}) as name, json_each(name.value, '$[1]') as seq
          where true`
      : sql`select * from unnest(${sorted.flatMap(([key, seqs]) => seqs.map(() => key))}::text[],
          ${sorted.flatMap(([, seqs]) => seqs)}::bigint[])`;
  await sql`insert into decision_keys (key, group_seq) ${values} on conflict do nothing`.execute(db);
}

async function addCounters(db: Kysely<Tables>, kind: Database['kind'], fresh: readonly Fresh[]): Promise<void> {
  const rows: unknown[] = [];
  for (const [chain, groups] of Map.groupBy(fresh, ({ group }) => group.chain))
    for (const { minute, tool, agentId, calls, errors } of addCounts(groups.flatMap(({ finds }) => finds.counters)))
      rows.push([minute, tool, agentId, chain, calls, errors]);
  if (rows.length === 0) return;
  const values =
    kind === 'sqlite'
      ? sql`select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5
          from json_each(${JSON.stringify(rows)}) where true`
      : sql`select (value ->> 0)::bigint, value ->> 1, value ->> 2, value ->> 3, (value ->> 4)::integer, (value ->> 5)::integer
          from json_array_elements(${JSON.stringify(rows)}::json)`;
  await sql`insert into decision_counts (minute, tool, agent_id, chain, calls, errors) ${values}
    on conflict (minute, tool, agent_id, chain) do update set
      calls = decision_counts.calls + excluded.calls, errors = decision_counts.errors + excluded.errors`.execute(db);
}

async function moveChains(db: Kysely<Tables>, fresh: readonly Fresh[], { own }: NoteOptions): Promise<void> {
  for (const [name, groups] of Map.groupBy(fresh, ({ group }) => group.chain)) {
    const last = groups.at(-1)?.group;
    const chain = groups[0]?.chain;
    if (!last || !chain) continue;
    const lastNo = last.first_no + last.row_count - 1;
    const isOwn = own.chain === name;
    // Whoever is not the writer knows only that a call may have begun with these.
    const open_since = isOwn ? own.openSince : (chain.open_since ?? Math.min(...groups.map(firstAt)));
    await db
      .updateTable('decision_chains')
      .set({
        noted_no: lastNo,
        open_since,
        ...(lastNo > chain.last_no && { last_no: lastNo, last_hash: last.hash }),
      })
      .where('chain', '=', name)
      .execute();
  }
}

function firstAt({ group }: Fresh): number {
  return group.first_at;
}
