import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { killDuringSaves } from '../../bench/proofs/store-proofs.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-kill-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('a process killed while saving loses no acknowledged data', async () => {
  const result = await killDuringSaves({ path: join(folder, 'zoo.db'), rounds: 5 });
  expect(result.acknowledged).toBeGreaterThanOrEqual(5);
  expect(result).toEqual({ acknowledged: result.acknowledged, stored: result.acknowledged, integrity: 'ok' });
});
