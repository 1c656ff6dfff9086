import { describe, expect, it } from 'vitest';
import { addNextPage, mergeFirstPage } from './growing-list.ts';

interface Item {
  id: string;
  at: string;
}

const reader = { idOf: ({ id }: Item) => id, timeOf: ({ at }: Item) => at };
/** One that came in this minute. */
const item = (id: string, minute: number): Item => ({
  id,
  at: `2026-03-10T12:${String(minute).padStart(2, '0')}:00.000Z`,
});
const grown = (cursor: string | null, ...items: Item[]) => ({ items, cursor });
const ids = ({ items }: { items: Item[] }) => items.map(({ id }) => id).join('');

const before = grown('after f', item('a', 59), item('b', 58), item('c', 57), item('e', 55), item('f', 54));

describe('a refetched first page', () => {
  it('puts new items on top and keeps the loaded ones below', () => {
    const page = grown('after c', item('x', 60), item('a', 59), item('b', 58), item('c', 57));
    const merged = mergeFirstPage(reader, before, page);
    expect(ids(merged)).toBe('xabcef');
    expect(merged.cursor).toBe('after f');
  });

  it('shows an item that moved up only once', () => {
    const page = grown('after b', item('e', 60), item('a', 59), item('b', 58));
    expect(ids(mergeFirstPage(reader, before, page))).toBe('eabcf');
  });

  it('drops items that left the first page', () => {
    expect(ids(mergeFirstPage(reader, before, grown('after c', item('a', 59), item('c', 57))))).toBe('acef');
  });

  it('replaces the list when there may be a gap', () => {
    const page = grown('after y', item('x', 60), item('y', 60));
    const since = grown('after b', item('a', 58), item('b', 57));
    expect(mergeFirstPage(reader, since, page)).toBe(page);
  });

  it('keeps earlier matches when a search continues further down', () => {
    expect(mergeFirstPage(reader, before, grown('further down'))).toBe(before);
  });

  it('is the whole list when no page follows or none came before', () => {
    const page = grown(null, item('a', 59));
    expect(mergeFirstPage(reader, before, page)).toBe(page);
    expect(mergeFirstPage(reader, undefined, page)).toBe(page);
    expect(mergeFirstPage(reader, before, grown(null)).items).toEqual([]);
  });
});

it('the next page is appended without duplicates', () => {
  const next = addNextPage(reader, before, grown(null, item('f', 54), item('g', 53)));
  expect(ids(next)).toBe('abcefg');
  expect(next.cursor).toBeNull();
});
