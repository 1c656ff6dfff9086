import { expect, it } from 'vitest';
import { cardBeside } from './board-keys.ts';

const board = [['a', 'b', 'c'], [], ['d'], ['e', 'f']].map((ids) => ids.map((id) => ({ id })));

it.each([
  ['a', 'ArrowDown', 'b'],
  ['a', 'ArrowUp', undefined],
  ['c', 'ArrowDown', undefined],
  ['c', 'Home', 'a'],
  ['c', 'ArrowRight', 'd'],
  ['d', 'ArrowRight', 'e'],
  ['f', 'ArrowLeft', 'd'],
  ['f', 'ArrowRight', undefined],
  ['a', 'ArrowLeft', undefined],
  ['a', 'x', undefined],
  ['gone', 'ArrowDown', undefined],
])('from %s %s leads to %s', (from, key, to) => {
  expect(cardBeside(board, from, key)?.id).toBe(to);
});
