import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { databaseKinds } from '../../test/support/databases/test-database.ts';
import { nextChange, openTestStores, type TestStores, testAgent } from '../../test/support/databases/test-store.ts';
import { toIso } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import { openDatabase } from '../store/open-store.ts';
import { beginAgentChange } from './agent-changes.store.ts';

describe.each(databaseKinds)('agents in %s', (kind) => {
  let stores: TestStores;
  beforeAll(async () => {
    stores = await openTestStores(kind);
  });
  afterAll(() => stores.remove());

  it('every process sees a new agent, at revision 1', async () => {
    const { store, other, clock } = stores;
    const agent = testAgent('new-agent', {
      systemPrompt: 'Line one\nLine "two" 😀',
      modelSettings: { temperature: 0.2 },
    });
    const stored = await store.agents.create(agent);
    expect(stored).toEqual({ agent, revision: 1, createdAt: clock.time, updatedAt: clock.time });
    expect(await other.agents.get('new-agent')).toEqual(stored);
    expect(await store.agents.get('nobody')).toBeUndefined();
  });

  it('a stored agent has the source "store", wherever it came from', async () => {
    const stored = await stores.store.agents.create(testAgent('from-toml', { source: 'toml' }));
    expect(stored.agent.source).toBe('store');
  });

  it('an id can be used only once', async () => {
    const { store } = stores;
    const first = await store.agents.create(testAgent('taken'));
    await expect(store.agents.create(testAgent('taken', { name: 'Second' }))).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('"taken"'),
      details: { expected: null, current: first },
    });
    expect((await store.agents.get('taken'))?.agent.name).toBe('Agent taken');
    expect(await store.agents.versions('taken')).toHaveLength(1);
  });

  it('the second of two writers gets a conflict with both versions', async () => {
    const { store, other, clock } = stores;
    await store.agents.create(testAgent('edited'));
    clock.time += 1000;
    const current = await store.agents.update(testAgent('edited', { name: 'First' }), 1);
    expect(current).toMatchObject({ revision: 2, updatedAt: clock.time, createdAt: clock.time - 1000 });
    await expect(other.agents.update(testAgent('edited', { name: 'Second' }), 1)).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { expected: 1, current },
    });
    expect((await store.agents.get('edited'))?.agent.name).toBe('First');
    const forced = await other.agents.update(testAgent('edited', { name: 'Forced' }), null);
    expect(forced).toMatchObject({ revision: 3, agent: { name: 'Forced' } });
  });

  it('exactly one of many writers with the same revision wins', async () => {
    const { store, other } = stores;
    await store.agents.create(testAgent('raced'));
    const saves = Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? store : other).agents.update(testAgent('raced', { name: `Writer ${index}` }), 1),
    );
    const results = await Promise.allSettled(saves);
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    expect((await store.agents.get('raced'))?.revision).toBe(2);
    expect(await store.agents.versions('raced')).toHaveLength(2);
  });

  it.each([
    ['update', (id: string) => stores.store.agents.update(testAgent(id), null), 'AGENT_NOT_FOUND'],
    ['delete', (id: string) => stores.store.agents.delete(id, null), 'AGENT_NOT_FOUND'],
    ['undelete', (id: string) => stores.store.agents.undelete(id), 'NOT_FOUND'],
  ])('%s fails for an agent that never existed', async (_name, run, code) => {
    await expect(run('never-was')).rejects.toMatchObject({ code, message: expect.stringContaining('never-was') });
  });

  it('a restored agent still has its brain', async () => {
    const { store, other } = stores;
    await store.agents.create(testAgent('undone'));
    const entry = await store.brain.create('undone', { type: 'note', content: 'kept' });
    await expect(store.agents.delete('undone', 7)).rejects.toMatchObject({ code: 'CONFLICT' });
    await store.agents.delete('undone', 1);
    expect(await other.agents.get('undone')).toBeUndefined();
    await expect(store.agents.update(testAgent('undone'), null)).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
    await expect(store.agents.delete('undone', null)).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
    expect(await other.agents.undelete('undone')).toMatchObject({ revision: 3, agent: { name: 'Agent undone' } });
    expect(await store.brain.query('undone', {})).toEqual([entry]);
    await expect(store.agents.undelete('undone')).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('a new agent does not get the id of a deleted one, which keeps its history and brain', async () => {
    const { store, other, clock } = stores;
    await store.agents.create(testAgent('gone', { name: 'Gone "for now"' }));
    await store.brain.create('gone', { type: 'note', content: 'from the first life' });
    clock.time += 1_000;
    await store.agents.delete('gone', 1);
    const deleted = { id: 'gone', name: 'Gone "for now"', deletedAt: clock.time };
    expect(await other.agents.deleted()).toContainEqual(deleted);
    await expect(other.agents.create(testAgent('gone', { name: 'Second life' }))).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('Restore it, or choose another id'),
      details: { deleted: { ...deleted, deletedAt: toIso(clock.time) } },
    });
    expect(await store.brain.query('gone', {})).toHaveLength(1);
    await other.agents.undelete('gone');
    expect((await store.agents.deleted()).map(({ id }) => id)).not.toContain('gone');
  });

  it('deleted agents are listed, the last deleted first, however many there are', async () => {
    const { store, clock } = stores;
    const ids = Array.from({ length: 60 }, (_, index) => `listed-${index}`);
    for (const id of ids) {
      await store.agents.create(testAgent(id));
      clock.time += 1;
      await store.agents.delete(id, 1);
    }
    const listed = (await store.agents.deleted()).slice(0, 60);
    expect(listed.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(listed[59]?.name).toBe('Agent listed-0');
  });

  it('an imported agent takes the place of a deleted one: it continues its history with an empty brain', async () => {
    const { store } = stores;
    await store.agents.create(testAgent('reborn'));
    await store.brain.create('reborn', { type: 'note', content: 'from the first life' });
    await store.agents.delete('reborn', 1);
    const stored = await store.agents.create(testAgent('reborn', { name: 'Second life' }), { replacesDeleted: true });
    expect(stored.revision).toBe(3);
    expect(await store.brain.query('reborn', {})).toEqual([]);
    const actions = (await store.agents.versions('reborn')).map((version) => [version.revision, version.action]);
    expect(actions).toEqual([
      [3, 'create'],
      [2, 'delete'],
      [1, 'create'],
    ]);
  });

  it('tags are kept beside the agent, because earlier versions refuse fields that they do not know', async () => {
    const { store, other, db } = stores;
    const database = await openDatabase(db, silentLogger);
    for (const [id, tags] of [
      ['plain', []],
      ['tagged', ['ops', 'on call']],
    ] as const) {
      await store.agents.create(testAgent(id, { tags: [...tags] }));
      await store.agents.update(testAgent(id, { tags: [...tags], name: 'Changed' }), 1);
      const { data } = await database.read((db) =>
        db.selectFrom('agents').select('data').where('id', '=', id).executeTakeFirstOrThrow(),
      );
      expect(JSON.parse(data)).not.toHaveProperty('tags');
      expect((await other.agents.get(id))?.agent.tags).toEqual(tags);
      expect((await other.agents.versions(id)).map(({ agent }) => agent.tags)).toEqual([tags, tags]);
      // Another process reads the list again as soon as it hears of the change.
      const tagsInList = async () => {
        const { entries } = await other.agents.source.snapshot();
        return entries.find(({ agent }) => agent.id === id)?.agent.tags;
      };
      await expect.poll(tagsInList).toEqual(tags);
    }
    await database.close();
  });

  it('an import brings its versions and its brain, and goes on with the history of its id', async () => {
    const { store, other, clock } = stores;
    const { id: _, source: __, ...old } = testAgent('carried', { name: 'Old' });
    const entry = { type: 'note' as const, content: 'Kept', pinned: false, tags: [], metadata: {} };
    const past = {
      brain: [
        { ...entry, id: 'entry-1', at: 1_000 },
        { ...entry, id: undefined, at: undefined },
      ],
      versions: [{ action: 'create', at: 1_000, agent: old }] as const,
    };
    await store.agents.create(testAgent('carried', { name: 'New' }), { past });
    const history = await other.agents.versions('carried');
    expect(history.map(({ revision, action, at, agent }) => [revision, action, at, agent.name])).toEqual([
      [2, 'import', clock.time, 'New'],
      [1, 'create', 1_000, 'Old'],
    ]);
    expect((await other.brain.query('carried', {})).map(({ id, timestamp }) => [id, timestamp])).toEqual([
      [expect.stringMatching(/^brain_/), new Date(clock.time).toISOString()],
      ['entry-1', '1970-01-01T00:00:01.000Z'],
    ]);

    const changed = { ...entry, id: 'entry-1', at: 2_000, content: 'Changed' };
    await store.agents.update(testAgent('carried', { name: 'Newer' }), null, { action: 'import', brain: [changed] });
    expect(await store.brain.get('carried', 'entry-1')).toMatchObject({ content: 'Changed' });
    await store.agents.create(testAgent('carried-too'), { past: { ...past, brain: [changed] } });
    expect(await store.brain.get('carried-too', 'entry-1')).toBeUndefined();
    expect(await store.brain.query('carried-too', {})).toMatchObject([{ content: 'Changed' }]);
    expect(await store.brain.query('carried', {})).toHaveLength(2);
  });

  it('every save adds a version, listed newest first in pages', async () => {
    const { store } = stores;
    await store.agents.create(testAgent('history', { name: 'One' }));
    await store.agents.update(testAgent('history', { name: 'Two' }), 1);
    await store.agents.update(testAgent('history', { name: 'One' }), 2, { action: 'restore' });
    await store.agents.delete('history', 3);
    const versions = await store.agents.versions('history');
    expect(versions.map(({ action, agent }) => `${action} ${agent.name}`)).toEqual([
      'delete One',
      'restore One',
      'update Two',
      'create One',
    ]);
    const listed = await store.agents.history('history');
    expect(listed).toEqual(versions.map(({ agentId: _, agent, ...version }) => ({ ...version, name: agent.name })));
    const page = await store.agents.history('history', { limit: 2, before: 4 });
    expect(page.map((version) => version.revision)).toEqual([3, 2]);
    expect(await store.agents.version('history', 2)).toEqual(versions[2]);
    expect(await store.agents.version('history', 9)).toBeUndefined();
  });

  it('a version that cannot be read is listed with the others', async () => {
    const { store, db } = stores;
    await store.agents.create(testAgent('old-shape', { name: 'One' }));
    await store.agents.update(testAgent('old-shape', { name: 'Two' }), 1);
    const database = await openDatabase(db, silentLogger);
    await database.write(({ db: write }) =>
      write
        .updateTable('agent_versions')
        .set({ data: JSON.stringify({ systemPrompt: '\u0000'.repeat(10_000), name: 'Other' }) })
        .where('agent_id', '=', 'old-shape')
        .where('revision', '=', 1)
        .execute(),
    );
    await database.close();
    expect((await store.agents.history('old-shape')).map(({ name }) => name)).toEqual(['Two', 'Other']);
    expect(await store.agents.versions('old-shape')).toHaveLength(1);
    await expect(store.agents.version('old-shape', 1)).rejects.toMatchObject({ code: 'AGENT_ERROR' });
  });

  it('a long history is listed up to the limit', async () => {
    const { store } = stores;
    const agent = testAgent('long-history');
    const versions = Array.from({ length: 120 }, (_, at) => ({ action: 'update' as const, at, agent }));
    await store.agents.create(agent, { past: { versions, brain: [] } });
    const revisions = async (limit: number) =>
      (await store.agents.history('long-history', { limit })).map(({ revision }) => revision);
    expect(await revisions(1_000)).toEqual(Array.from({ length: 121 }, (_, index) => 121 - index));
    expect(await revisions(70)).toEqual(Array.from({ length: 70 }, (_, index) => 121 - index));
    expect(await revisions(50)).toHaveLength(50);
  });

  it('versions are listed whatever text they contain', async () => {
    const { store } = stores;
    const name = `"Quoted" \\ ${'é'.repeat(100)}`;
    const modelSettings = { stop: ['\u0000', '\ud800'] };
    await store.agents.create(testAgent('odd-text', { name, modelSettings }));
    expect((await store.agents.version('odd-text', 1))?.agent.modelSettings).toEqual(modelSettings);
    expect((await store.agents.history('odd-text')).map((version) => version.name)).toEqual([name]);
  });

  it('the snapshot is the same object until something changes, and reuses unchanged agents', async () => {
    const { store } = stores;
    await store.agents.create(testAgent('steady'));
    await store.agents.create(testAgent('moving'));
    const before = await store.agents.source.snapshot();
    const find = (snapshot: typeof before, id: string) => snapshot.entries.find((entry) => entry.agent.id === id);
    expect(store.agents.source.snapshot()).toBe(before);
    expect(find(before, 'moving')).toMatchObject({ definedIn: 'the store', revision: 1, updatedAt: stores.clock.time });

    await store.brain.create('steady', { type: 'note', content: 'no change of the agent' });
    expect(await store.agents.source.snapshot()).toBe(before);

    await store.agents.update(testAgent('moving', { name: 'Moved' }), 1);
    const after = await store.agents.source.snapshot();
    expect(find(after, 'steady')).toBe(find(before, 'steady'));
    expect(find(after, 'moving')).toMatchObject({ revision: 2, agent: { name: 'Moved' } });
    expect(after.entries.map((entry) => entry.agent.id)).toEqual(after.entries.map((entry) => entry.agent.id).sort());

    await store.agents.delete('moving', 2);
    expect(find(await store.agents.source.snapshot(), 'moving')).toBeUndefined();
    await otherCatchesUp();
  });

  it('each of many concurrent snapshots includes the write before it', async () => {
    const { store } = stores;
    const names = Array.from({ length: 10 }, (_, index) => `burst-${index}`);
    const seen = await Promise.all(
      names.map(async (id) => {
        await store.agents.create(testAgent(id));
        return (await store.agents.source.snapshot()).entries.some((entry) => entry.agent.id === id);
      }),
    );
    expect(seen).toEqual(names.map(() => true));
  });

  it('a write by another process is reported once', async () => {
    // These stores are new, because notices of the writes in earlier tests may still be on their way.
    const fresh = await openTestStores(kind);
    const { store, other } = fresh;
    await other.agents.source.snapshot();
    const watch = other.agents.source.watch?.bind(other.agents.source);
    if (!watch) throw new Error('The store must support watching.');
    let reports = 0;
    const stop = watch(() => {
      reports += 1;
    });
    const change = nextChange<void>(watch);
    await store.agents.create(testAgent('announced'));
    await change;
    expect((await other.agents.source.snapshot()).entries.map((entry) => entry.agent.id)).toContain('announced');
    expect(reports).toBe(1);
    const ownChange = nextChange<void>(watch);
    await other.agents.update(testAgent('announced', { name: 'Own' }), 1);
    await ownChange;
    expect(reports).toBe(2);
    stop();
    await fresh.remove();
  });

  it('an outdated row is reported as a problem, and the other agents still load', async () => {
    const { store, db } = stores;
    await store.agents.create(testAgent('outdated'));
    const database = await openDatabase(db, silentLogger);
    await database.write(async (write) => {
      const change = await beginAgentChange(write.db, database.dialect, 'outdated');
      write.changed('agents');
      const data = JSON.stringify({ id: 'outdated', colour: 'red' });
      await write.db
        .updateTable('agents')
        .set({ data, revision: 2, change_number: change })
        .where('id', '=', 'outdated')
        .execute();
    });
    await database.close();
    await expect(store.agents.get('outdated')).rejects.toMatchObject({ code: 'AGENT_ERROR' });
    const snapshot = await vi.waitFor(async () => {
      const newest = await store.agents.source.snapshot();
      expect(newest.problems).not.toEqual([]);
      return newest;
    });
    expect(snapshot.problems).toEqual([
      { agentId: 'outdated', place: 'the store', message: expect.stringContaining('"outdated" is invalid') },
    ]);
    expect(snapshot.entries.length).toBeGreaterThan(0);
    await store.agents.update(testAgent('outdated', { name: 'Repaired' }), null);
    expect((await store.agents.source.snapshot()).problems).toEqual([]);
  });

  it('a tool saved under looser rules is left out and reported, and its agent still loads', async () => {
    const { store, db } = stores;
    const valid = { name: 'valid', description: '', parameters: { type: 'object' as const }, prompt: 'Hello' };
    await store.agents.create(testAgent('looser', { exposes: [valid] }));
    const database = await openDatabase(db, silentLogger);
    await database.write(async (write) => {
      const change = await beginAgentChange(write.db, database.dialect, 'looser');
      write.changed('agents');
      const looser = { ...valid, name: 'looser', parameters: { type: 'object', oneOf: [] }, prompt: '{gone}' };
      const data = JSON.stringify({ ...testAgent('looser'), exposes: [looser, valid] });
      await write.db
        .updateTable('agents')
        .set({ data, revision: 2, change_number: change })
        .where('id', '=', 'looser')
        .execute();
    });
    await database.close();
    expect((await store.agents.get('looser'))?.agent.exposes).toEqual([valid]);
    const snapshot = await vi.waitFor(async () => {
      const newest = await store.agents.source.snapshot();
      expect(newest.problems).not.toEqual([]);
      return newest;
    });
    expect(snapshot.entries.find(({ agent }) => agent.id === 'looser')?.agent.exposes).toEqual([valid]);
    expect(snapshot.problems).toEqual([
      {
        agentId: 'looser',
        place: 'the store',
        message: expect.stringMatching(/exposes\[0\]\.parameters\.oneOf: must be a list of at least one schema/),
      },
    ]);
    await store.agents.update(testAgent('looser', { exposes: [valid] }), null);
    expect((await store.agents.source.snapshot()).problems).toEqual([]);
  });

  it('if the database is unavailable, the last known agents stay and a problem is reported', async () => {
    const separate = await openTestStores(kind);
    await separate.store.agents.create(testAgent('remembered'));
    const { entries } = await separate.store.agents.source.snapshot();
    await separate.store.close();
    const snapshot = await separate.store.agents.source.snapshot();
    expect(snapshot.entries).toBe(entries);
    expect(snapshot.problems).toEqual([{ place: 'the store', message: expect.stringContaining('closed') }]);
    expect(await separate.store.agents.source.snapshot()).toBe(snapshot);
    await separate.remove();
  });

  /** Waits until the other process sees every write: PostgreSQL's notification takes a moment. */
  async function otherCatchesUp() {
    const { entries } = await stores.store.agents.source.snapshot();
    await vi.waitFor(async () => expect((await stores.other.agents.source.snapshot()).entries).toEqual(entries));
  }
});
