import { expect, it } from 'vitest';
import { cardBeside } from './board-keys.ts';

const board = [
  [card('a', 0), card('b', 100), card('c', 200)],
  [],
  [card('d', 0), card('e', 190)],
  [card('f', -300), card('g', 20)],
];

it.each([
  ['a', 'ArrowDown', undefined],
  ['b', 'ArrowRight', 'e'],
  ['c', 'ArrowRight', 'e'],
  ['d', 'ArrowRight', 'g'],
  ['f', 'ArrowLeft', 'd'],
  ['g', 'ArrowRight', undefined],
  ['a', 'ArrowLeft', undefined],
  ['a', 'x', undefined],
  ['gone', 'ArrowRight', undefined],
])('from %s %s leads to %s', (from, key, to) => {
  expect(cardBeside(board, from, key)).toBe(to);
});

function card(id: string, top: number) {
  return { id, top };
}
