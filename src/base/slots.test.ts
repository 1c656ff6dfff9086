import { expect, test } from 'vitest';
import { SlotMap, Slots } from './slots.ts';

test('a free slot is reused, and iteration skips free slots', () => {
  const slots = new Slots<{ name: string }>();
  const first = slots.add({ name: 'first' });
  const second = slots.add({ name: 'second' });
  slots.remove(first);
  expect([...slots].map(({ name }) => name)).toEqual(['second']);
  expect(slots.add({ name: 'third' })).toBe(first);
  expect([...slots].map(({ name }) => name)).toEqual(['third', 'second']);
  slots.remove(second);
  slots.remove(first);
  expect(slots.size).toBe(0);
  expect([...slots]).toEqual([]);
});

test('an item removed during iteration does not disturb the others', () => {
  const slots = new Slots<{ slot: number }>();
  for (let index = 0; index < 5; index += 1) {
    const item = { slot: -1 };
    item.slot = slots.add(item);
  }
  const seen: number[] = [];
  for (const { slot } of slots) {
    seen.push(slot);
    slots.remove(slot);
  }
  expect(seen).toEqual([0, 1, 2, 3, 4]);
  expect(slots.size).toBe(0);
});

test('a SlotMap behaves like a Map', () => {
  const slots = new SlotMap<string | number, { value: number }>();
  const map = new Map<string | number, { value: number }>();
  let seed = 1;
  for (let step = 0; step < 20_000; step += 1) {
    seed = (seed * 48_271) % 2_147_483_647;
    const key = seed % 2 === 0 ? seed % 50 : String(seed % 50);
    if (seed % 3 === 0) expect(slots.delete(key)).toBe(map.delete(key));
    else {
      const item = { value: step };
      slots.set(key, item);
      map.set(key, item);
    }
    expect(slots.get(key)).toBe(map.get(key));
    expect(slots.has(key)).toBe(map.has(key));
    expect(slots.size).toBe(map.size);
  }
  expect(new Set(slots.values())).toEqual(new Set(map.values()));
});
