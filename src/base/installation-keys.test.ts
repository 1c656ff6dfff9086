import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { installationKeys, type KeyPurpose } from './installation-keys.ts';

const secret = 'a secret of the whole team';
const purposes: KeyPurpose[] = ['vault', 'owner', 'log', 'sessions', 'marks'];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-keys-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

function keysOf(place: Parameters<typeof installationKeys>[0]): Promise<string[]> {
  const keys = installationKeys(place);
  return Promise.all(purposes.map(async (purpose) => (await keys.key(purpose)).toString('hex')));
}

it('machines with the same AGENT_ZOO_SECRET have the same keys, one for each purpose, and need no files', async () => {
  const here = await keysOf({ secret, dataDir: join(folder, 'here') });
  const there = await keysOf({ secret: `${secret}\n`, dataDir: join(folder, 'there') });
  expect(there).toEqual(here);
  expect(new Set(here).size).toBe(purposes.length);
  expect(await readdir(folder)).toEqual([]);
  expect(await keysOf({ secret: 'another secret of the team', dataDir: folder })).not.toEqual(here);
});

it('without a secret, each key is a private file of its home, and stays the same', async () => {
  const here = await keysOf({ dataDir: folder });
  expect(await keysOf({ dataDir: folder })).toEqual(here);
  expect(await keysOf({ dataDir: join(folder, 'other') })).not.toEqual(here);
  const files = ['secret.key', 'owner.key', 'decision-log/key', 'sessions.key', 'marks.key'];
  const modes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).mode & 0o777));
  expect(modes).toEqual(files.map(() => 0o600));
});

it('after AGENT_ZOO_SECRET is set, the file of a key can still be read', async () => {
  const before = await installationKeys({ dataDir: folder }).key('log');
  const keys = installationKeys({ secret, dataDir: folder });
  expect(await keys.key('log')).not.toEqual(before);
  expect(await keys.fromFile('log')).toEqual(before);
});

it('a short secret and a missing folder are refused with what would work', async () => {
  await expect(installationKeys({ secret: 'short' }).key('owner')).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: 'AGENT_ZOO_SECRET is too short: it has 5 characters and needs at least 16.',
  });
  await expect(installationKeys({}).key('owner')).rejects.toThrow('Set AGENT_ZOO_SECRET.');
});
