import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from './database.ts';
import { expand, type GroupRow } from './decisions-groups.ts';
import { countersOf, type DecisionCounter, keysOf } from './decisions-keys.ts';
import type { DecisionChainRow, Tables } from './tables.ts';

/** A transaction takes so many groups, so that nobody waits long. */
const mostGroups = 64;
/** PostgreSQL numbers a row before its transaction ends: a number that is missing may still come for so long. */
export const mayComeMs = 2_000;

type Chain = Pick<Selectable<DecisionChainRow>, 'chain' | 'noted_no' | 'last_no' | 'open_since'>;

export interface NoteOptions {
  now: number;
  /** What the writer knows of its own chain. */
  own?: { chain: string; openSince: number | null } | undefined;
}

/**
 * Makes keys and counters for groups that have none yet, whoever wrote them, and tells the chains how far they go. What is
 * noted of a group is so in one transaction, once: its chain says up to which entry that was done.
 */
export async function noteDecisions(database: Database, options: NoteOptions): Promise<void> {
  for (let from = 0; await hasNews(database, from); ) {
    const seen = from;
    from = await database.write(({ db }) => noteSome(db, { ...options, kind: database.kind, from: seen }));
    if (from <= seen) return;
  }
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
  const groups = await db
    .selectFrom('decision_groups')
    .selectAll()
    .where('seq', '>', Math.max(mark, from))
    .orderBy('seq')
    .limit(mostGroups)
    .execute();
  const fresh = await notNoted(db, groups);
  for (const { group, entries } of fresh) {
    await addKeys(db, group.seq, keysOf(entries));
    for (const counter of countersOf(entries)) await addCounter(db, group.chain, counter);
  }
  await moveChains(db, fresh, { now, own });
  const seen = groups.at(-1)?.seq ?? mark;
  const reached = kind === 'postgres' ? withoutYoungGaps(groups, mark, now) : seen;
  if (reached > mark)
    await db.updateTable('decision_marks').set({ seq: reached }).where('name', '=', 'noted').execute();
  return seen;
}

interface Fresh {
  group: GroupRow;
  entries: ReturnType<typeof expand>;
  chain: Chain | undefined;
}

async function notNoted(db: Kysely<Tables>, groups: readonly GroupRow[]): Promise<Fresh[]> {
  const names = [...new Set(groups.map((group) => group.chain))];
  if (names.length === 0) return [];
  const rows = await db
    .selectFrom('decision_chains')
    .select(['chain', 'noted_no', 'last_no', 'open_since'])
    .where('chain', 'in', names)
    .execute();
  const chains = new Map(rows.map((row) => [row.chain, row]));
  return groups.flatMap((group) => {
    const chain = chains.get(group.chain);
    if (chain && chain.noted_no >= group.first_no) return [];
    return [{ group, entries: expand(group), chain }];
  });
}

async function addKeys(db: Kysely<Tables>, group_seq: number, keys: ReadonlySet<string>): Promise<void> {
  if (keys.size === 0) return;
  const rows = Array.from(keys, (key) => ({ key, group_seq }));
  await db
    .insertInto('decision_keys')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['key', 'group_seq']).doNothing())
    .execute();
}

async function addCounter(db: Kysely<Tables>, chain: string, counter: DecisionCounter): Promise<void> {
  const { minute, tool, agentId: agent_id, calls, errors } = counter;
  await db
    .insertInto('decision_counts')
    .values({ minute, tool, agent_id, chain, calls, errors })
    .onConflict((conflict) =>
      conflict.columns(['minute', 'tool', 'agent_id', 'chain']).doUpdateSet({
        calls: sql<number>`decision_counts.calls + excluded.calls`,
        errors: sql<number>`decision_counts.errors + excluded.errors`,
      }),
    )
    .execute();
}

async function moveChains(db: Kysely<Tables>, fresh: readonly Fresh[], { now, own }: NoteOptions): Promise<void> {
  for (const [name, groups] of Map.groupBy(fresh, ({ group }) => group.chain)) {
    const last = groups.at(-1)?.group;
    const chain = groups[0]?.chain;
    if (!last || !chain) continue;
    const lastNo = last.first_no + last.row_count - 1;
    const isOwn = own?.chain === name;
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

function withoutYoungGaps(groups: readonly GroupRow[], mark: number, now: number): number {
  let reached = mark;
  for (const { seq, last_at } of groups) {
    if (seq > reached + 1 && Math.abs(now - last_at) < mayComeMs) return reached;
    reached = seq;
  }
  return reached;
}
