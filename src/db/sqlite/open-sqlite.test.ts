import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { testClock } from '../../../test/support/databases/test-store.ts';
import { silentLogger } from '../../base/logger.ts';
import { openStore } from '../../store/open-store.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-private-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('a database and the files beside it are for this user only, also one that was not', async () => {
  const home = join(folder, 'home');
  const path = join(home, 'zoo.sqlite');
  const open = () => openStore({ db: { path }, clock: testClock(), logger: silentLogger });
  const modes = async () => {
    const names = await readdir(home);
    expect(names).toEqual(expect.arrayContaining(['zoo.sqlite', 'zoo.sqlite-wal']));
    const found = await Promise.all([home, ...names.map((name) => join(home, name))].map((each) => stat(each)));
    return new Set(found.map(({ mode }) => mode & 0o077));
  };
  const store = await open();
  expect(await modes()).toEqual(new Set([0]));
  await store.close();
  await chmod(path, 0o644);
  const again = await open();
  expect(await modes()).toEqual(new Set([0]));
  await again.close();
});
