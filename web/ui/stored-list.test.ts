import { describe, expect, it } from 'vitest';
import { createStoredList, itemsIn } from './stored-list.ts';

const isWord = (value: unknown): value is string => typeof value === 'string';

describe('itemsIn', () => {
  it.each([
    ['the items of a list', '["a","b"]', ['a', 'b']],
    ['nothing else of it', '["a",1,null]', ['a']],
    ['nothing from another value', '{"a":1}', []],
    ['nothing from a damaged text', '["a"', []],
  ])('returns %s', (_title, text, items) => {
    expect(itemsIn(text, isWord)).toEqual(items);
  });
});

describe('createStoredList', () => {
  it('keeps the list in memory where there is no storage', () => {
    const list = createStoredList('test', isWord);
    list.save(['a']);
    expect(list.read()).toEqual(['a']);
    expect(list.read()).toBe(list.read());
  });
});
