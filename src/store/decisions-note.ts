import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from './database.ts';
import { withoutGaps, writersEnded } from './decisions-gaps.ts';
import { unpackGroup } from './decisions-groups.ts';
import { addCounts, type DecisionFinds, findsOf } from './decisions-keys.ts';
import { addMinutes } from './decisions-times.ts';
import type { DecisionChainRow, DecisionGroupRow, Tables } from './tables.ts';

/** The groups that one transaction takes: it runs on the event loop, and calls wait for it. */
const mostGroups = 64;

type Chain = Pick<Selectable<DecisionChainRow>, 'chain' | 'noted_no' | 'last_no' | 'open_since'>;

export interface NoteOptions {
  now: number;
  /** What the writer knows of its own chain, and of groups that it need not read again. */
  own: { chain: string | undefined; openSince: number | null; finds: Map<number, DecisionFinds> };
}

/** A group without its entries. */
type Header = Omit<Selectable<DecisionGroupRow>, 'entries'>;

/**
 * Makes keys and counters for groups that have none yet, whoever wrote them, and tells the chains how far they go. What is
 * noted of a group is so in one transaction, once: its chain says up to which entry that was done. Notes that a power loss takes
 * are made again from the groups, so only the last portion waits for the disk, and with it the ends of the chains.
 */
export async function noteDecisions(database: Database, options: NoteOptions): Promise<void> {
  const { kind } = database;
  let from = 0;
  for (let seen = -1; from > seen && (await hasNews(database, from)); ) {
    seen = from;
    from = await database.write(({ db }) => noteSome(db, { ...options, kind, from: seen }), { isDurable: false });
  }
  if (from > 0) await database.sync?.();
}

async function hasNews(database: Database, from: number): Promise<boolean> {
  const query = sql<{ newest: number | null; mark: number }>`select (select max(seq) from decision_groups) as newest,
    (select seq from decision_marks where name = 'noted') as mark`;
  const [row] = (await database.read((db) => query.execute(db))).rows;
  return row !== undefined && (row.newest ?? 0) > Math.max(row.mark, from);
}

/** Returns how far it has looked. */
async function noteSome(
  db: Kysely<Tables>,
  { kind, now, own, from }: NoteOptions & { kind: Database['kind']; from: number },
): Promise<number> {
  const { seq: mark } = await db
    .selectFrom('decision_marks')
    .select('seq')
    .where('name', '=', 'noted')
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirstOrThrow();
  const start = Math.max(mark, from);
  let groups = await headersAfter(db, start);
  let reached = groups.at(-1)?.seq ?? mark;
  if (kind === 'postgres' && withoutGaps(groups, mark) < reached) {
    // What may still come before these must find the mark before it.
    if (start === mark && (await writersEnded(db))) {
      const last = reached;
      groups = (await headersAfter(db, start)).filter(({ seq }) => seq <= last);
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
  await moveChains(db, fresh, { now, own });
  if (reached > mark)
    await db.updateTable('decision_marks').set({ seq: reached }).where('name', '=', 'noted').execute();
  return groups.at(-1)?.seq ?? mark;
}

function headersAfter(db: Kysely<Tables>, seq: number): Promise<Header[]> {
  return db
    .selectFrom('decision_groups')
    .select(['seq', 'chain', 'first_no', 'row_count', 'first_at', 'last_at', 'hash'])
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(mostGroups)
    .execute();
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
  const fresh: Fresh[] = [];
  for (const group of groups) {
    const chain = chains.get(group.chain);
    const own = known.get(group.seq);
    // Needed once; should it not come to the end, the group itself is read.
    known.delete(group.seq);
    // Without a chain only the mark tells that it was done.
    if (chain ? chain.noted_no >= group.first_no : group.seq > reached) continue;
    const finds = own?.hash === group.hash ? own : await readFinds(db, group);
    fresh.push({ group, finds, chain });
  }
  return fresh;
}

async function readFinds(db: Kysely<Tables>, { seq, hash }: Header): Promise<DecisionFinds> {
  const group = await db.selectFrom('decision_groups').select('entries').where('seq', '=', seq).executeTakeFirst();
  return findsOf(hash, group ? unpackGroup(group.entries).filter((entry) => entry !== undefined) : []);
}

/** One statement for any number of rows; the list is a value of it. */
async function addKeys(db: Kysely<Tables>, kind: Database['kind'], fresh: readonly Fresh[]): Promise<void> {
  const rows = fresh.flatMap(({ group, finds }) => finds.keys.map((key) => [key, group.seq]));
  if (rows.length === 0) return;
  const values =
    kind === 'sqlite'
      ? sql`select value ->> 0, value ->> 1 from json_each(${JSON.stringify(rows)}) where true`
      : sql`select value ->> 0, (value ->> 1)::bigint from json_array_elements(${JSON.stringify(rows)}::json)`;
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

async function moveChains(db: Kysely<Tables>, fresh: readonly Fresh[], { now, own }: NoteOptions): Promise<void> {
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
        ...(isOwn && { seen_at: now }),
      })
      .where('chain', '=', name)
      .execute();
  }
}

function firstAt({ group }: Fresh): number {
  return group.first_at;
}
