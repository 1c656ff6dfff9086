import { expect, it } from 'vitest';
import { costWords, shortCount } from './usage-words.ts';

it.each([
  [null, '–'],
  [0, '$0'],
  [0.00001, '<$0.0001'],
  [0.00042, '$0.0004'],
  [0.05, '$0.05'],
  [0.123, '$0.12'],
  [12, '$12.00'],
  [12_345.6, '$12,345.60'],
])('a cost of %s is shown as %s', (cost, words) => {
  expect(costWords(cost)).toBe(words);
});

it.each([
  [999, '999'],
  [12_345, '12.3k'],
  [2_000_000, '2.0M'],
])('%i is written as %s', (count, words) => {
  expect(shortCount(count)).toBe(words);
});
