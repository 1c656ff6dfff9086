import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endedHolder } from '../../../test/support/databases/holders.ts';
import { databaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../../test/support/databases/test-store.ts';
import { syncReport } from '../../../test/support/knowledge/sync-report.ts';
import { silentLogger } from '../../base/logger.ts';
import { openStore } from '../../store/open-store.ts';
import type { SyncRequestStore } from './sync-requests.ts';

describe.each(databaseKinds)('requested syncs in %s', (kind) => {
  let stores: TestStores;
  let requests: SyncRequestStore;
  let other: SyncRequestStore;
  beforeAll(async () => {
    stores = await openTestStores(kind);
    requests = stores.store.knowledge.requests;
    other = stores.other.knowledge.requests;
  });
  afterAll(() => stores.remove());

  const stateOf = async (id: string) => (await other.get(id))?.state;
  const requestOf = async (source: string) =>
    (await stores.other.knowledge.sources.states()).find((state) => state.source === source)?.request;

  it('join an equal one that waits, but not one that has begun', async () => {
    const source = 'git:joined';
    const added = await Promise.all([1, 2, 3, 4].map((n) => (n % 2 ? other : requests).add(source, { full: n > 2 })));
    const [part, , full] = added;
    expect(added).toEqual([part, part, full, full]);
    expect(full).not.toBe(part);
    const sync = await requests.begin(source);
    expect(sync.full).toBe(true);
    const later = await other.add(source, { full: false });
    expect(added).not.toContain(later);
    expect(await Promise.all([part, full, later].map((id = '') => stateOf(id)))).toEqual([
      'running',
      'running',
      'waiting',
    ]);
    await requests.end(source, sync.id, { outcome: 'complete', report: syncReport({ source }) });
    expect(await other.get(part ?? '')).toMatchObject({ state: 'done', outcome: 'complete', report: { source } });
    expect(await stateOf(later)).toBe('waiting');
    expect(await other.begin(source)).toMatchObject({ full: false });
  });

  it('end with the last of their requesters, and wait again after a sync that was stopped', async () => {
    const source = 'git:withdrawn';
    const id = await requests.add(source, { full: false });
    await other.add(source, { full: false });
    await requests.withdraw(id);
    expect(await stateOf(id)).toBe('waiting');
    const { id: syncId } = await requests.begin(source);
    await requests.end(source, syncId, { outcome: 'again', report: null });
    expect(await stateOf(id)).toBe('waiting');
    await other.withdraw(id);
    expect(await other.get(id)).toBeUndefined();
  });

  it('are not begun by a sync that reads only a part, which can be cancelled all the same', async () => {
    const source = 'git:partial';
    const id = await requests.add(source, { full: true });
    const lease = await stores.store.knowledge.sources.take(source);
    const sync = await requests.begin(source, { isPartial: true });
    expect([sync.full, await stateOf(id)]).toEqual([false, 'waiting']);
    expect(await other.isCancelled(source, sync.id)).toBe(false);
    expect(await other.cancel(source)).toBe(true);
    expect(await requests.isCancelled(source, sync.id)).toBe(true);
    expect(await other.get(id)).toMatchObject({ state: 'done', outcome: 'cancelled' });
    await requests.end(source, sync.id, { outcome: 'again', report: null });
    await lease.release();
    expect(await other.cancel(source)).toBe(false);
  });

  it('of a cancelled sync are done; a process that lost its source changes nothing', async () => {
    const source = 'git:cancelled';
    const id = await requests.add(source, { full: false });
    const lease = await stores.store.knowledge.sources.take(source);
    const lost = await requests.begin(source);
    const sync = await requests.begin(source);
    await requests.end(source, lost.id, { outcome: 'complete', report: null });
    expect(await stateOf(id)).toBe('running');
    await other.cancel(source);
    await requests.end(source, sync.id, { outcome: 'again', report: null });
    expect(await other.get(id)).toMatchObject({ state: 'done', outcome: 'cancelled' });
    await lease.release();
  });

  it('are left to others when their process is gone or leaves them, also if their sync had begun', async () => {
    const { clock, db } = stores;
    const dead = await openStore({ db, clock, logger: silentLogger, holder: endedHolder() });
    await dead.knowledge.requests.add('git:dead', { full: true });
    await dead.knowledge.requests.begin('git:dead');
    const left = await requests.add('git:left', { full: false });
    await requests.add('git:kept', { full: false });
    await requests.leave(left);
    const abandoned = await other.abandoned();
    expect(abandoned).toEqual(expect.arrayContaining(['git:dead', 'git:left']));
    expect(abandoned).not.toContain('git:kept');
    expect(await requestOf('git:dead')).toMatchObject({ full: true });
    expect(await other.begin('git:dead')).toMatchObject({ full: true });
    await dead.close();
  });
});
