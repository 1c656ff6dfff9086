import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { decision } from '../../../test/support/databases/test-decision.ts';
import { openTestStores, type TestStores } from '../../../test/support/databases/test-store.ts';

let stores: TestStores;
let holder: DatabaseSync;
/** Added to the real elapsed time. */
let jumpMs = 0;

beforeEach(async () => {
  stores = await openTestStores('sqlite');
  const { db } = stores;
  holder = new DatabaseSync('path' in db ? db.path : '');
  const now = performance.now.bind(performance);
  jumpMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + jumpMs);
});
afterEach(async () => {
  holder.close();
  vi.restoreAllMocks();
  await stores.remove();
});

it('writes that queue for a lock all give up 15 seconds after their arrival', async () => {
  holder.exec('begin immediate');
  const { team } = stores.store;
  const writes = Array.from({ length: 5 }, () => team.write(async (rows) => void (await rows.members())));
  jumpMs = 15_100;
  const outcomes = await Promise.allSettled(writes);
  expect(outcomes.map(codeOf)).toEqual(Array(5).fill('TRANSIENT_ERROR'));
});

it('a log entry that queues behind a waiting one gives up 15 seconds after its arrival', async () => {
  const { decisions } = stores.store;
  await decisions.append(decision('call'));
  holder.exec('begin immediate');
  const begun = performance.now();
  const first = decisions.append(decision('call'));
  await new Promise((resolve) => setTimeout(resolve, 20));
  const second = decisions.append(decision('call'));
  jumpMs = 15_100;
  const outcomes = await Promise.allSettled([first, second]);
  expect(outcomes.map(codeOf)).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
  expect(performance.now() - begun).toBeLessThan(25_000);
});

function codeOf(outcome: PromiseSettledResult<unknown>): string | undefined {
  return outcome.status === 'rejected' ? outcome.reason.code : undefined;
}
