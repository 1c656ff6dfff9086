import { expect, it } from 'vitest';
import { rowAfterKey, withRows } from './virtual-list.tsx';

it('rows that have the focus or are kept are drawn although they are out of view', () => {
  expect(withRows([40, 41, 42], [3], 100)).toEqual([3, 40, 41, 42]);
  expect(withRows([40, 41, 42], [60, 3, 60], 100)).toEqual([3, 40, 41, 42, 60]);
  expect(withRows([40, 41, 42], [41], 100)).toEqual([40, 41, 42]);
});

it('no row and a row that is gone add nothing', () => {
  expect(withRows([0, 1], [-1, 5], 2)).toEqual([0, 1]);
});

it.each([
  ['ArrowDown', 0, 1],
  ['ArrowDown', 9, undefined],
  ['ArrowUp', 9, 8],
  ['ArrowUp', 0, undefined],
  ['Home', 5, 0],
  ['End', 5, 9],
  ['a', 5, undefined],
])('%s on row %i of ten moves to row %s', (key, index, next) => {
  expect(rowAfterKey(key, index, { count: 10, isRow: () => true })).toBe(next);
});

it.each([
  ['ArrowDown', 1, 3],
  ['ArrowUp', 3, 1],
  ['ArrowUp', 1, undefined],
  ['Home', 3, 1],
])('%s on row %i moves past headings to row %s', (key, index, next) => {
  expect(rowAfterKey(key, index, { count: 4, isRow: (each) => each % 2 === 1 })).toBe(next);
});
