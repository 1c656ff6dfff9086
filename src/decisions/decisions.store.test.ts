import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseKinds, newTestDatabase } from '../../test/support/databases/test-database.ts';
import { decision } from '../../test/support/databases/test-decision.ts';
import { openTestStores, type TestStores, testAgent, testClock } from '../../test/support/databases/test-store.ts';
import { silentLogger } from '../base/logger.ts';
import { openDatabase, openStore } from '../store/open-store.ts';
import { createRedact } from '../tools/redact/redact.ts';

describe.each(databaseKinds)('the decision log in %s', (kind) => {
  let stores: TestStores;
  beforeAll(async () => {
    stores = await openTestStores(kind);
  });
  afterAll(() => stores.remove());

  it('every process sees a row when append resolves', async () => {
    const entry = decision('call_1', { agentId: 'a', context: '{"text":"\\u0000 \\"quoted\\", {braces}, 😀"}' });
    await stores.store.decisions.append(entry);
    expect((await stores.other.decisions.page({ limit: 1 })).entries).toMatchObject([entry]);
  });

  it('rows keep their order, newest first, and can be filtered by tool', async () => {
    const { store } = stores;
    const entries = Array.from({ length: 250 }, (_, index) =>
      decision(`call_${index}`, { tool: index % 2 === 0 ? 'even' : 'odd', agentId: null }),
    );
    await Promise.all(entries.map((entry) => store.decisions.append(entry)));
    expect((await store.decisions.page({ limit: 250 })).entries).toMatchObject(entries.toReversed());
    expect((await store.decisions.page()).entries).toHaveLength(50);
    const { entries: odd } = await store.decisions.page({ tool: 'odd', limit: 2 });
    expect(odd.map((entry) => entry.callId)).toEqual(['call_249', 'call_247']);
  });

  it('a NUL in a name from outside does not affect other rows', async () => {
    const { store } = stores;
    await Promise.all([
      store.decisions.append(decision('call_good')),
      store.decisions.append(decision('call_nul', { tool: 'a\0b', decision: 'Invoked tool: a\0b' })),
    ]);
    const [nul, good] = (await store.decisions.page({ limit: 2 })).entries;
    expect(good?.callId).toBe('call_good');
    expect(nul).toMatchObject({ tool: 'a\ufffdb', decision: 'Invoked tool: a\ufffdb' });
  });

  it('concurrent appends and saves are all stored', async () => {
    const { store, other } = stores;
    await store.agents.create(testAgent('mixed'));
    const work = Array.from({ length: 40 }, (_, index) => [
      store.decisions.append(decision(`call_mixed_${index}`, { tool: 'mixed' })),
      (index % 2 === 0 ? store : other).agents.update(testAgent('mixed', { name: `Save ${index}` }), null),
      other.decisions.append(decision(`call_other_${index}`, { tool: 'mixed' })),
    ]);
    await Promise.all(work.flat());
    expect((await store.agents.get('mixed'))?.revision).toBe(41);
    expect((await store.decisions.page({ tool: 'mixed', limit: 500 })).entries).toHaveLength(80);
  });

  it('a row that cannot be written fails with UNAVAILABLE, and the log recovers', async () => {
    const { store, db } = stores;
    const database = await openDatabase(db, silentLogger);
    await database.write((write) => write.db.schema.alterTable('decision_groups').renameTo('away').execute());
    const refused = [store.decisions.append(decision('call_a')), store.decisions.append(decision('call_b'))];
    for (const append of refused) await expect(append).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await database.write((write) => sql`alter table away rename to decision_groups`.execute(write.db));
    await database.close();
    await store.decisions.append(decision('call_recovered'));
    expect((await store.decisions.page({ limit: 1 })).entries[0]?.callId).toBe('call_recovered');
  });

  it('no row contains a secret in any of its texts, and the chain is valid', async () => {
    const own = await newTestDatabase(kind);
    const values = Array.from({ length: 20 }, (_, index) => `planted "${index}" \\ value`);
    const redact = createRedact({ values });
    const store = await openStore({ db: own.db, clock: testClock(), logger: silentLogger, redact });
    for (const value of values) {
      const error = { message: `refused ${value}`, stack: `Error: ${value}\n    at x`, deep: [{ [value]: [value] }] };
      const texts = { kind: 'result' as const, tool: value, decision: `Invoked tool: ${value}`, reasoning: value };
      await store.decisions.append(decision('call', { ...texts, context: JSON.stringify({ input: value }) }));
      await store.decisions.append(decision('call', { kind: 'error', context: JSON.stringify(error) }));
    }
    const { entries } = await store.decisions.page({ limit: 100 });
    expect(entries).toHaveLength(40);
    expect(JSON.stringify(entries)).not.toContain('planted');
    expect(await store.decisions.tools()).toEqual(['[removed]', 'agent_zoo_inject']);
    for (const entry of entries) expect(() => JSON.parse(entry.context)).not.toThrow();
    expect((await store.decisions.verify()).problems).toEqual([]);
    await store.close();
    await own.remove();
  });

  it('closing waits for pending rows and rejects later ones', async () => {
    const own = await openTestStores(kind);
    const pending = own.store.decisions.append(decision('call_last'));
    await own.store.close();
    await pending;
    expect((await own.other.decisions.page({ limit: 1 })).entries[0]?.callId).toBe('call_last');
    await expect(own.store.decisions.append(decision('call_late'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(own.store.agents.create(testAgent('late'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await own.remove();
  });
});
