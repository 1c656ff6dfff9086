import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { databaseKinds } from '../../test/support/databases/test-database.ts';
import { nextChange, openTestStores, type TestStores } from '../../test/support/databases/test-store.ts';

describe.each(databaseKinds)('settings in %s', (kind) => {
  let stores: TestStores;
  beforeAll(async () => {
    stores = await openTestStores(kind);
  });
  afterAll(() => stores.remove());

  it('are written, read and deleted, and other processes see it without a restart', async () => {
    const { store, other, clock } = stores;
    expect(await store.settings.read('engine.model', z.string())).toBeUndefined();
    expect(await other.settings.read('engine.model', z.string())).toBeUndefined();
    const noticed = nextChange<readonly string[]>((onChange) => other.settings.watch(onChange));
    const written = await store.settings.write('engine.model', 'acme/one');
    expect(written).toEqual({
      key: 'engine.model',
      value: 'acme/one',
      version: written.version,
      updatedAt: clock.now(),
    });
    expect(await store.settings.read('engine.model', z.string())).toEqual(written);
    await noticed;
    await vi.waitFor(async () => expect(await other.settings.read('engine.model', z.string())).toEqual(written));
    expect(await other.settings.delete('engine.model')).toBe(true);
    expect(await other.settings.delete('engine.model')).toBe(false);
    await vi.waitFor(async () => expect(await store.settings.read('engine.model', z.string())).toBeUndefined());
  });

  it('are listed by prefix', async () => {
    const { settings } = stores.store;
    await settings.write('providers.b', { type: 'ollama' });
    await settings.write('providers.a', { type: 'openai' });
    await settings.write('provider', 1);
    const found = await settings.list('providers.', z.object({ type: z.string() }));
    expect(found.map(({ key, value }) => [key, value.type])).toEqual([
      ['providers.a', 'openai'],
      ['providers.b', 'ollama'],
    ]);
  });

  it('a writer who saw an older version is refused, also after a deletion', async () => {
    const { settings } = stores.store;
    const first = await settings.write('checked', 1, null);
    await expect(settings.write('checked', 2, null)).rejects.toMatchObject({ code: 'CONFLICT' });
    const second = await settings.write('checked', 2, first.version);
    await expect(settings.write('checked', 3, first.version)).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { expected: first.version, current: second.version },
    });
    await expect(settings.delete('checked', first.version)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await settings.delete('checked', second.version)).toBe(true);
    await expect(settings.write('checked', 3, second.version)).rejects.toMatchObject({
      message: 'The setting "checked" has been removed. Reload it and try again.',
    });
    const again = await settings.write('checked', 4, null);
    expect(again.version).toBeGreaterThan(second.version);
    expect(await settings.read('checked', z.number())).toEqual(again);
  });

  it('one of two writers at the same time is refused', async () => {
    const { store, other } = stores;
    const { version } = await store.settings.write('raced', 0);
    const results = await Promise.allSettled([
      store.settings.write('raced', 1, version),
      other.settings.write('raced', 2, version),
    ]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('a value of another shape counts as absent', async () => {
    const { settings } = stores.store;
    await settings.write('shapes.new', { kind: 'of tomorrow' });
    await settings.write('shapes.old', 'x\0y');
    expect(await settings.read('shapes.new', z.string())).toBeUndefined();
    expect((await settings.list('shapes.', z.string())).map(({ key }) => key)).toEqual(['shapes.old']);
  });

  it('an endless value is refused', async () => {
    await expect(stores.store.settings.write('long', 'x'.repeat(1_000_001))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
  });
});
