import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseKinds } from '../../test/support/databases/test-database.ts';
import { nextChange, openTestStores, type TestStores } from '../../test/support/databases/test-store.ts';
import type { Change } from '../db/change-bus.ts';

describe.each(databaseKinds)('dismissed items in %s', (kind) => {
  let stores: TestStores;
  beforeAll(async () => {
    stores = await openTestStores(kind);
  });
  afterAll(() => stores.remove());

  it('are known to every process until they are taken back', async () => {
    const { store, other } = stores;
    const heard = nextChange<Change>((listener) => other.changes.on(listener));
    await store.dismissals.add(['run:1', 'run:2', 'run:1']);
    expect(await heard).toMatchObject({ topic: 'inbox' });
    expect(await other.dismissals.among(['run:1', 'run:3'])).toEqual(new Set(['run:1']));
    expect(await other.dismissals.among([])).toEqual(new Set());
    await other.dismissals.remove('run:1');
    expect(await store.dismissals.among(['run:1', 'run:2'])).toEqual(new Set(['run:2']));
  });

  it('of old failures are forgotten, and settings are kept', async () => {
    const { store, clock } = stores;
    await store.dismissals.add(['run:old', 'first-steps']);
    clock.time += 61 * 24 * 3_600_000;
    await store.dismissals.add(['run:new']);
    expect(await store.dismissals.among(['run:old', 'first-steps', 'run:new'])).toEqual(
      new Set(['first-steps', 'run:new']),
    );
  });
});
