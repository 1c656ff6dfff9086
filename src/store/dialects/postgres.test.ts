import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openTestStores, type TestStores, testAgent } from '../../../test/support/test-store.ts';
import { parsePostgresUrl } from './postgres-address.ts';

let stores: TestStores;
let admin: pg.Client;
beforeAll(async () => {
  stores = await openTestStores('postgres');
  admin = new pg.Client({ connectionString: 'url' in stores.db ? stores.db.url : '' });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await stores.remove();
});

it('a server that drops every connection is found again, and so are changes made meanwhile', async () => {
  const { store, other } = stores;
  await store.agents.create(testAgent('before'));
  await other.agents.source.snapshot();
  let reports = 0;
  const stop = other.agents.source.watch?.(() => {
    reports += 1;
  });
  await admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await vi.waitFor(() => store.agents.create(testAgent('after')), { timeout: 20_000 });
  // Heard through the listener or read because the listener is away: the next snapshot has it either way.
  await vi.waitFor(async () => {
    const { entries } = await other.agents.source.snapshot();
    expect(entries.map((entry) => entry.agent.id)).toEqual(['after', 'before']);
  });
  await vi.waitFor(() => expect(reports).toBeGreaterThan(0), { timeout: 20_000 });
  const seen = reports;
  await store.agents.create(testAgent('later'));
  await vi.waitFor(() => expect(reports).toBeGreaterThan(seen), { timeout: 20_000 });
  stop?.();
});

it('two transactions that wait for each other both end well', async () => {
  const { store, other } = stores;
  await store.agents.create(testAgent('crossed'));
  const entry = await store.brain.create('crossed', { type: 'note', content: 'x' });
  await store.agents.delete('crossed', 1);
  // A row lock from outside makes the deletion of the brain wait while it holds the counters.
  await admin.query('begin');
  await admin.query('select * from brain_entries where id = $1 for update', [entry.id]);
  const create = other.agents.create(testAgent('crossed', { name: 'Again' }));
  await vi.waitFor(async () => {
    const { rows } = await admin.query('select 1 from pg_locks where not granted');
    expect(rows).not.toEqual([]);
  });
  const conflict = admin
    .query("update revisions set value = value where key = 'agents'")
    .catch((error: unknown) => error);
  const [stored] = await Promise.all([create, conflict.then(() => admin.query('rollback'))]);
  expect(stored.agent.name).toBe('Again');
  expect(await store.brain.query('crossed', {})).toEqual([]);
});

it.each([
  ['postgres://me:secret@db.example:6543/zoo', 'db.example:6543/zoo'],
  ['postgresql://me:secret@db.example/zoo?sslmode=disable', 'db.example/zoo'],
  ['postgres://me:secret@[::1]:5432/zoo', '[::1]:5432/zoo'],
])('of %s only host and database are shown', (url, place) => {
  expect(parsePostgresUrl(url).place).toBe(place);
});
