import { expect, it } from 'vitest';
import { fuse, scale } from './fuse.ts';

it('scales each ranking over its candidates and weighs them by alpha', () => {
  const words = new Map([
    ['a', 30],
    ['b', 20],
    ['c', 10],
  ]);
  const meaning = new Map([
    ['b', 0.9],
    ['d', 0.5],
    ['a', 0.7],
  ]);
  const fused = fuse(words, meaning, 0.4);
  expect(fused.get('a')).toBeCloseTo(0.6 * 1 + 0.4 * 0.5);
  expect(fused.get('b')).toBeCloseTo(0.6 * 0.5 + 0.4 * 1);
  expect(fused.get('c')).toBe(0);
  expect(fused.get('d')).toBe(0);
  expect([...fuse(words, meaning, 0)].map(([, score]) => score)).toEqual([1, 0.5, 0, 0]);
});

it('takes equal scores as the best', () => {
  expect([...scale(new Map([['a', 5]])).values()]).toEqual([1]);
  expect(fuse(new Map(), new Map([['a', -1]]), 0.5)).toEqual(new Map([['a', 0.5]]));
  expect(fuse(new Map(), new Map(), 0.5)).toEqual(new Map());
});
