import { expect, it } from 'vitest';
import { durationName } from './duration-name.ts';

it.each([
  [0, '0 ms'],
  [12.4, '12 ms'],
  [999.6, '1.0 s'],
  [3_400, '3.4 s'],
  [59_940, '59.9 s'],
  [59_960, '1 min 0 s'],
  [125_000, '2 min 5 s'],
  [479_600, '8 min 0 s'],
  [3_599_600, '1 h 0 min'],
  [12_000_000, '3 h 20 min'],
  [14_399_000, '4 h 0 min'],
  [97_200_000, '27 h 0 min'],
])('names %d ms as %s', (ms, name) => {
  expect(durationName(ms)).toBe(name);
});
