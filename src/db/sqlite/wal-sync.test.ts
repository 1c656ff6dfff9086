import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WalSync } from './wal-sync.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zoo-wal-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('runs a few syncs at once; later callers share the next sync, which begins after their call', async () => {
  writeFileSync(join(folder, 'x.db-wal'), 'frames');
  const wal = new WalSync(join(folder, 'x.db'));
  const running = [wal.sync(), wal.sync(), wal.sync()];
  const next = wal.sync();
  expect(new Set([...running, next]).size).toBe(4);
  expect(wal.sync()).toBe(next);
  await Promise.all([...running, next]);
  expect(wal.sync()).not.toBe(next);
  await wal.close();
});

it('reports a missing file, and works once the file exists', async () => {
  const wal = new WalSync(join(folder, 'late.db'));
  await expect(wal.sync()).rejects.toThrow(/ENOENT/);
  writeFileSync(join(folder, 'late.db-wal'), 'frames');
  await expect(wal.sync()).resolves.toBeUndefined();
  await wal.close();
});

it('a disk that keeps failing leaks no file handles', async () => {
  // Opens like a file, but cannot be synced.
  symlinkSync('/dev/null', join(folder, 'x.db-wal'));
  const wal = new WalSync(join(folder, 'x.db'));
  await expect(wal.sync()).rejects.toThrow(/EINVAL/);
  const before = readdirSync('/dev/fd').length;
  for (let index = 0; index < 20; index += 1) await expect(wal.sync()).rejects.toThrow(/EINVAL/);
  expect(readdirSync('/dev/fd').length).toBeLessThan(before + 5);
  await wal.close();
});
