import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { databaseKinds } from '../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../test/support/databases/test-store.ts';

describe.each(databaseKinds)('the default agents of folders in %s', (kind) => {
  let stores: TestStores;
  beforeAll(async () => {
    stores = await openTestStores(kind);
  });
  afterAll(() => stores.remove());

  it('are set, replaced and removed, and other processes see it', async () => {
    const { store, other } = stores;
    expect(await store.workspaces.list()).toEqual([]);
    expect(await other.workspaces.list()).toEqual([]);
    await store.workspaces.set({ folder: '/b', agentId: 'one' });
    await store.workspaces.set({ folder: '/a', agentId: 'one' });
    await store.workspaces.set({ folder: '/b', agentId: 'two' });
    const both = [
      { folder: '/a', agentId: 'one' },
      { folder: '/b', agentId: 'two' },
    ];
    expect(await store.workspaces.list()).toEqual(both);
    await vi.waitFor(async () => expect(await other.workspaces.list()).toEqual(both));
    expect(await other.workspaces.remove('/a')).toBe(true);
    expect(await other.workspaces.remove('/a')).toBe(false);
    await vi.waitFor(async () => expect(await store.workspaces.list()).toEqual(both.slice(1)));
  });
});
