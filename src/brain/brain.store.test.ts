import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { databaseKinds } from '../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../test/support/databases/test-store.ts';
import { silentLogger } from '../base/logger.ts';
import { openStore } from '../store/open-store.ts';
import { createRedact } from '../tools/redact/redact.ts';

describe.each(databaseKinds)('brain entries in %s', (kind) => {
  let stores: TestStores;
  beforeAll(async () => {
    stores = await openTestStores(kind);
  });
  afterAll(() => stores.remove());

  it('an entry has the given fields, and defaults for the rest', async () => {
    const { store, other, clock } = stores;
    const metadata = { nested: { list: [1, null, 'ü'] } };
    const full = await store.brain.create('a', {
      type: 'decision',
      content: 'Do it',
      tags: ['x', 'y'],
      pinned: true,
      metadata,
    });
    expect(full).toEqual({
      id: expect.stringMatching(/^brain_/),
      agentId: 'a',
      type: 'decision',
      content: 'Do it',
      timestamp: new Date(clock.time).toISOString(),
      pinned: true,
      tags: ['x', 'y'],
      metadata,
    });
    const bare = await store.brain.create('a', { type: 'note', content: 'Bare' });
    expect(bare).toMatchObject({ pinned: false, tags: [], metadata: {} });
    expect(await other.brain.get('a', full.id)).toEqual(full);
  });

  it('secrets are removed before they are stored, from every field', async () => {
    const redact = createRedact({ values: ['a-value-of-the-config'] });
    const store = await openStore({ db: stores.db, clock: stores.clock, logger: silentLogger, redact });
    const secrets = ['a-value-of-the-config', 'ghp_0123456789abcdefghijABCDEFGHIJ012345', 'hunter2-hunter2'];
    const content = `It is ${secrets[0]}, or ${secrets[1]}. password=${secrets[2]}`;
    const fields = {
      content,
      tags: [secrets[0] ?? '', 'plain'],
      metadata: { note: content, list: [secrets[1] ?? ''], api_key: secrets[2] ?? '', count: 3 },
    };
    const created = await store.brain.create('secretive', { type: 'note', ...fields });
    expect(created).toMatchObject({
      content: 'It is [removed], or [removed]. password=[removed]',
      tags: ['[removed]', 'plain'],
      metadata: { list: ['[removed]'], api_key: '[removed]', count: 3 },
    });
    const updated = await store.brain.update('secretive', created.id, { ...fields, pinned: true });
    const long = await store.brain.create('secretive', { type: 'note', content: `password=${'x'}`.padStart(100_000) });
    expect(long.content).toHaveLength(100_000);
    const stored = JSON.stringify([updated, await stores.other.brain.query('secretive', {})]);
    for (const secret of secrets) expect(stored).not.toContain(secret);
    await store.close();
  });

  it('an update changes only the given fields', async () => {
    const { store } = stores;
    const entry = await store.brain.create('b', { type: 'note', content: 'Before', tags: ['keep'] });
    expect(await store.brain.update('b', entry.id, { pinned: true })).toEqual({ ...entry, pinned: true });
    expect(await store.brain.update('b', entry.id, { content: 'After', tags: [], pinned: false })).toEqual({
      ...entry,
      content: 'After',
      tags: [],
    });
    expect(await store.brain.update('b', entry.id, {})).toMatchObject({ content: 'After' });
  });

  it("an agent cannot reach another agent's entries", async () => {
    const { store } = stores;
    const entry = await store.brain.create('mine', { type: 'note', content: 'Mine' });
    expect(await store.brain.get('yours', entry.id)).toBeUndefined();
    expect(await store.brain.update('yours', entry.id, { content: 'Taken' })).toBeUndefined();
    expect(await store.brain.delete('yours', entry.id)).toBe(false);
    expect(await store.brain.query('yours', {})).toEqual([]);
    expect(await store.brain.get('mine', entry.id)).toEqual(entry);
    expect(await store.brain.delete('mine', entry.id)).toBe(true);
    expect(await store.brain.delete('mine', entry.id)).toBe(false);
  });

  describe('a query', () => {
    beforeAll(async () => {
      const { store, clock } = stores;
      const create = async (at: string, entry: Parameters<typeof store.brain.create>[1]) => {
        clock.time = Date.parse(at);
        await store.brain.create('q', entry);
      };
      await create('2026-03-01T00:00:00.000Z', { type: 'note', content: 'first', tags: ['red'] });
      await create('2026-03-02T10:00:00.000Z', {
        type: 'decision',
        content: 'second',
        tags: ['red', 'blue'],
        pinned: true,
      });
      await create('2026-03-02T23:59:59.999Z', { type: 'note', content: 'third', tags: ['blue'] });
      await create('2026-03-03T00:00:00.000Z', { type: 'summary', content: 'fourth', pinned: true });
    });

    it.each([
      [{}, ['fourth', 'third', 'second', 'first']],
      [{ type: 'note' }, ['third', 'first']],
      [{ pinned: true }, ['fourth', 'second']],
      [{ pinned: false }, ['third', 'first']],
      [{ tags: ['red', 'blue'] }, ['third', 'second', 'first']],
      [{ tags: ['none'] }, []],
      [{ tags: [] }, ['fourth', 'third', 'second', 'first']],
      [{ dateFrom: '2026-03-02' }, ['fourth', 'third', 'second']],
      [{ dateTo: '2026-03-02' }, ['third', 'second', 'first']],
      [{ dateFrom: '2026-03-02', dateTo: '2026-03-02' }, ['third', 'second']],
      [{ dateTo: '2026-03-02T10:00:00Z' }, ['second', 'first']],
      [{ dateTo: '2026-03-02T10:00:00' }, ['second', 'first']],
      [{ dateFrom: '2026-03-02T12:00:00+02:00', dateTo: '2026-03-02T12:00:01+02:00' }, ['second']],
      [{ type: 'note', tags: ['blue'], dateFrom: '2026-03-02' }, ['third']],
    ] as const)('with %j finds %j', async (query, contents) => {
      const asked = { ...query, ...('tags' in query && { tags: [...query.tags] }) };
      const entries = await stores.store.brain.query('q', asked as Parameters<typeof stores.store.brain.query>[1]);
      expect(entries.map((entry) => entry.content)).toEqual(contents);
    });
  });

  it('entries with the same time have a fixed order', async () => {
    const { store } = stores;
    for (let index = 0; index < 5; index += 1) await store.brain.create('same', { type: 'note', content: `${index}` });
    const ids = (await store.brain.query('same', {})).map((entry) => entry.id);
    expect(ids).toEqual(ids.toSorted().reverse());
  });

  it('changes by any process are reported with their agents', async () => {
    const { store, other } = stores;
    const reported = new Set<string>();
    const stop = other.changes.on(({ topic, ids }) => {
      if (topic === 'brain') for (const id of ids) reported.add(id);
    });
    await store.brain.create('watched', { type: 'note', content: 'x' });
    await vi.waitFor(() => expect(reported).toContain('watched'));
    await other.brain.update('nobody', 'no-such-entry', { pinned: true });
    await other.brain.create('watched-too', { type: 'note', content: 'x' });
    await vi.waitFor(() => expect(reported).toContain('watched-too'));
    expect(reported).not.toContain('nobody');
    stop();
    await store.brain.create('unwatched', { type: 'note', content: 'x' });
    expect(reported).not.toContain('unwatched');
  });
});
