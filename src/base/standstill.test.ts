import { expect, it } from 'vitest';
import { Standstill } from './standstill.ts';

it('detects only a value that stays the same for the whole limit', () => {
  let now = 0;
  const leases = new Standstill(() => now);
  const lookAt = (time: number, key: string, value: number) => {
    now = time;
    return leases.isStill(key, value, 10_000);
  };
  expect([0, 3_000, 6_000, 9_999, 10_000].map((time) => lookAt(time, 'same', 1))).toEqual([
    ...[false, false, false, false],
    true,
  ]);
  expect([10_000, 14_000, 18_000, 22_000, 26_000].map((time) => lookAt(time, 'changes', time >> 13))).not.toContain(
    true,
  );
});

it('needs three calls, no matter how long ago the first one was', () => {
  let now = 0;
  const leases = new Standstill(() => now);
  expect(leases.isStill('slept', 1, 10_000)).toBe(false);
  now += 3_600_000;
  expect(leases.isStill('slept', 1, 10_000)).toBe(false);
  now += 3_600_000;
  expect(leases.isStill('slept', 1, 10_000)).toBe(true);
});
