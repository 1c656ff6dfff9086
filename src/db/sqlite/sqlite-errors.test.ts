import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { retryWhileBusy } from './sqlite-errors.ts';

let folder: string;
let holder: DatabaseSync;
let waiter: DatabaseSync;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-busy-'));
  holder = new DatabaseSync(join(folder, 'zoo.db'));
  waiter = new DatabaseSync(join(folder, 'zoo.db'));
  holder.exec('begin immediate');
});
afterEach(async () => {
  holder.close();
  waiter.close();
  await rm(folder, { recursive: true, force: true });
});

it('retries a busy database until it is free', async () => {
  let attempts = 0;
  await retryWhileBusy('the file', () => {
    attempts += 1;
    if (attempts === 4) holder.exec('commit');
    waiter.exec('begin immediate');
  });
  expect(attempts).toBe(4);
  expect(waiter.isTransaction).toBe(true);
});

it('a database that stays busy is a temporary error that names the location', async () => {
  const attempt = retryWhileBusy('the file', () => waiter.exec('begin immediate'), { deadlineMs: 10 });
  await expect(attempt).rejects.toMatchObject({
    code: 'TRANSIENT_ERROR',
    message: expect.stringContaining('the file'),
  });
});

it('other failures are not retried', async () => {
  let attempts = 0;
  const attempt = retryWhileBusy('the file', () => {
    attempts += 1;
    waiter.exec('select * from nowhere');
  });
  await expect(attempt).rejects.toThrow('nowhere');
  expect(attempts).toBe(1);
});

it("the deadline counts from the caller's arrival, even if it waited behind others", async () => {
  let attempts = 0;
  const attempt = retryWhileBusy(
    'the file',
    () => {
      attempts += 1;
      waiter.exec('begin immediate');
    },
    { since: performance.now() - 20_000 },
  );
  await expect(attempt).rejects.toMatchObject({ code: 'TRANSIENT_ERROR' });
  expect(attempts).toBe(1);
});
