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
