import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { IterableWeakMap } from './iterable-weak-map.ts';

it('keeps, changes, lists and deletes entries', () => {
  const map = new IterableWeakMap<object, number>();
  const [one, two] = [{}, {}];
  map.set(one, 1);
  map.set(two, 2);
  map.set(one, 3);
  expect(map.get(one)).toBe(3);
  expect(map.entries()).toEqual([
    [one, 3],
    [two, 2],
  ]);
  map.delete(one);
  map.delete({});
  expect(map.get(one)).toBeUndefined();
  expect(map.entries()).toEqual([[two, 2]]);
});

it('releases keys that nobody else holds, even if a value refers to its key', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const map = new IterableWeakMap<object, object>();
  const kept = {};
  map.set(kept, kept);
  for (let count = 0; count < 100; count += 1) {
    const key = {};
    map.set(key, { key });
  }
  // The engine may keep the last key of the loop alive, but not a hundred.
  await expect
    .poll(() => {
      collect();
      return map.entries().length;
    })
    .toBeLessThanOrEqual(2);
  expect(map.get(kept)).toBe(kept);
});
