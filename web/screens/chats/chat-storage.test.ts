import { describe, expect, it } from 'vitest';
import { neighborOf, readTabs, withTab, writeTabs } from './chat-storage.ts';

function memory(first: Record<string, string> = {}) {
  const entries = new Map(Object.entries(first));
  return {
    entries,
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => void entries.set(key, value),
  };
}

describe('open tabs', () => {
  it('are stored in order without duplicates', () => {
    const storage = memory();
    writeTabs(storage, withTab(withTab(withTab([], 'a'), 'b'), 'a'));
    expect(readTabs(storage)).toEqual(['a', 'b']);
  });

  it('are empty when the stored value is invalid', () => {
    expect(readTabs(memory({ 'zoo.chat.tabs': '{"a":' }))).toEqual([]);
    expect(readTabs(memory({ 'zoo.chat.tabs': '[1, "a", null]' }))).toEqual(['a']);
  });

  it('are limited to thirty; the oldest is dropped', () => {
    const ids = Array.from({ length: 30 }, (_, index) => `c${index}`);
    expect(withTab(ids, 'next').slice(0, 1)).toEqual(['c1']);
  });

  it.each([
    ['b', 'c'],
    ['c', 'b'],
    ['x', undefined],
  ])('after %s is closed, %s is shown', (closed, shown) => {
    expect(neighborOf(['a', 'b', 'c'], closed)).toBe(shown);
  });

  it('have no neighbor when only one is open', () => {
    expect(neighborOf(['a'], 'a')).toBeUndefined();
  });
});

it('open tabs are not remembered when storage fails', () => {
  const storage = {
    ...memory(),
    setItem: () => {
      throw new Error('full');
    },
  };
  writeTabs(storage, ['a']);
  expect(readTabs(storage)).toEqual([]);
});
