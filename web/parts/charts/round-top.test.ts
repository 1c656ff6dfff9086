import { expect, it } from 'vitest';
import { roundTop } from './round-top.ts';

it.each([
  [0, 1],
  [Number.NaN, 1],
  [1.28, 1.5],
  [1.5, 1.5],
  [17.34, 20],
  [0.0036, 0.004],
  [9_100, 10_000],
])('an axis for values up to %d ends at %d', (max, top) => {
  expect(roundTop(max)).toBeCloseTo(top, 12);
});
