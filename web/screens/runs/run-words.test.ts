import { expect, it } from 'vitest';
import { runMs } from './run-words.ts';

it('an interrupted run lasts until its last heartbeat, a running one until now', () => {
  const run = { startedAt: 1_000, heartbeatAt: 3_000, finishedAt: null };
  expect(runMs({ ...run, status: 'interrupted' }, 90_000)).toBe(2_000);
  expect(runMs({ ...run, status: 'running' }, 90_000)).toBe(89_000);
  expect(runMs({ ...run, status: 'completed', finishedAt: 2_500 }, 90_000)).toBe(1_500);
});
