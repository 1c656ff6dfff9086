import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../../test/support/databases/test-store.ts';
import { syncReport } from '../../../test/support/knowledge/sync-report.ts';
import type { SourceStore, StoredSource } from './knowledge-store.ts';

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

  it('only one of many callers gets the lease of a source, until it releases it', async () => {
    const isSyncing = async () => (await other.states()).find((state) => state.source === 'git:raced')?.isSyncing;
    const asked = Array.from({ length: 12 }, (_, index) => (index % 2 ? other : sources).take('git:raced'));
    const results = await Promise.allSettled(asked);
    const taken = results.filter((result) => result.status === 'fulfilled');
    expect(taken).toHaveLength(1);
    expect(await isSyncing()).toBe(true);
    const since = new Date(stores.clock.time).toISOString();
    for (const each of [sources, other])
      await expect(each.take('git:raced')).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringMatching(
          new RegExp(`^The source "git:raced" is being synced by process ${process.pid} on \\S+ since ${since}\\. `),
        ),
      });
    await (await other.take('git:other')).release();
    await taken[0]?.value.release();
    expect(await isSyncing()).not.toBe(true);
    await (await sources.take('git:raced')).release();
  });

  it('the outcome of a sync is stored and can be deleted', async () => {
    const { time } = stores.clock;
    const state = {
      startedAt: time,
      finishedAt: time + 5,
      outcome: 'failed' as const,
      message: 'The folder is gone.\0',
      report: syncReport({ added: 1, failed: [{ sourceId: 'ü', message: 'x' }] }),
    };
    const lease = await sources.take('git:state');
    await sources.saveState('git:state', state);
    await sources.saveState('script:never-leased', { ...state, outcome: null, finishedAt: null, report: null });
    const states = new Map((await other.states()).map((each) => [each.source, each]));
    expect(states.get('git:state')).toEqual({
      ...state,
      source: 'git:state',
      isSyncing: true,
      message: 'The folder is gone.\ufffd',
      request: null,
    });
    expect(states.get('script:never-leased')).toMatchObject({ isSyncing: false, outcome: null, report: null });
    await sources.saveState('git:state', { ...state, outcome: 'complete', message: null });
    await other.forget('script:never-leased');
    const after = await sources.states();
    expect(after.find((each) => each.source === 'git:state')).toMatchObject({ isSyncing: true, outcome: 'complete' });
    expect(after.map((each) => each.source)).not.toContain('script:never-leased');
    await lease.release();
  });
});

function stored(name: string, settings: Record<string, unknown>): StoredSource {
  return { source: `filesystem:${name}`, type: 'filesystem', name, settings, createdAt: 1_794_000_000_000 };
}
