import { describe, expect, it } from 'vitest';
import { neighbourOf, readDraft, readTabs, withTab, writeDraft, writeTabs } from './chat-storage.ts';

function memory(first: Record<string, string> = {}) {
  const kept = new Map(Object.entries(first));
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

describe('open tabs', () => {
  it('are remembered in their order, each once', () => {
    const storage = memory();
    writeTabs(storage, withTab(withTab(withTab([], 'a'), 'b'), 'a'));
    expect(readTabs(storage)).toEqual(['a', 'b']);
  });

  it('are none where something else was written', () => {
    expect(readTabs(memory({ 'zoo.chat.tabs': '{"a":' }))).toEqual([]);
    expect(readTabs(memory({ 'zoo.chat.tabs': '[1, "a", null]' }))).toEqual(['a']);
  });

  it('are at most thirty: the oldest goes', () => {
    const ids = Array.from({ length: 30 }, (_, index) => `c${index}`);
    expect(withTab(ids, 'next').slice(0, 1)).toEqual(['c1']);
  });

  it.each([
    ['b', 'c'],
    ['c', 'b'],
    ['x', undefined],
  ])('after %s is closed, %s is shown', (closed, shown) => {
    expect(neighbourOf(['a', 'b', 'c'], closed)).toBe(shown);
  });

  it('of one chat leave nothing behind', () => {
    expect(neighbourOf(['a'], 'a')).toBeUndefined();
  });
});

describe('a draft', () => {
  it('stays with its chat, and an empty one leaves nothing behind', () => {
    const storage = memory();
    writeDraft(storage, 'a', 'Hello');
    expect([readDraft(storage, 'a'), readDraft(storage, 'b')]).toEqual(['Hello', '']);
    writeDraft(storage, 'a', '');
    expect(storage.kept.size).toBe(0);
  });

  it('is simply not kept where nothing can be stored', () => {
    const storage = {
      ...memory(),
      setItem: () => {
        throw new Error('full');
      },
    };
    writeDraft(storage, 'a', 'Hello');
    expect(readDraft(storage, 'a')).toBe('');
  });
});
