import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toEighteenthVersion } from '../../../test/support/databases/old-conversations.ts';
import { openAndKill } from '../../../test/support/databases/open-and-kill.ts';
import { databaseKinds } from '../../../test/support/databases/test-database.ts';
import { decision } from '../../../test/support/databases/test-decision.ts';
import { openTestStores, type TestStores, testClock } from '../../../test/support/databases/test-store.ts';
import { silentLogger } from '../../base/logger.ts';
import { openDatabase, openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/store.ts';

describe.each(databaseKinds)('a decision log of an earlier version in %s', (kind) => {
  let stores: TestStores;
  let home: string;
  beforeEach(async () => {
    stores = await openTestStores(kind);
    home = await mkdtemp(join(tmpdir(), 'zoo-log-proofs-'));
  });
  afterEach(async () => {
    await stores.remove();
    await rm(home, { recursive: true, force: true });
  });

  const open = (): Promise<Store> =>
    openStore({ db: stores.db, clock: testClock(Date.now()), logger: silentLogger, dataDir: home });

  async function change(run: Parameters<Awaited<ReturnType<typeof openDatabase>>['write']>[0]): Promise<void> {
    const database = await openDatabase(stores.db, silentLogger);
    await database.write(run);
    await database.close();
  }

  it('survives the upgrade, even if it is killed midway, still verifies, and is protected from then on', async () => {
    const { decisions } = stores.store;
    for (let index = 0; index < 40; index += 1)
      await decisions.append(decision(`call_${index}`, { at: 1_000 + index }));
    // Retention of that version left no proof.
    expect(await decisions.prune(1_010)).toBe(10);
    const before = (await decisions.page({ limit: 100 })).entries;
    await Promise.all([stores.store.close(), stores.other.close()]);
    await change(({ db }) => toEighteenthVersion(db));
    expect(await openAndKill(stores.db)).toBeGreaterThan(0);

    const store = await open();
    expect((await store.decisions.page({ limit: 100 })).entries).toEqual(before);
    expect(await store.decisions.verify()).toMatchObject({ rows: 30, chains: 1, problems: [] });
    await store.decisions.append(decision('new', { at: Date.now() }));
    await store.close();
    const again = await open();
    expect(await again.decisions.verify()).toMatchObject({ rows: 31, chains: 2, problems: [] });
    await change(({ db }) =>
      sql`update decision_groups set entries = replace(entries, 'call_20', 'call_xx')`.execute(db),
    );
    expect((await again.decisions.verify()).problems).toHaveLength(1);
    await again.close();
    stores = await openTestStores(kind);
  });

  it('written with a key verifies after its process was killed, again and again', async () => {
    const script = fileURLToPath(new URL('../../../test/support/databases/log-writer.ts', import.meta.url));
    let written = 0;
    for (let round = 0; round < 3; round += 1) {
      const child = spawn(process.execPath, [script, JSON.stringify(stores.db), `round${round}`, home], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const exited = once(child, 'exit');
      let lines = 0;
      for await (const chunk of child.stdout) {
        lines += String(chunk).split('\n').length - 1;
        if (lines > 300 * (round + 1)) child.kill('SIGKILL');
      }
      await exited;
      written += lines;
      const store = await open();
      const { problems, rows, proven } = await store.decisions.verify();
      expect(problems).toEqual([]);
      expect(rows).toBeGreaterThanOrEqual(written);
      expect(proven[0]).toContain('chained with a key');
      await store.close();
    }
  });
});
