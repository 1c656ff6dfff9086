import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fillLog } from '../../test/support/databases/fill-log.ts';
import { decision } from '../../test/support/databases/test-decision.ts';
import { testClock } from '../../test/support/databases/test-store.ts';
import { silentLogger } from '../base/logger.ts';
import { openDatabase, openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { readBounds } from './decision-groups.store.ts';
import { indexDecisions } from './index-decisions.store.ts';

const clock = testClock();
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-power-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (path: string): Promise<Store> => openStore({ db: { path }, clock, logger: silentLogger });

it('after a power loss at any point, acknowledged entries exist, the chains are valid, and their ends are known', async () => {
  const path = join(folder, 'zoo.db');
  const store = await open(path);
  const written = async () => (await stat(`${path}-wal`)).size;
  await store.decisions.append(decision('first'));
  const start = await written();
  /** The length of the file at which this many entries are acknowledged. */
  const acknowledged = [{ size: start, entries: 1 }];
  for (let round = 0; round < 6; round += 1) {
    for (let index = 0; index < 3; index += 1) {
      await store.decisions.append(decision(`call_${round}_${index}`));
      acknowledged.push({ size: await written(), entries: acknowledged.length + 1 });
    }
    // Writes the keys and the ends of the chains between two entries.
    await store.decisions.tools();
  }
  const wal = await readFile(`${path}-wal`);
  const frame = 24 + 4_096;
  const cuts = Array.from(
    { length: Math.floor((wal.length - start) / frame) + 1 },
    (_, index) => start + index * frame,
  );
  expect(cuts.length).toBeGreaterThan(30);
  for (const [index, cut] of cuts.entries()) {
    const copy = join(folder, `cut-${index}.db`);
    await copyFile(path, copy);
    // A half-written page does not count.
    await writeFile(`${copy}-wal`, wal.subarray(0, Math.min(wal.length, cut + (index % 2) * 100)));
    const found = await open(copy);
    const expected = acknowledged.filter(({ size }) => size <= cut).at(-1)?.entries ?? 0;
    const { rows, problems } = await found.decisions.verify();
    expect({ cut, problems, isWhole: rows >= expected }).toEqual({ cut, problems: [], isWhole: true });
    const end = await endOfChain(copy);
    expect(end).toEqual({ lastNo: rows, isNoted: true });
    await found.close();
  }
  await store.close();
});

async function endOfChain(path: string) {
  const database = await openDatabase({ path }, silentLogger);
  const chains = await database.read((db) => db.selectFrom('decision_chains').selectAll().execute());
  const { mark, newest } = await database.read(readBounds);
  await database.close();
  return { lastNo: chains[0]?.last_no, isNoted: mark === newest };
}

it('keys are written in small portions and are on disk when the job is done', async () => {
  const path = join(folder, 'zoo.db');
  const database = await openDatabase({ path }, silentLogger);
  await fillLog(database, { entries: 3_000 });
  const steps: string[] = [];
  const watched: typeof database = Object.create(database, {
    write: {
      value: (run: Parameters<typeof database.write>[0], options?: { isDurable?: boolean }) => {
        steps.push(options?.isDurable === false ? 'portion' : 'durable');
        return database.write(run, options);
      },
    },
    read: { value: database.read.bind(database) },
    sync: {
      value: async () => {
        await database.sync?.();
        steps.push('synced');
      },
    },
  });
  const writer = { chain: undefined, openSince: null, indexes: new Map() };
  await indexDecisions(watched, { writer });
  expect(steps).toEqual(['portion', 'portion', 'portion', 'synced']);
  steps.length = 0;
  await indexDecisions(watched, { writer });
  expect(steps).toEqual([]);
  await database.close();
});
