import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { databaseKinds } from '../../test/support/test-database.ts';
import { publishDocuments, testDocument } from '../../test/support/test-knowledge.ts';
import { openTestStores, testAgent, testClock } from '../../test/support/test-store.ts';
import { silentLogger } from '../base/logger.ts';
import type { Write } from './database.ts';
import { openDatabase, openStore } from './open-store.ts';

describe.each(databaseKinds)('a database of the first version in %s', (kind) => {
  it('is brought up to date with its data', async () => {
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

describe.each(databaseKinds)('a decision log with a row for each entry in %s', (kind) => {
  it('becomes groups: every entry is found, counted, in its chain, and guarded', async () => {
    const stores = await openTestStores(kind);
    try {
      const database = await openDatabase(stores.db, silentLogger);
      const question = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Who?' }] };
      await stores.store.runs.begin({ id: 'r', agentId: null, model: 'm', title: 't', messages: [question, question] });
      await database.write((write) => toRows(write, { kind }));
      await database.close();

      const store = await openStore({ db: stores.db, clock: testClock(), logger: silentLogger });
      const { decisions } = store;
      expect((await store.runs.get('r')).messages).toEqual([question, question]);
      expect(await decisions.verify()).toEqual({ rows: 700, chains: 2, problems: [] });
      const { entries } = await decisions.page({ limit: 500, tool: 'odd' });
      expect(entries).toHaveLength(350);
      expect(entries[0]).toMatchObject({ callId: 'call_699', chain: 'chain_b', chainNo: 350, context: '{"n":699}' });
      expect((await decisions.page({ kind: 'error', limit: 500 })).entries).toHaveLength(7);
      const counts = await decisions.counts({ since: 0, until: 1_000_000, stepMs: 3_600_000 });
      expect(counts).toEqual([{ at: 0, calls: 693, errors: 7 }]);
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

describe.each(databaseKinds)('a decision log that somebody changed in %s', (kind) => {
  it.each([
    ['a changed entry', { changed: 100 }, 'does not fit its hash'],
    ['a missing entry', { missing: 100 }, '1 are missing'],
    ['a missing end', { missing: 699 }, 'from number 350 to 350'],
  ])('tells of %s after it became groups', async (_what, how, words) => {
    const stores = await openTestStores(kind);
    try {
      const database = await openDatabase(stores.db, silentLogger);
      await database.write((write) => toRows(write, { kind, ...how }));
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

/** Two chains, entry by entry in turn. */
async function toRows(
  { db }: Write,
  { kind, changed, missing }: { kind: (typeof databaseKinds)[number]; changed?: number; missing?: number },
): Promise<void> {
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
  for (const column of ['noted_no', 'holder'])
    await sql`alter table decision_chains drop column ${sql.ref(column)}`.execute(db);
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
      kind: index % 100 === 50 ? 'error' : 'invocation',
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

const firstTables = ['agents', 'agent_versions', 'brain_entries', 'revisions', 'zoo_migrations', 'zoo_migration_lock'];

async function toFirstVersion({ db }: Write, kind: (typeof databaseKinds)[number]): Promise<void> {
  const later = (await db.introspection.getTables()).filter(({ name }) => !firstTables.includes(name));
  expect(later.length).toBeGreaterThan(20);
  for (const { name } of later) await sql`drop table ${sql.table(name)}`.execute(db);
  const number = sql.raw(kind === 'sqlite' ? 'integer' : 'bigserial');
  await sql`create table decisions (seq ${number} primary key, call_id text not null, kind text not null, at bigint not null,
    surface text not null, agent_id text, tool text not null, decision text not null, reasoning text not null, context text not null)`.execute(
    db,
  );
  await sql`insert into decisions (call_id, kind, at, surface, agent_id, tool, decision, reasoning, context)
    values ('call_old', 'result', 1, 'mcp', 'old', 'greet', 'Tool result: greet', '', '{}')`.execute(db);
  await sql`delete from zoo_migrations where name > '0001-first-tables'`.execute(db);
}
