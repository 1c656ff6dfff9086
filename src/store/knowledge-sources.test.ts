import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseKinds } from '../../test/support/test-database.ts';
import { openTestStores, type TestStores } from '../../test/support/test-store.ts';
import type { SourceStore, StoredSource } from '../knowledge/knowledge-store.ts';

describe.each(databaseKinds)('sources of knowledge in %s', (kind) => {
  let stores: TestStores;
  let sources: SourceStore;
  let other: SourceStore;
  beforeAll(async () => {
    stores = await openTestStores(kind);
    sources = stores.store.knowledge.sources;
    other = stores.other.knowledge.sources;
  });
  afterAll(() => stores.remove());

  it('a stored source is listed by every process until it is removed', async () => {
    const docs = stored('docs', { root: '/srv/docs', include_globs: ['**/*.md'], nested: { ü: null } });
    const before = stores.store.knowledge.revision() ?? Number.NaN;
    await sources.add(docs);
    await sources.add(stored('Books', {}));
    expect(stores.store.knowledge.revision()).toBe(before + 2);
    expect(await other.list()).toEqual([stored('Books', {}), docs]);
    await expect(other.add(docs)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('filesystem:docs'),
    });
    await other.remove('filesystem:docs');
    await expect(sources.remove('filesystem:docs')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('filesystem:docs'),
    });
    expect(await sources.list()).toEqual([stored('Books', {})]);
    expect(stores.other.knowledge.revision()).toBe(before + 3);
  });

  it('of many who ask at once, one gets the lease', async () => {
    const { time } = stores.clock;
    const asked = Array.from({ length: 12 }, (_, index) =>
      (index % 2 ? other : sources).lease('git:raced', `holder ${index}`, time + 1000),
    );
    const results = await Promise.allSettled(asked);
    const winner = results.findIndex((result) => result.status === 'fulfilled');
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    expect(await sources.states()).toContainEqual(
      expect.objectContaining({ source: 'git:raced', holder: `holder ${winner}`, leasedUntil: time + 1000 }),
    );
  });

  it('a lease is kept by its holder until it is released or over', async () => {
    const { clock } = stores;
    const began = clock.time;
    await sources.lease('git:a', 'one', began + 1000);
    clock.time += 500;
    await sources.lease('git:a', 'one', began + 2000);
    clock.time = began + 1999;
    await expect(other.lease('git:a', 'two', began + 9000)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`by one since ${new Date(began).toISOString()}`),
      details: { source: 'git:a', holder: 'one', since: new Date(began).toISOString() },
    });
    await other.lease('git:b', 'two', began + 9000);
    await other.release('git:a', 'two');
    await expect(other.lease('git:a', 'two', began + 9000)).rejects.toMatchObject({ code: 'CONFLICT' });
    clock.time = began + 2000;
    await other.lease('git:a', 'two', began + 9000);
    await expect(sources.lease('git:a', 'one', began + 9000)).rejects.toMatchObject({ code: 'CONFLICT' });
    await other.release('git:a', 'two');
    await sources.lease('git:a', 'one', began + 9000);
    await sources.release('git:a', 'one');
    expect((await sources.states()).find((state) => state.source === 'git:a')).toEqual({
      source: 'git:a',
      holder: null,
      leasedUntil: null,
      startedAt: null,
      finishedAt: null,
      outcome: null,
      message: null,
      report: null,
    });
  });

  it('how a sync went is kept beside the lease, and can be forgotten', async () => {
    const { time } = stores.clock;
    const state = {
      startedAt: time,
      finishedAt: time + 5,
      outcome: 'failed' as const,
      message: 'The folder is gone.\0',
      report: { added: 1, failed: [{ sourceId: 'ü', message: 'x' }] },
    };
    await sources.lease('git:state', 'me', time + 1000);
    await sources.saveState('git:state', state);
    await sources.saveState('script:never-leased', { ...state, outcome: null, finishedAt: null, report: null });
    const states = new Map((await other.states()).map((each) => [each.source, each]));
    expect(states.get('git:state')).toEqual({
      ...state,
      source: 'git:state',
      holder: 'me',
      leasedUntil: time + 1000,
      message: 'The folder is gone.\ufffd',
    });
    expect(states.get('script:never-leased')).toMatchObject({ holder: null, outcome: null, report: null });
    await sources.saveState('git:state', { ...state, outcome: 'complete', message: null });
    await other.forget('script:never-leased');
    const after = await sources.states();
    expect(after.find((each) => each.source === 'git:state')).toMatchObject({ holder: 'me', outcome: 'complete' });
    expect(after.map((each) => each.source)).not.toContain('script:never-leased');
  });
});

function stored(name: string, settings: Record<string, unknown>): StoredSource {
  return { source: `filesystem:${name}`, type: 'filesystem', name, settings, createdAt: 1_794_000_000_000 };
}
