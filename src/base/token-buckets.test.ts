import { expect, it } from 'vitest';
import { TokenBuckets } from './token-buckets.ts';

it('a bucket allows a burst, then its rate, and says how long to wait', () => {
  let now = 0;
  const buckets = new TokenBuckets({ perSecond: 2, burst: 3 }, { now: () => now });
  expect([1, 2, 3, 4].map(() => buckets.take('a'))).toEqual([0, 0, 0, 500]);
  expect([buckets.waitFor('a'), buckets.waitFor('b')]).toEqual([500, 0]);
  expect(buckets.take('b')).toBe(0);
  now = 500;
  expect([buckets.take('a'), buckets.take('a')]).toEqual([0, 500]);
  now = 60_000;
  expect([1, 2, 3, 4].map(() => buckets.take('a'))).toEqual([0, 0, 0, 500]);
  // A clock that was set back takes nothing away.
  now = 0;
  expect(buckets.waitFor('a')).toBe(500);
});

it('a rate of 0 turns the limit off, and keeps nothing', () => {
  const buckets = new TokenBuckets({ perSecond: 0, burst: 0 }, { now: () => 0 });
  expect([buckets.take('a'), buckets.waitFor('a'), buckets.size]).toEqual([0, 0, 0]);
});

it('the number of buckets is bounded', () => {
  const buckets = new TokenBuckets({ perSecond: 1, burst: 1 }, { now: () => 0 });
  for (let index = 0; index < 10_050; index += 1) buckets.take(String(index));
  expect(buckets.size).toBe(10_000);
  expect([buckets.take('0'), buckets.take('10049')]).toEqual([0, 1_000]);
});
