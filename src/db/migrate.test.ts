import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toEighteenthVersion } from '../../test/support/databases/old-conversations.ts';
import { openAndKill } from '../../test/support/databases/open-and-kill.ts';
import { databaseKinds } from '../../test/support/databases/test-database.ts';
import { decision } from '../../test/support/databases/test-decision.ts';
import { openTestStores, type TestStores, testAgent, testClock } from '../../test/support/databases/test-store.ts';
import { publishDocuments, testDocument } from '../../test/support/knowledge/test-knowledge.ts';
import { watchFor } from '../../test/support/time/watch-for.ts';
import { silentLogger } from '../base/logger.ts';
import { openDatabase, openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import type { StoredDecision } from '../tools/decision-log.ts';
import type { Write } from './database.ts';

describe.each(databaseKinds)('a database of the first version in %s', (kind) => {
  it('is migrated with its data', async () => {
    const stores = await openTestStores(kind);
    try {
      await stores.store.agents.create(testAgent('old'));
      await stores.store.brain.create('old', { type: 'note', content: 'kept' });
      const database = await openDatabase(stores.db, silentLogger);
      await database.write((write) => toFirstVersion(write, kind));
      await database.close();

      const store = await openStore({ db: stores.db, clock: testClock(), logger: silentLogger });
      expect(await store.agents.get('old')).toMatchObject({ agent: { id: 'old' } });
      expect(await store.brain.query('old', {})).toHaveLength(1);
      await publishDocuments(store.knowledge, [testDocument('new')]);
      expect(await store.knowledge.body('filesystem:docs/new')).toBe('Text of new');
      expect(await store.team.members()).toEqual([]);
      const { entries } = await store.decisions.page();
      expect(entries).toMatchObject([{ callId: 'call_old', persona: 'old', agentId: null, taskId: null, chain: '' }]);
      expect(await store.decisions.verify()).toMatchObject({ problems: [] });
      await store.close();
    } finally {
      await stores.remove();
    }
  });
});

describe.each(databaseKinds)('a decision log of the fourth version in %s', (kind) => {
  it('is migrated: every entry is found, counted, in its chain, and protected', async () => {
    const stores = await openTestStores(kind);
    try {
      const database = await openDatabase(stores.db, silentLogger);
      const question = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Who?' }] };
      await stores.store.runs.begin({ id: 'r', agentId: null, model: 'm', title: 't', messages: [question, question] });
      await database.write((write) => toFourthVersion(write, { kind }));
      await database.close();

      const store = await openStore({ db: stores.db, clock: testClock(), logger: silentLogger });
      const { decisions } = store;
      expect((await store.runs.get('r')).messages).toEqual([question, question]);
      expect(await decisions.verify()).toMatchObject({ rows: 700, chains: 2, problems: [] });
      const { entries } = await decisions.page({ limit: 500, tool: 'odd' });
      expect(entries).toHaveLength(350);
      expect(entries[0]).toMatchObject({ callId: 'call_699', chain: 'chain_b', chainNo: 350, context: '{"n":699}' });
      expect((await decisions.page({ kind: 'error', limit: 500 })).entries).toHaveLength(7);
      const counts = await decisions.counts({ since: 0, until: 1_000_000, stepMs: 3_600_000 });
      expect(counts.intervals).toEqual([{ at: 0, calls: 700, errors: 7 }]);
      const changing = await openDatabase(stores.db, silentLogger);
      await changing.write(({ db }) =>
        sql`update decision_groups set entries = replace(entries, 'call_300', 'call_xxx')`.execute(db),
      );
      await changing.close();
      expect((await decisions.verify()).problems).toMatchObject([{ chain: 'chain_a' }]);
      await store.close();
    } finally {
      await stores.remove();
    }
  });
});

describe.each(databaseKinds)('a decision log that was changed in %s', (kind) => {
  it.each([
    ['a changed entry', { changed: 100 }, 'does not match its hash'],
    ['a missing entry', { missing: 100 }, '1 entries are missing'],
    ['a missing end', { missing: 699 }, 'from number 350 to 350'],
  ])('reports %s after the migration', async (_what, how, words) => {
    const stores = await openTestStores(kind);
    try {
      const database = await openDatabase(stores.db, silentLogger);
      await database.write((write) => toFourthVersion(write, { kind, ...how }));
      await database.close();
      const store = await openStore({ db: stores.db, clock: testClock(), logger: silentLogger });
      const { problems } = await store.decisions.verify();
      expect(problems.map(({ message }) => message).join()).toContain(words);
      await store.close();
    } finally {
      await stores.remove();
    }
  });
});

describe.each(databaseKinds)('work of processes from before leases in %s', (kind) => {
  it('stays theirs, and is released when nobody renews it', async () => {
    const stores = await openTestStores(kind);
    try {
      const { chats, runs, team, knowledge } = stores.store;
      const chat = { agentId: 'a', title: '', model: null, origin: { kind: 'chat' as const }, arguments: {} };
      await chats.create({ id: 'chat', ...chat });
      const begun = { lastSeq: 0, messageId: 'm', text: 'Who?', runId: 'run', agentId: 'a', model: 'm', title: 't' };
      await chats.begin('chat', begun);
      await runs.begin({ id: 'run', agentId: null, model: 'm', title: 't', messages: [] });
      await team.write((rows) => rows.addEvent({ id: 'event', type: 't', data: '{}', at: 1 }, ['webhook:a']));
      await team.deliveries.take({ targets: ['webhook:a'], now: 1, limit: 1 });
      const state = { startedAt: 1, finishedAt: null, outcome: null, message: null, report: null };
      await knowledge.sources.saveState('git:a', state);
      const database = await openDatabase(stores.db, silentLogger);
      await database.write(async ({ db }) => {
        await toBeforeHolders(db);
        await sql`update chats set holder = '0123456789abcdef 1 x', leased_until = 1`.execute(db);
        await sql`update deliveries set lease_by = 'host/1/x', lease_no = 7`.execute(db);
        // Just over: the open store forgets leases that were over long ago.
        const until = Date.now() - 1_000;
        await sql`update knowledge_source_states
          set holder = 'process 1 on x', leased_at = 1, leased_until = ${until}`.execute(db);
      });
      await database.close();

      const store = await openStore({ db: stores.db, clock: testClock(), logger: silentLogger });
      const held = async () => ({
        chat: (await store.chats.get('chat')).answering?.state,
        sources: (await store.knowledge.sources.states()).map(({ source, isSyncing }) => [source, isSyncing]),
        taken: await store.team.deliveries.takeAbandoned({ target: 'webhook:a', running: new Set(), limit: 9 }),
      });
      expect(await held()).toEqual({ chat: 'elsewhere', sources: [['git:a', true]], taken: [] });
      expect((await store.runs.get('run')).status).toBe('interrupted');
      const seen: unknown[] = [];
      await watchFor(20, async () => seen.push(await held()));
      expect(seen.at(-1)).toMatchObject({
        chat: 'gone',
        sources: [['git:a', false]],
        taken: [{ eventId: 'event', state: 'pending', attempts: 0 }],
      });
      await store.close();
    } finally {
      await stores.remove();
    }
  });
});

describe.each(databaseKinds)('a decision log of a later version in %s', (kind) => {
  let stores: TestStores;
  beforeEach(async () => {
    stores = await openTestStores(kind);
  });
  afterEach(() => stores.remove());

  const open = () => openStore({ db: stores.db, clock: testClock(), logger: silentLogger });

  async function write(run: (write: Write) => Promise<unknown>): Promise<void> {
    const database = await openDatabase(stores.db, silentLogger);
    await database.write(run);
    await database.close();
  }

  const forms = {
    groups: (groups: readonly DecisionGroup[]) => write((each) => toGroups(each, groups)),
    rows: (groups: readonly DecisionGroup[]) => write((each) => toRows(each, kind, { groups, rows: rowsOf(groups) })),
  };

  it.each(['groups', 'rows'] as const)(
    'is brought up to date from %s: every entry is found and counted, and the old hashes prove them',
    async (form) => {
      const groups = groupsOf({ chains: 2, groups: 30, inGroup: 5 });
      await forms[form]([{ ...oldGroup, chain: '', first_no: 0, hash: '' }, ...groups]);
      const store = await open();
      const { decisions } = store;
      expect(await decisions.verify()).toMatchObject({ rows: 301, chains: 2, problems: [] });
      const all = await allEntries(store);
      expect(all.map(({ callId }) => callId)).toEqual(
        ['call_old', ...groups.flatMap((group) => group.calls)].toReversed(),
      );
      expect([...new Set(all.map(({ hash }) => hash))].toSorted()).toEqual(
        ['', ...groups.map(({ hash }) => hash)].toSorted(),
      );
      expect(all.find(({ callId }) => callId === 'call_0_0')).toMatchObject({
        kind: 'result',
        decision: 'Tool result: greet',
        reasoning: 'Automatic tool result log',
        context: '{"n":0}',
        chainNo: 1,
      });
      expect(all.find(({ callId }) => callId === 'call_1_149')).toMatchObject({
        decision: 'Mine',
        reasoning: 'Own words',
        context: '{\n"n":149}',
        chainNo: 150,
      });
      const counts = await decisions.counts({ since: 0, until: 1_000_000, stepMs: 3_600_000, tool: 'greet' });
      expect(counts.intervals).toEqual([{ at: 0, calls: 240, errors: 0 }]);
      expect((await decisions.page({ kind: 'manual', limit: 500 })).entries).toHaveLength(60);
      // Its writers continue in new chains, and older entries stay protected.
      await decisions.append(decision('call_new'));
      await store.close();
      await write(({ db }) =>
        sql`update decision_groups set entries = replace(entries, '"call_0_77"', '"call_0_7x"')`.execute(db),
      );
      const again = await open();
      expect((await again.decisions.verify()).problems).toMatchObject([{ chain: 'chain_0', chainNo: 76 }]);
      await again.close();
    },
  );

  it.each<[string, (groups: DecisionGroup[]) => DecisionGroup[], string]>([
    [
      'a changed letter',
      change(9, ({ entries }) => ({ entries: entries.replace('greet', 'great') })),
      'does not match',
    ],
    ['a changed hash', change(9, () => ({ hash: 'other' })), 'does not match'],
    ['a changed first time', change(9, ({ first_at }) => ({ first_at: first_at - 1 })), 'does not match'],
    ['a changed last time', change(9, ({ last_at }) => ({ last_at: last_at + 1 })), 'does not match'],
    ['a changed number of entries', change(9, ({ row_count }) => ({ row_count: row_count + 1 })), 'does not match'],
    ['unreadable entries', change(9, () => ({ entries: '[not one\n' })), 'does not match'],
    ['a missing group', (groups) => groups.toSpliced(9, 1), '5 entries are missing'],
    ['a missing end', (groups) => groups.slice(0, -2), 'from number 46 to 50'],
  ])('still reports %s of its groups', async (_what, how, words) => {
    await write(async (each) => {
      await toGroups(each, how(groupsOf({ chains: 2, groups: 10, inGroup: 5 })));
      await sql`update decision_chains set last_no = 50`.execute(each.db);
    });
    await expectProblem(words);
  });

  it.each<[string, (rows: DecisionRow[]) => DecisionRow[], string]>([
    ['a changed letter', changeRow(47, { tool: 'great' }), 'does not match'],
    ['a changed hash', changeRow(49, { hash: 'other' }), 'does not match'],
    ['a missing row', (rows) => rows.toSpliced(47, 1), '1 entries are missing'],
    ['a missing hash', changeRow(49, { hash: null }), 'does not match'],
    ['rows that are missing with their hash', (rows) => rows.toSpliced(45, 5), '5 entries are missing'],
    ['a missing end', (rows) => rows.slice(0, -1), 'from number 50 to 50'],
  ])('still reports %s among its rows', async (_what, how, words) => {
    const groups = groupsOf({ chains: 2, groups: 10, inGroup: 5 });
    await write((each) => toRows(each, kind, { groups, rows: how(rowsOf(groups)) }));
    await expectProblem(words);
  });

  async function expectProblem(words: string): Promise<void> {
    const store = await open();
    const { problems } = await store.decisions.verify();
    expect(problems.map(({ message }) => message).join()).toContain(words);
    await store.close();
  }

  it.each(['groups', 'rows'] as const)(
    'loses none of its %s when the process is killed in the middle, however often',
    async (form) => {
      await forms[form](groupsOf({ chains: 3, groups: 1_000, inGroup: 8 }));
      expect(await openAndKill(stores.db)).toBeGreaterThan(0);
      const store = await open();
      expect(await store.decisions.verify()).toMatchObject({ rows: 24_000, chains: 3, problems: [] });
      const counts = await store.decisions.counts({ since: 0, until: 1e9, stepMs: 3_600_000, tool: 'greet' });
      expect(counts.intervals.reduce((sum, { calls }) => sum + calls, 0)).toBe(24_000 - 3 * 1_600);
      await store.close();
    },
  );
});

async function allEntries(store: Store): Promise<StoredDecision[]> {
  const entries: StoredDecision[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await store.decisions.page({ limit: 500, cursor });
    entries.push(...page.entries);
    if (page.cursor === null) return entries;
    cursor = page.cursor;
  }
}

interface DecisionGroup {
  chain: string;
  first_no: number;
  row_count: number;
  first_at: number;
  last_at: number;
  hash: string;
  entries: string;
  calls: string[];
}

const oldGroup = {
  row_count: 1,
  first_at: 1,
  last_at: 1,
  entries: '["call_old",1,1,"mcp",null,"old",null,"other","Tool result: greet",""]\n{}\n',
  calls: ['call_old'],
};

function change(index: number, how: (group: DecisionGroup) => Partial<DecisionGroup>) {
  return (groups: DecisionGroup[]) =>
    groups.map((group, each) => (each === index ? { ...group, ...how(group) } : group));
}

/** Written by hand as that version did it: the chains take turns, and each fifth entry has its own texts. */
function groupsOf(size: { chains: number; groups: number; inGroup: number }): DecisionGroup[] {
  const last = new Map<string, string>();
  const made: DecisionGroup[] = [];
  for (let group = 0; group < size.groups; group += 1)
    for (let each = 0; each < size.chains; each += 1) {
      const chain = `chain_${each}`;
      const first = group * size.inGroup;
      const numbers = Array.from({ length: size.inGroup }, (_, index) => first + index);
      const entries = numbers
        .map((n) =>
          n % 5 === 4
            ? `["call_${each}_${n}",7,${n},"http","member-1",null,"task-1","greet","Mine","Own words"]\n"{\\n\\"n\\":${n}}"\n`
            : `["call_${each}_${n}",1,${n},"http",null,null,null,"greet"]\n{"n":${n}}\n`,
        )
        .join('');
      const hash = createHash('sha256')
        .update(`${last.get(chain) ?? ''}\n${chain}\n${first + 1}\n${entries}`)
        .digest('base64url');
      last.set(chain, hash);
      const calls = numbers.map((n) => `call_${each}_${n}`);
      const times = { first_at: first, last_at: first + size.inGroup - 1 };
      made.push({ chain, first_no: first + 1, row_count: size.inGroup, ...times, hash, entries, calls });
    }
  return made;
}

/** The tables of the fourteenth version. */
async function toGroups({ db }: Write, groups: readonly DecisionGroup[]): Promise<void> {
  await toBeforeHolders(db);
  await sql`drop table decision_counts`.execute(db);
  await sql`create table decision_counts (minute bigint not null, tool text not null, agent_id text not null, chain text not null,
    calls integer not null, errors integer not null)`.execute(db);
  await sql`create index decision_counts_by_tool on decision_counts (tool)`.execute(db);
  await sql`alter table decision_chains add column noted_no bigint not null default 0`.execute(db);
  await addChains(db, groups);
  for (const { chain, first_no, row_count, first_at, last_at, hash, entries } of groups)
    await sql`insert into decision_groups (chain, first_no, row_count, first_at, last_at, hash, entries)
      values (${chain}, ${first_no}, ${row_count}, ${first_at}, ${last_at}, ${hash}, ${entries})`.execute(db);
  await sql`delete from zoo_migrations where name > '0014-no-mailboxes'`.execute(db);
}

async function addChains(db: Write['db'], groups: readonly DecisionGroup[]): Promise<void> {
  for (const [chain, { first_no, row_count, hash }] of new Map(groups.map((group) => [group.chain, group])))
    if (chain !== '')
      await sql`insert into decision_chains (chain, holder, started_at, first_no, hash_before_first, last_no, last_hash)
        values (${chain}, '', 1, 1, '', ${first_no + row_count - 1}, ${hash})`.execute(db);
}

interface DecisionRow {
  chain: string;
  no: number;
  hash: string | null;
  at: number;
  kind: string;
  call_id: string;
  surface: string;
  agent_id: string | null;
  persona: string | null;
  task_id: string | null;
  tool: string;
  decision: string | null;
  reasoning: string | null;
  context: string;
}

function changeRow(index: number, fields: Partial<DecisionRow>) {
  return (rows: DecisionRow[]) => rows.map((row, each) => (each === index ? { ...row, ...fields } : row));
}

/** The hash was on the last row that it covers. */
function rowsOf(groups: readonly DecisionGroup[]): DecisionRow[] {
  return groups.flatMap((group) => {
    const lines = group.entries.split('\n');
    return Array.from({ length: group.row_count }, (_, index): DecisionRow => {
      const head = JSON.parse(lines[index * 2] ?? '');
      const [call_id, code, at, surface, agent_id, persona, task_id, tool, decision = null, reasoning = null] = head;
      const context = lines[index * 2 + 1] ?? '';
      const no = group.chain === '' ? 0 : group.first_no + index;
      const hash = group.chain !== '' && index === group.row_count - 1 ? group.hash : null;
      const kind = ['invocation', 'result', 'error', 'manual'][code % 4] ?? '';
      const who = { call_id, surface, agent_id, persona, task_id };
      const what = { at, kind, tool, decision, reasoning, context: code > 3 ? JSON.parse(context) : context };
      return { chain: group.chain, no, hash, ...who, ...what };
    });
  });
}

/** The tables of the seventeenth version. */
async function toRows(
  { db }: Write,
  kind: (typeof databaseKinds)[number],
  { groups, rows }: { groups: readonly DecisionGroup[]; rows: readonly DecisionRow[] },
): Promise<void> {
  await toEighteenthVersion(db);
  for (const table of ['decision_groups', 'decision_keys', 'decision_minutes'])
    await sql`drop table ${sql.table(table)}`.execute(db);
  const number = sql.raw(kind === 'sqlite' ? 'integer' : 'bigserial');
  await sql`create table decisions (seq ${number} primary key, chain text not null, no bigint not null, hash text, at bigint not null,
    kind text not null, call_id text not null, surface text not null, agent_id text, persona text, task_id text, tool text not null,
    decision text, reasoning text, context text not null)`.execute(db);
  for (const table of ['decision_keys (key text not null, block', 'decision_minutes (minute bigint not null, block'])
    await sql`create table ${sql.raw(table)} bigint not null)`.execute(db);
  await addChains(db, groups);
  for (let first = 0; first < rows.length; first += 200) {
    const values = rows.slice(first, first + 200).map((row) => sql`(${sql.join(Object.values(row))})`);
    const columns = Object.keys(rows[0] ?? {}).map((column) => sql.ref(column));
    await sql`insert into decisions (${sql.join(columns)}) values ${sql.join(values)}`.execute(db);
  }
  await sql`update decision_marks set seq = 7`.execute(db);
  await sql`delete from zoo_migrations where name > '0017-unpublished-changes'`.execute(db);
}

/** The tables of the fifteenth version: all except the log had their own way to detect ended processes. */
async function toBeforeHolders(db: Write['db']): Promise<void> {
  await toEighteenthVersion(db);
  await sql`drop table if exists unpublished_changes`.execute(db);
  await sql`alter table runs drop column holder`.execute(db);
  await sql`drop index deliveries_held`.execute(db);
  await sql`alter table deliveries rename column holder to lease_by`.execute(db);
  const added = {
    chats: ['leased_until bigint'],
    deliveries: ['lease_no bigint not null default 0'],
    knowledge_source_states: ['holder text', 'leased_at bigint', 'leased_until bigint'],
  };
  for (const [table, columns] of Object.entries(added))
    for (const column of columns) await sql`alter table ${sql.table(table)} add column ${sql.raw(column)}`.execute(db);
  await sql`delete from zoo_migrations where name > '0015-decision-rows'`.execute(db);
}

/** Two chains that take turns, entry by entry. */
async function toFourthVersion(
  { db }: Write,
  { kind, changed, missing }: { kind: (typeof databaseKinds)[number]; changed?: number; missing?: number },
): Promise<void> {
  await toBeforeHolders(db);
  for (const table of [
    'decision_groups',
    'decision_keys',
    'decision_marks',
    'decision_minutes',
    'event_subscribers',
    'hub_presence',
    'leases',
  ])
    await sql`drop table ${sql.table(table)}`.execute(db);
  await sql`drop index decision_chains_unsettled`.execute(db);
  await sql`alter table decision_chains drop column holder`.execute(db);
  for (const column of [
    "host text not null default ''",
    'pid integer not null default 1',
    'seen_at bigint not null default 1',
  ])
    await sql`alter table decision_chains add column ${sql.raw(column)}`.execute(db);
  await sql`create index decision_chains_unsettled on decision_chains (seen_at) where settled_at is null`.execute(db);
  for (const column of ['lease_by', 'lease_no'])
    await sql`alter table deliveries drop column ${sql.ref(column)}`.execute(db);
  const number = sql.raw(kind === 'sqlite' ? 'integer' : 'bigserial');
  await sql`create table decisions (seq ${number} primary key, call_id text not null, kind text not null, at bigint not null,
    surface text not null, persona text, tool text not null, decision text not null, reasoning text not null,
    context text not null, agent_id text, task_id text, chain text not null, chain_no bigint not null, hash text not null)`.execute(
    db,
  );
  for (const chain of ['chain_a', 'chain_b'])
    await sql`insert into decision_chains (chain, host, pid, started_at, first_no, hash_before_first, last_no, last_hash, seen_at)
      values (${chain}, 'here', 1, 1, 1, '', 350, 'old', 1)`.execute(db);
  const last: Record<string, string> = { chain_a: '', chain_b: '' };
  for (let index = 0; index < 700; index += 1) {
    const isOdd = index % 2 === 1;
    const chain = isOdd ? 'chain_b' : 'chain_a';
    const entry = {
      call: `call_${index}`,
      kind: index % 100 === 50 ? 'error' : 'result',
      tool: isOdd ? 'odd' : 'even',
    };
    const no = Math.floor(index / 2) + 1;
    const fields = [
      last[chain],
      chain,
      no,
      entry.call,
      entry.kind,
      index,
      'mcp',
      null,
      null,
      null,
      entry.tool,
      'd',
      'r',
    ];
    const hash = createHash('sha256')
      .update(JSON.stringify([...fields, `{"n":${index}}`]))
      .digest('base64url');
    last[chain] = hash;
    if (index === missing) continue;
    await sql`insert into decisions (call_id, kind, at, surface, tool, decision, reasoning, context, chain, chain_no, hash)
      values (${entry.call}, ${entry.kind}, ${index}, 'mcp', ${entry.tool}, ${index === changed ? 'changed' : 'd'}, 'r',
        ${`{"n":${index}}`}, ${chain}, ${no}, ${hash})`.execute(db);
  }
  for (const index of ['runs_by_chat', 'runs_by_base']) await sql`drop index ${sql.table(index)}`.execute(db);
  for (const column of ['chat_id', 'base_id', 'base_messages'])
    await sql`alter table runs drop column ${sql.ref(column)}`.execute(db);
  for (const column of ['requested_at', 'request'])
    await sql`alter table knowledge_source_states drop column ${sql.ref(column)}`.execute(db);
  await sql`delete from zoo_migrations where name >= '0007'`.execute(db);
}

const firstTables = ['agents', 'agent_versions', 'brain_entries', 'revisions', 'zoo_migrations'];

async function toFirstVersion({ db }: Write, kind: (typeof databaseKinds)[number]): Promise<void> {
  const later = (await db.introspection.getTables()).filter(({ name }) => !firstTables.includes(name));
  expect(later.length).toBeGreaterThan(20);
  for (const { name } of later) await sql`drop table ${sql.table(name)}`.execute(db);
  for (const table of ['agents', 'agent_versions'])
    await sql`alter table ${sql.ref(table)} drop column tags`.execute(db);
  const number = sql.raw(kind === 'sqlite' ? 'integer' : 'bigserial');
  await sql`create table decisions (seq ${number} primary key, call_id text not null, kind text not null, at bigint not null,
    surface text not null, agent_id text, tool text not null, decision text not null, reasoning text not null, context text not null)`.execute(
    db,
  );
  await sql`insert into decisions (call_id, kind, at, surface, agent_id, tool, decision, reasoning, context)
    values ('call_old', 'result', 1, 'mcp', 'old', 'greet', 'Tool result: greet', '', '{}')`.execute(db);
  await sql`delete from zoo_migrations where name > '0001-first-tables'`.execute(db);
}
