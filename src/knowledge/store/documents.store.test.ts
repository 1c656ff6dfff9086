import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../../test/support/databases/test-store.ts';
import { publishDocuments, testDocument } from '../../../test/support/knowledge/test-knowledge.ts';
import type { DocumentQuery } from './knowledge-store.ts';

/** In the order of bytes, which no language's alphabet has. */
const names = [
  '100% sure',
  '100x sure',
  'Apple',
  'Zebra',
  'a_b',
  'apple',
  'axb',
  'back\\slash',
  'Äpfel und Öl',
  '日本',
];

describe.each(databaseKinds)('the list of documents in %s', (kind) => {
  let stores: TestStores;
  beforeAll(async () => {
    stores = await openTestStores(kind);
    const shuffled = names.toReversed().map((name) => testDocument(name, { source: 'git:names' }));
    await publishDocuments(stores.store.knowledge, shuffled);
    await publishDocuments(stores.store.knowledge, [testDocument('first')]);
    const many = Array.from({ length: 4100 }, (_, index) => testDocument(`many ${String(index).padStart(4, '0')}`));
    for (let start = 0; start < many.length; start += 500) {
      const part = many
        .slice(start, start + 500)
        .map((document) => ({ ...document, id: `many/${document.id}`, source: 'script:many' }));
      await publishDocuments(stores.store.knowledge, part);
    }
  });
  afterAll(() => stores.remove());

  it('is sorted by source and name, in the same order on every database', async () => {
    expect(await listed({ source: 'git:names', limit: 50 })).toEqual({ names, hasMore: false });
    expect(await listed({ limit: 2 })).toEqual({ names: ['first', '100% sure'], hasMore: true });
  });

  it.each([1, 3, 10, 11])('pages of %d contain each document once', async (limit) => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await stores.other.knowledge.documents({
        source: 'git:names',
        limit,
        ...(cursor !== undefined && { cursor }),
      });
      expect(page.documents.length).toBeLessThanOrEqual(limit);
      seen.push(...page.documents.map(nameOf));
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(names);
  });

  it.each([
    ['apple', ['Apple', 'apple']],
    ['APPLE', ['Apple', 'apple']],
    ['ÄPFEL öl', ['Äpfel und Öl']],
    ['öl äpfel', ['Äpfel und Öl']],
    ['本', ['日本']],
    ['%', ['100% sure']],
    ['a_b', ['a_b']],
    ['\\', ['back\\slash']],
    ["'", []],
    ['apple zebra', []],
    ['title of appl .md', ['Apple', 'apple']],
    ['  ', names],
  ])('with the words %j finds %j', async (text, found) => {
    expect(await listed({ source: 'git:names', text, limit: 50 })).toEqual({ names: found, hasMore: false });
  });

  it("a word may be longer than SQLite's maximum pattern", async () => {
    expect(await listed({ text: 'x'.repeat(60_000), limit: 5 })).toEqual({ names: [], hasMore: false });
  });

  it('rare words are found among many documents, page by page', async () => {
    expect(await listed({ text: 'many 4099', limit: 5 })).toEqual({ names: ['many 4099'], hasMore: false });
    const first = await stores.store.knowledge.documents({ text: '00.md', limit: 30 });
    expect(first.documents).toHaveLength(30);
    const next = await stores.store.knowledge.documents({ text: '00.md', limit: 30, cursor: first.cursor ?? '' });
    expect(next).toMatchObject({ cursor: null });
    expect([...first.documents, ...next.documents].map(nameOf)).toEqual(
      Array.from({ length: 41 }, (_, index) => `many ${String(index).padStart(2, '0')}00`),
    );
  });

  it('returns all items of a source, however many', async () => {
    const items = await stores.other.knowledge.items('script:many');
    expect(items.size).toBe(4100);
    expect(items.get('many 4099.md')).toMatchObject({ version: 'v-' });
    const { documents, sources } = await stores.other.knowledge.stats();
    expect(documents).toBe(4111);
    expect(sources.map(({ source, chunks }) => [source, chunks])).toEqual([
      ['filesystem:docs', 3],
      ['git:names', 30],
      ['script:many', 12_300],
    ]);
  });

  it.each(['', 'nonsense', 'WzFd', 'WzEsMl0', '!!!'])('the cursor %j is rejected', async (cursor) => {
    await expect(stores.store.knowledge.documents({ limit: 5, cursor })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
  });

  async function listed(query: DocumentQuery) {
    const { documents, cursor } = await stores.other.knowledge.documents(query);
    return { names: documents.map(nameOf), hasMore: cursor !== null };
  }
});

function nameOf(document: { sourceId: string }): string {
  return document.sourceId.replace(/\.md$/, '');
}
