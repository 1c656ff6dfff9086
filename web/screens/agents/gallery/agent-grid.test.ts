import { describe, expect, it } from 'vitest';
import { cardAfterKey } from './agent-grid.tsx';

/** Seven cards in three columns: 0 1 2 / 3 4 5 / 6. */
const grid = (index: number) => ({ index, columns: 3, count: 7 });

describe('cardAfterKey', () => {
  it.each([
    ['ArrowRight', 0, 1],
    ['ArrowRight', 6, undefined],
    ['ArrowLeft', 0, undefined],
    ['ArrowLeft', 3, 2],
    ['ArrowDown', 0, 3],
    ['ArrowDown', 5, 6],
    ['ArrowDown', 6, undefined],
    ['ArrowUp', 4, 1],
    ['ArrowUp', 1, undefined],
    ['Home', 5, 0],
    ['End', 0, 6],
    ['Enter', 0, undefined],
  ])('%s on card %i moves to %s', (key, index, expected) => {
    expect(cardAfterKey(key, grid(index))).toBe(expected);
  });
});
