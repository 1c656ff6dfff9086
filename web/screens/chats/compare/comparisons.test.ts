import { expect, it } from 'vitest';
import { comparisonWith } from './comparisons.ts';

it('a chat leads to the newest comparison that it is part of', () => {
  const list = [
    { left: 'c', right: 'b' },
    { left: 'a', right: 'b' },
  ];
  expect(['a', 'b', 'c', 'd'].map((id) => comparisonWith(list, id))).toEqual([list[1], list[0], list[0], undefined]);
});
