import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseKinds } from '../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores, testAgent } from '../../test/support/databases/test-store.ts';

describe.each(databaseKinds)('lasting approvals in %s', (kind) => {
  let stores: TestStores;
  beforeAll(async () => {
    stores = await openTestStores(kind);
  });
  afterAll(() => stores.remove());

  it('hold for one agent, one tool and one definition, in every process', async () => {
    const { store, other, clock } = stores;
    await store.grants.add('clerk', { tool: 'pay', definition: 'one' });
    expect(await other.grants.has('clerk', { tool: 'pay', definition: 'one' })).toBe(true);
    for (const [agent, tool, definition] of [
      ['baker', 'pay', 'one'],
      ['clerk', 'send', 'one'],
      ['clerk', 'pay', 'two'],
    ] as const) {
      expect(await other.grants.has(agent, { tool, definition })).toBe(false);
    }
    expect(await other.grants.list('clerk')).toEqual([{ tool: 'pay', grantedAt: clock.time }]);
  });

  it('are replaced by one for a new definition, and can be removed', async () => {
    const { store, other, clock } = stores;
    clock.time += 1000;
    await other.grants.add('clerk', { tool: 'pay', definition: 'two' });
    expect(await store.grants.has('clerk', { tool: 'pay', definition: 'one' })).toBe(false);
    expect(await store.grants.list('clerk')).toEqual([{ tool: 'pay', grantedAt: clock.time }]);
    expect(await store.grants.remove('clerk', 'pay')).toBe(true);
    expect(await other.grants.remove('clerk', 'pay')).toBe(false);
    expect(await other.grants.list('clerk')).toEqual([]);
  });

  it('of a deleted agent are restored with it, and nobody else with its id gets them', async () => {
    const { store } = stores;
    const granted = { tool: 'pay', definition: 'one' };
    await store.agents.create(testAgent('undone'));
    await store.grants.add('undone', granted);
    await store.agents.delete('undone', null);
    expect(await store.grants.has('undone', granted)).toBe(false);
    // An agent in a file may have the id meanwhile.
    await store.grants.add('undone', { tool: 'send', definition: 'two' });
    await store.agents.undelete('undone');
    expect((await store.grants.list('undone')).map(({ tool }) => tool)).toEqual(['pay']);

    await store.agents.delete('undone', null);
    await store.agents.create(testAgent('undone'), { replacesDeleted: true });
    await store.agents.delete('undone', null);
    await store.agents.undelete('undone');
    expect(await store.grants.list('undone')).toEqual([]);
  });

  it('end with their agent, and a new agent with its id has none', async () => {
    const { store } = stores;
    const granted = { tool: 'pay', definition: 'one' };
    await store.agents.create(testAgent('short-lived'));
    await store.grants.add('short-lived', granted);
    await store.agents.delete('short-lived', null);
    expect(await store.grants.list('short-lived')).toEqual([]);
    // An agent in a file may have had the id.
    await store.grants.add('short-lived', granted);
    await store.agents.create(testAgent('short-lived'), { replacesDeleted: true });
    expect(await store.grants.has('short-lived', granted)).toBe(false);
  });
});
