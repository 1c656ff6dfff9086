import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { databaseKinds } from '../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../test/support/databases/test-store.ts';
import { AgentRegistry } from './agent-registry.ts';
import { defineAgent } from './define-agent.ts';
import { cloneAgent, createAgent, deleteAgent, type EditingParts, undeleteAgent } from './edit-agents.ts';
import { importAgents } from './transfer-agents.ts';

describe.each(databaseKinds)('two processes that edit at once, on %s', (kind) => {
  let stores: TestStores;
  let one: EditingParts;
  let other: EditingParts;
  beforeEach(async () => {
    stores = await openTestStores(kind);
    one = { agents: new AgentRegistry([stores.store.agents.source]), agentStore: stores.store.agents };
    other = { agents: new AgentRegistry([stores.other.agents.source]), agentStore: stores.other.agents };
  });
  afterEach(async () => {
    await Promise.all([one.agents.close(), other.agents.close()]);
    await stores.remove();
  });

  const both = <T>(run: (parts: EditingParts) => Promise<T>): Promise<T[]> =>
    Promise.all([one, other, one, other, one, other].map(run));
  /** On PostgreSQL, another process's change arrives after a moment. The last writer sees everything at once. */
  const allIds = async () => {
    await Promise.all([one.agents.refresh(), other.agents.refresh()]);
    const ids = [...one.agents.list(), ...other.agents.list()].map((agent) => agent.id);
    return [...new Set(ids)].sort();
  };

  it('get different ids when they request none', async () => {
    await both((parts) => createAgent(parts, { name: 'Tiger' }));
    expect(await allIds()).toEqual(['tiger', 'tiger-2', 'tiger-3', 'tiger-4', 'tiger-5', 'tiger-6']);
  });

  it('never get the same requested id', async () => {
    const results = await Promise.allSettled(
      [one, other].map((parts) => createAgent(parts, { id: 'x', name: 'Tiger' })),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('never get the id of a deleted agent, unless an import replaces it', async () => {
    await createAgent(one, { name: 'Tiger' });
    await deleteAgent(one, 'tiger', null);
    await other.agents.refresh();
    expect((await createAgent(other, { name: 'Tiger' })).agent.id).toBe('tiger-2');
    await expect(createAgent(other, { id: 'tiger', name: 'Tiger' })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(cloneAgent(other, 'tiger-2', { id: 'tiger' })).rejects.toMatchObject({ code: 'CONFLICT' });
    await deleteAgent(other, 'tiger-2', null);
    const report = await importAgents(other, [{ id: 'tiger', name: 'Tiger' }, { name: 'Tiger' }], 'replace');
    expect(report).toMatchObject({ created: ['tiger', 'tiger-3'], notes: [expect.stringContaining('"tiger"')] });
  });

  it.each([
    ['rename', { renamed: [{ from: 'tiger', to: 'tiger-2' }], notes: [] }],
    ['skip', { skipped: ['tiger'], notes: [expect.stringContaining('Restore it')] }],
  ] as const)('keep what belongs to a deleted agent when they import its namesake with %s', async (how, expected) => {
    await createAgent(one, { name: 'Tiger' });
    await stores.store.brain.create('tiger', { type: 'note', content: 'Likes the shade.' });
    await deleteAgent(one, 'tiger', null);
    const report = await importAgents(other, [{ id: 'tiger', name: 'Tiger' }], how);
    expect(report).toMatchObject({ created: [], replaced: [], ...expected });
    await undeleteAgent(one, 'tiger');
    expect(await stores.other.brain.query('tiger', {})).toMatchObject([{ content: 'Likes the shade.' }]);
  });

  it('find a free id at once, however many deleted agents had the name', async () => {
    for (let count = 0; count < 4; count += 1)
      await deleteAgent(one, (await createAgent(one, { name: 'Tiger' })).agent.id, null);
    const create = vi.spyOn(other.agentStore, 'create');
    expect((await createAgent(other, { name: 'Tiger' })).agent.id).toBe('tiger-5');
    expect(create).toHaveBeenCalledTimes(1);
  });

  it('get a copy each', async () => {
    await createAgent(one, { name: 'Tiger' });
    const copies = await both((parts) => cloneAgent(parts, 'tiger'));
    expect(new Set(copies.map(({ agent }) => agent.id)).size).toBe(6);
  });

  it('do not restore an agent whose id is used by code or a file', async () => {
    await createAgent(one, { name: 'Tiger' });
    await deleteAgent(one, 'tiger', null);
    await one.agents.refresh();
    one.agents.register(defineAgent({ name: 'tiger' }));
    await expect(undeleteAgent(one, 'tiger')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await one.agentStore.get('tiger')).toBeUndefined();
  });

  const document = [
    { id: 'a', name: 'A' },
    { id: 'b', name: 'B' },
  ];

  it('import agents with taken ids under new ids, and lose none', async () => {
    const reports = await both((parts) => importAgents(parts, document, 'rename'));
    expect(await allIds()).toHaveLength(12);
    expect(reports.flatMap(({ created }) => created).sort()).toEqual(['a', 'b']);
    expect(reports.flatMap(({ renamed }) => renamed)).toHaveLength(10);
  });

  it.each(['skip', 'replace'] as const)('import with %s and end with one agent per id', async (how) => {
    const reports = await both((parts) => importAgents(parts, document, how));
    expect(await allIds()).toEqual(['a', 'b']);
    expect(reports.flatMap(({ created }) => created).sort()).toEqual(['a', 'b']);
    expect(reports.flatMap(({ skipped, replaced }) => [...skipped, ...replaced])).toHaveLength(10);
  });
});
