import { expect, it } from 'vitest';
import { rowAfterKey, withRow } from './virtual-list.tsx';

it('the row that has the focus is drawn although it is out of view', () => {
  expect(withRow([40, 41, 42], 3, 100)).toEqual([3, 40, 41, 42]);
  expect(withRow([40, 41, 42], 60, 100)).toEqual([40, 41, 42, 60]);
  expect(withRow([40, 41, 42], 41, 100)).toEqual([40, 41, 42]);
});

it('no row and a row that is gone add nothing', () => {
  expect(withRow([0, 1], -1, 2)).toEqual([0, 1]);
  expect(withRow([0, 1], 5, 2)).toEqual([0, 1]);
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
  expect(rowAfterKey(key, index, 10)).toBe(next);
});
