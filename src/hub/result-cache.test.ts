import { expect, it } from 'vitest';
import { steppedClock } from '../../test/support/time/stepped-clock.ts';
import { ToolContent } from '../tools/content.ts';
import { ResultCache, sortedJson } from './result-cache.ts';

const result = (text: string) => ({ result: new ToolContent([{ type: 'text', text }]), outside: [] });

it('a result expires after its lifetime', () => {
  const clock = steppedClock();
  const cache = new ResultCache(60, clock);
  const kept = result('one');
  cache.set('a', kept);
  clock.advance(59_999);
  expect(cache.get('a')).toBe(kept);
  clock.advance(1);
  expect(cache.get('a')).toBeUndefined();
});

it('the oldest results are dropped when there are too many', () => {
  const cache = new ResultCache(60, steppedClock());
  for (let index = 0; index <= 500; index += 1) cache.set(String(index), result(String(index)));
  expect(cache.get('0')).toBeUndefined();
  expect(cache.get('1')).toBeDefined();
  expect(cache.get('500')).toBeDefined();
});

it('arguments are equal whatever the order of their names, at every level, and lists keep theirs', () => {
  expect(sortedJson({ b: 1, a: { d: [1, { y: 1, x: 2 }], c: null } })).toBe(
    sortedJson({ a: { c: null, d: [1, { x: 2, y: 1 }] }, b: 1 }),
  );
  expect(sortedJson([1, 2])).not.toBe(sortedJson([2, 1]));
});
