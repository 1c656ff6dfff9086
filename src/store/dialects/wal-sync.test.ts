import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WalSync } from './wal-sync.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zoo-wal-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('everybody who asks while a sync runs shares the next one, never the running one', async () => {
  writeFileSync(join(folder, 'x.db-wal'), 'frames');
  const wal = new WalSync(join(folder, 'x.db'));
  const first = wal.sync();
  const second = wal.sync();
  const third = wal.sync();
  expect(second).not.toBe(first);
  expect(third).toBe(second);
  const order: string[] = [];
  await Promise.all([first.then(() => order.push('first')), second.then(() => order.push('second'))]);
  expect(order).toEqual(['first', 'second']);
  await wal.close();
});

it('says when the file is not there, and works once it is', async () => {
  const wal = new WalSync(join(folder, 'late.db'));
  await expect(wal.sync()).rejects.toThrow(/ENOENT/);
  writeFileSync(join(folder, 'late.db-wal'), 'frames');
  await expect(wal.sync()).resolves.toBeUndefined();
  await wal.close();
});
