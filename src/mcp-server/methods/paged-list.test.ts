import { expect, test } from 'vitest';
import { PagedList } from './paged-list.ts';

interface Page {
  items: { name: string }[];
  nextCursor?: string;
}

function pageOf(list: PagedList, names: readonly string[], cursor?: string, state: unknown = names): Page {
  const text = list.page(cursor === undefined ? {} : { cursor }, [state], {
    items: () => names,
    key: (name) => name,
    toJson: (name) => ({ name }),
  });
  return JSON.parse(text);
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);

test('a list that fits has no cursor', () => {
  expect(pageOf(new PagedList('items'), names(5_000)).nextCursor).toBeUndefined();
  expect(pageOf(new PagedList('items'), [])).toEqual({ items: [] });
});

test('a page ends before a million characters, however few items that are', () => {
  const long = ['a', 'b', 'c'].map((letter) => letter.repeat(400_000));
  const list = new PagedList('items');
  const first = pageOf(list, long);
  expect(first.items).toHaveLength(2);
  expect(pageOf(list, long, first.nextCursor).items).toHaveLength(1);
});

test('one item beyond the limit gets its own page', () => {
  const list = new PagedList('items');
  const first = pageOf(list, ['x'.repeat(2_000_000), 'y']);
  expect(first.items).toHaveLength(1);
  expect(pageOf(list, ['x'.repeat(2_000_000), 'y'], first.nextCursor).items).toEqual([{ name: 'y' }]);
});

test('a list that changes between two pages continues after the last item seen', () => {
  const list = new PagedList('items');
  const before = names(6_000);
  const { nextCursor } = pageOf(list, before);
  const added = ['new', ...before];
  expect(pageOf(list, added, nextCursor).items[0]).toEqual({ name: 'n5000' });
  const removed = before.filter((name) => name !== 'n4999');
  expect(pageOf(list, removed, nextCursor).items[0]).toEqual({ name: 'n5001' });
});

test('items are built again only when their source has changed', () => {
  const list = new PagedList('items');
  pageOf(list, ['a'], undefined, 1);
  expect(pageOf(list, ['b'], undefined, 1).items).toEqual([{ name: 'a' }]);
  expect(pageOf(list, ['b'], undefined, 2).items).toEqual([{ name: 'b' }]);
});

test.each([7, '', 'x', Buffer.from('-1:a').toString('base64url')])('the cursor %j is refused', (cursor) => {
  const list = new PagedList('items');
  expect(() => list.page({ cursor }, [], { items: () => [], key: String, toJson: Object })).toThrow('cursor');
});
