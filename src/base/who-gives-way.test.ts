import { expect, it } from 'vitest';
import { placeToGive, whoGivesWay } from './who-gives-way.ts';

it.each<[string, string[], string | undefined]>([
  ['a', [], undefined],
  ['a', ['a', 'a', 'a'], undefined],
  ['a', ['b'], undefined],
  ['a', ['b', 'b'], 'b'],
  ['a', ['a', 'b', 'b'], undefined],
  ['a', ['b', 'c', 'c', 'a', 'c'], 'c'],
  ['', ['', 'c', 'c', 'c'], 'c'],
  ['c', ['', '', '', 'c'], ''],
])('to %j, where the callers %j have places, %j gives way', (newcomer, holders, expected) => {
  expect(whoGivesWay(newcomer, holders)).toBe(expected);
});

it('the place that was taken first is given up', () => {
  const taken = [['a1', 'a'] as const, ['b1', 'b'] as const, ['b2', 'b'] as const, ['b3', 'b'] as const];
  expect(placeToGive('a', taken)).toBe('b1');
  expect(placeToGive('b', taken)).toBeUndefined();
});
