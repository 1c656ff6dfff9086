import { expect, it } from 'vitest';
import { centWords, costWords, priceWords, shortCount } from './usage-words.ts';

it.each([
  [null, '–'],
  [0, '$0.00'],
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
  [null, '–'],
  [0, '$0.00'],
  [0.0036, '<$0.01'],
  [0.01, '$0.01'],
  [8.324, '$8.32'],
])('in a column, a cost of %s is shown as %s', (cost, words) => {
  expect(centWords(cost)).toBe(words);
});

it.each([
  [0, '$0.00'],
  [2.5, '$2.50'],
  [0.075, '$0.075'],
  [1_000, '$1,000.00'],
])('a price of %d is shown as %s', (price, words) => {
  expect(priceWords(price)).toBe(words);
});

it.each([
  [999, '999'],
  [12_345, '12.3k'],
  [2_000_000, '2.0M'],
])('%i is written as %s', (count, words) => {
  expect(shortCount(count)).toBe(words);
});
