import { expect, it } from 'vitest';
import { costWords, runMs, shortCount } from './run-words.ts';

it.each([
  [null, '–'],
  [0, '$0'],
  [0.00042, '$0.0004'],
  [0.123, '$0.12'],
  [12, '$12.00'],
])('a cost of %s is said as %s', (cost, words) => {
  expect(costWords(cost)).toBe(words);
});

it.each([
  [999, '999'],
  [12_345, '12.3k'],
  [2_000_000, '2.0M'],
])('%i is written as %s', (count, words) => {
  expect(shortCount(count)).toBe(words);
});

it('an interrupted run lasted until its last sign of life, one under way until now', () => {
  const run = { startedAt: 1_000, heartbeatAt: 3_000, finishedAt: null };
  expect(runMs({ ...run, status: 'interrupted' }, 90_000)).toBe(2_000);
  expect(runMs({ ...run, status: 'running' }, 90_000)).toBe(89_000);
  expect(runMs({ ...run, status: 'completed', finishedAt: 2_500 }, 90_000)).toBe(1_500);
});
