import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databaseKinds } from '../../test/support/databases/test-database.ts';
import { decision } from '../../test/support/databases/test-decision.ts';
import { openTestStores, type TestStores } from '../../test/support/databases/test-store.ts';
import { watchFor } from '../../test/support/time/watch-for.ts';
import { newHolder } from '../base/holder.ts';
import { silentLogger } from '../base/logger.ts';
import { openDatabase, openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import type { StoredDecision } from '../tools/decision-log.ts';

describe.each(databaseKinds)('calls that their writer left unfinished in %s', (kind) => {
  let stores: TestStores;
  beforeEach(async () => {
    stores = await openTestStores(kind);
  });
  afterEach(() => stores.remove());

  const open = () => openStore({ db: stores.db, clock: stores.clock, logger: silentLogger });
  const ids = async (store: Store) => (await store.decisions.unfinished()).map((entry) => entry.callId);
  const at = () => stores.clock.time;

  async function change(statement: string): Promise<void> {
    const database = await openDatabase(stores.db, silentLogger);
    await database.write(({ db }) => sql.raw(statement).execute(db));
    await database.close();
  }

  it('are reported after it has closed, until each has an outcome; then the chain is not read again', async () => {
    const ended = await open();
    await ended.decisions.append(decision('done', { at: at() }));
    await ended.decisions.append(decision('open_1', { at: at() }));
    await ended.decisions.append(decision('done', { at: at(), kind: 'result' }));
    await ended.decisions.append(decision('open_2', { at: at(), agentId: 'member' }));
    await ended.decisions.append(decision('refused', { at: at(), kind: 'error' }));
    await ended.decisions.append(decision('said', { at: at(), kind: 'manual' }));
    expect(await ids(stores.store)).toEqual([]);
    await ended.close();
    expect(await ids(stores.store)).toEqual(['open_1', 'open_2']);
    stores.clock.time += 5_000_000;
    await stores.store.decisions.append(decision('open_1', { at: at(), kind: 'error' }));
    expect(await ids(stores.other)).toEqual(['open_2']);
    await stores.store.decisions.append(decision('open_2', { at: at(), kind: 'error' }));
    expect(await ids(stores.store)).toEqual([]);
    // The chain is read once: later changes to the rows are not noticed.
    await change('delete from decision_groups where seq = (select max(seq) from decision_groups)');
    expect(await ids(stores.store)).toEqual([]);
  });

  it('are not reported while it may still finish them', async () => {
    await stores.other.decisions.append(decision('running', { at: at() }));
    expect(await ids(stores.store)).toEqual([]);
    expect(await ids(stores.other)).toEqual([]);
    stores.clock.time += 119_000;
    expect(await ids(stores.store)).toEqual([]);
  });

  it("are reported when its process's lease has ended, but never to the writer itself", async () => {
    await stores.other.decisions.append(decision('running', { at: at() }));
    const told: string[] = [];
    await watchFor(20, async () => told.push(...(await ids(stores.store))));
    expect(told).toEqual(['running']);
    await watchFor(20, async () => expect(await ids(stores.other)).toEqual([]));
  });

  it('are not reported, however far the clock jumped', async () => {
    await stores.other.decisions.append(decision('running', { at: at() }));
    stores.clock.time += 8 * 3_600_000;
    expect(await ids(stores.store)).toEqual([]);
    stores.clock.time -= 9 * 3_600_000;
    expect(await ids(stores.store)).toEqual([]);
  });

  it('are reported when its process on this machine has ended', async () => {
    await stores.other.decisions.append(decision('running', { at: at() }));
    const gone = spawn(process.execPath, ['-e', '']);
    await once(gone, 'exit');
    const holder = newHolder().replace(/^process \d+/, `process ${gone.pid}`);
    await change(`update decision_chains set holder = '${holder}'`);
    expect(await ids(stores.store)).toEqual(['running']);
  });

  it('are not reported if their outcome is in the chain that the writer began after a failure', async () => {
    const writer = await open();
    await writer.decisions.append(decision('moved', { at: at() }));
    await writer.decisions.append(decision('lost', { at: at() }));
    await change('alter table decision_groups rename to away');
    await expect(writer.decisions.append(decision('x', { at: at() }))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await change('alter table away rename to decision_groups');
    stores.clock.time += 90_000;
    await writer.decisions.append(decision('moved', { at: at(), kind: 'result' }));
    await writer.close();
    expect(await ids(stores.store)).toEqual(['lost']);
  });

  it('after kill -9, every acknowledged row exists, the chains are valid, and the unfinished calls are known', async () => {
    const script = fileURLToPath(new URL('../../test/support/databases/log-writer.ts', import.meta.url));
    for (const name of ['first', 'second']) {
      const writer = spawn(process.execPath, [script, JSON.stringify(stores.db), name], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const exited = once(writer, 'exit');
      let said = '';
      for await (const chunk of writer.stdout) {
        said += chunk;
        if (said.split('\n').length > 200) writer.kill('SIGKILL');
      }
      await exited;
      const acknowledged = said.split('\n').slice(0, -1);
      const { rows, problems } = await stores.store.decisions.verify();
      expect(problems).toEqual([]);
      expect(rows).toBeGreaterThanOrEqual(acknowledged.length);
      const entries = await allEntries(stores.store);
      const known = new Set(entries.map((entry) => `${entry.kind} ${entry.callId}`));
      expect(acknowledged.filter((row) => !known.has(row))).toEqual([]);
      const ended = new Set(entries.filter((entry) => entry.kind !== 'invocation').map((entry) => entry.callId));
      const left = entries.filter((entry) => entry.callId.startsWith(name) && !ended.has(entry.callId));
      const told = (await ids(stores.store)).filter((callId) => callId.startsWith(name));
      expect(told.toSorted()).toEqual(left.map((entry) => entry.callId).toSorted());
    }
  });
});

async function allEntries(store: Store): Promise<StoredDecision[]> {
  const entries: StoredDecision[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await store.decisions.page({ limit: 500, cursor });
    entries.push(...page.entries);
    if (page.cursor === null) return entries;
    cursor = page.cursor;
  }
}
