import { expect, it } from 'vitest';
import { memberRow } from '../../../test/support/team/team-rows.ts';
import type { StoredMember } from './member.ts';
import { createRoster } from './roster.ts';

/** Counts reads, and delays them until `gate` resolves. */
function countingStore() {
  const store = {
    revision: 1 as number | undefined,
    stored: [memberRow('one', { tokenHash: 'hash-of-one' })],
    reads: 0,
    gate: Promise.resolve(),
    membersRevision: () => store.revision,
    async members(): Promise<StoredMember[]> {
      store.reads += 1;
      const seen = [...store.stored];
      await store.gate;
      return seen;
    },
    hasHadToken: async () => false,
    member: async (id: string) => store.stored.find((each) => each.id === id),
  };
  return store;
}

it('reads the members once, and again after a change', async () => {
  const store = countingStore();
  const roster = createRoster(store);
  for (let call = 0; call < 100; call += 1) expect((await roster.current()).byId.get('one')).toBeDefined();
  expect((await roster.current()).byTokenHash.get('hash-of-one')?.id).toBe('one');
  expect(store.reads).toBe(1);
  store.stored.push(memberRow('two'));
  store.revision = 2;
  expect((await roster.current()).byId.get('two')).toBeDefined();
  expect(store.reads).toBe(2);
});

it('a read that began before a change does not serve later calls', async () => {
  const store = countingStore();
  const gate = Promise.withResolvers<void>();
  store.gate = gate.promise;
  const roster = createRoster(store);
  const early = roster.current();
  while (store.reads === 0) await Promise.resolve();
  store.stored = [];
  store.revision = 2;
  const late = roster.current();
  gate.resolve();
  expect((await early).all).toHaveLength(1);
  expect((await late).all).toHaveLength(0);
  expect((await roster.current()).all).toHaveLength(0);
});

it('concurrent calls share one read, even while the revision is unknown', async () => {
  const store = countingStore();
  store.revision = undefined;
  const roster = createRoster(store);
  await Promise.all(Array.from({ length: 64 }, () => roster.current()));
  expect(store.reads).toBe(1);
  store.stored = [];
  expect((await roster.current()).all).toHaveLength(0);
});

it('a failed read fails for the calls that waited for it, not for later ones', async () => {
  const store = countingStore();
  store.gate = Promise.reject(new Error('gone'));
  const roster = createRoster(store);
  await expect(roster.current()).rejects.toThrow('gone');
  store.gate = Promise.resolve();
  expect((await roster.current()).all).toHaveLength(1);
});

it('an unknown member is looked up in the database', async () => {
  const store = countingStore();
  const roster = createRoster(store);
  await roster.current();
  store.stored.push(memberRow('from-elsewhere'));
  expect(await roster.find('from-elsewhere')).toMatchObject({ id: 'from-elsewhere' });
  expect(await roster.find('nobody')).toBeUndefined();
  store.stored.push(memberRow('with-token', { tokenHash: 'new-hash' }));
  expect(await roster.findByTokenHash('new-hash')).toMatchObject({ id: 'with-token' });
  expect(await roster.findByTokenHash('no-hash')).toBeUndefined();
});
