import { expect, it } from 'vitest';
import { shortDuration } from './time-in-state.tsx';

it.each([
  [0, '<1 min'],
  [59_999, '<1 min'],
  [60_000, '1 min'],
  [3_599_999, '59 min'],
  [7_200_000, '2 h'],
  [86_400_000 * 40, '40 d'],
])('%d milliseconds are "%s"', (ms, said) => {
  expect(shortDuration(ms)).toBe(said);
});
