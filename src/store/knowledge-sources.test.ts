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
    const asked = Array.from({ length: 12 }, (_, index) =>
      (index % 2 ? other : sources).lease('git:raced', `holder ${index}`, 60_000),
    );
    const results = await Promise.allSettled(asked);
    const winner = results.findIndex((result) => result.status === 'fulfilled');
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    expect(await sources.states()).toContainEqual(
      expect.objectContaining({ source: 'git:raced', holder: `holder ${winner}`, leasedUntil: expect.any(Number) }),
    );
  });

  it('a lease is kept by its holder until it is released, or taken over as it was seen', async () => {
    const { clock } = stores;
    const began = clock.time;
    const seen = async () => (await other.states()).find((state) => state.source === 'git:a');
    await sources.lease('git:a', 'one', 60_000);
    const before = await seen();
    expect(before).toMatchObject({ holder: 'one', isLeaseOver: false });
    clock.time += 500;
    await sources.lease('git:a', 'one', -1);
    await expect(other.lease('git:a', 'two', 9000, before)).rejects.toMatchObject({ code: 'CONFLICT' });
    const over = await seen();
    expect(over).toMatchObject({ holder: 'one', isLeaseOver: true });
    await expect(other.lease('git:a', 'two', 9000)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`by one since ${new Date(began).toISOString()}`),
      details: { source: 'git:a', holder: 'one', since: new Date(began).toISOString() },
    });
    await other.lease('git:b', 'two', 9000);
    await other.release('git:a', 'two');
    await expect(other.lease('git:a', 'two', 9000)).rejects.toMatchObject({ code: 'CONFLICT' });
    await other.lease('git:a', 'two', 9000, over);
    await expect(sources.lease('git:a', 'one', 9000)).rejects.toMatchObject({ code: 'CONFLICT' });
    await other.release('git:a', 'two');
    await sources.lease('git:a', 'one', 9000);
    await sources.release('git:a', 'one');
    expect((await sources.states()).find((state) => state.source === 'git:a')).toEqual({
      source: 'git:a',
      holder: null,
      leasedUntil: null,
      isLeaseOver: false,
      startedAt: null,
      finishedAt: null,
      outcome: null,
      message: null,
      report: null,
      request: null,
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
    await sources.lease('git:state', 'me', 60_000);
    await sources.saveState('git:state', state);
    await sources.saveState('script:never-leased', { ...state, outcome: null, finishedAt: null, report: null });
    const states = new Map((await other.states()).map((each) => [each.source, each]));
    expect(states.get('git:state')).toEqual({
      ...state,
      source: 'git:state',
      holder: 'me',
      leasedUntil: expect.any(Number),
      isLeaseOver: false,
      message: 'The folder is gone.\ufffd',
      request: null,
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
