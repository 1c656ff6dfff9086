import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { usualDatabaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../../test/support/databases/test-store.ts';
import { documentId, type IndexedDocument, indexDocuments } from '../../../test/support/knowledge/test-index.ts';
import { leftOverRows } from '../../../test/support/knowledge/test-knowledge.ts';
import { SearchIndex } from '../search/search-index.ts';
import type { KnowledgeStore } from '../store/knowledge-store.ts';
import { mergeSegments } from './merge-segments.ts';

describe.each(usualDatabaseKinds)('merging segments in %s', (kind) => {
  let stores: TestStores;
  let store: KnowledgeStore;
  const signal = AbortSignal.timeout(60_000);
  beforeEach(async () => {
    stores = await openTestStores(kind);
    store = stores.store.knowledge;
  });
  afterEach(() => stores.remove());

  it('leaves eight small segments alone, and merges nine into one', async () => {
    await publishPages(8);
    const before = await store.segments();
    await mergeSegments(store, { signal });
    expect(await store.segments()).toEqual(before);
    await publishPages(1, 8);
    const found = await search();
    await mergeSegments(store, { signal });
    expect((await store.segments()).segments.map(({ chunks }) => chunks)).toEqual([9]);
    expect(await search()).toEqual(found);
    expect(found).toHaveLength(9);
    expect(await leftOverRows(stores.db)).toEqual([]);
  });

  it('rewrites a segment when more than three tenths of it were removed', async () => {
    const pages = Array.from({ length: 10 }, (_, index) => page(index));
    const docNos = await indexDocuments(store, pages);
    await store.removeDocuments(pages.slice(0, 3).map(documentId));
    await mergeSegments(store, { signal });
    expect((await store.segments()).removed).toEqual(docNos.slice(0, 3));
    await store.removeDocuments(pages.slice(3, 4).map(documentId));
    await mergeSegments(store, { signal });
    expect(await store.segments()).toMatchObject({ segments: [{ chunks: 6 }], removed: [] });
    expect((await search()).map(([name]) => name).sort()).toEqual(['p4', 'p5', 'p6', 'p7', 'p8', 'p9']);
    const rows = await store.postingsPage(
      (await store.segments()).segments.map(({ id }) => id),
      null,
      1_000,
    );
    expect(rows.map(({ term }) => term)).not.toContain('own0');
    expect(rows.map(({ term }) => term)).toContain('own4');
  });

  it('leaves nothing of removed documents, and adds later ones', async () => {
    await indexDocuments(store, [page(0)]);
    await store.removeDocuments([documentId(page(0))]);
    await mergeSegments(store, { signal });
    expect(await store.segments()).toMatchObject({ segments: [{ chunks: 0 }], removed: [] });
    expect(await search()).toEqual([]);
    await indexDocuments(store, [page(0)]);
    expect(await search()).toHaveLength(1);
  });

  it('keeps the new time of a touched document', async () => {
    await publishPages(9);
    await store.touchDocuments([{ id: documentId(page(2)), version: '2', updatedAt: Date.UTC(2030, 0, 1) }]);
    await mergeSegments(store, { signal });
    const found = await new SearchIndex(store).search('alpha', { limit: 20, filters: { since: '2029-01-01' } });
    expect(found.map(({ passage }) => passage.document.sourceId)).toEqual(['p2']);
  });

  it('an abort publishes nothing, and the next merge starts over', async () => {
    await publishPages(9);
    const before = await store.segments();
    const abort = new AbortController();
    const merging = mergeSegments(store, { signal: abort.signal, onProgress: () => abort.abort() });
    await expect(merging).rejects.toThrow('aborted');
    expect(await store.segments()).toEqual(before);
    expect(await store.discardOpenSegments(Number.MAX_SAFE_INTEGER)).toBe(1);
    await mergeSegments(store, { signal });
    expect((await store.segments()).segments).toHaveLength(1);
  });

  it('two merges at once, in two processes, lose nothing', async () => {
    await publishPages(9);
    const found = await search();
    await Promise.all([mergeSegments(store, { signal }), mergeSegments(stores.other.knowledge, { signal })]);
    expect((await store.segments()).segments).toHaveLength(1);
    expect(await search()).toEqual(found);
  });

  it('documents removed or published during a merge stay so', async () => {
    await publishPages(9);
    let isFirst = true;
    const late = withPublish(store, async (publication) => {
      if (isFirst) {
        isFirst = false;
        await store.removeDocuments([documentId(page(0))]);
        await indexDocuments(store, [{ ...page(1), chunks: [{ text: 'changed alpha' }] }, page(20)]);
      }
      return store.publish(publication);
    });
    await mergeSegments(late, { signal });
    const names = (await search()).map(([name]) => name).sort();
    expect(names).toEqual(['p1', 'p2', 'p20', 'p3', 'p4', 'p5', 'p6', 'p7', 'p8']);
    const changed = await new SearchIndex(store).search('changed', { limit: 20 });
    expect(changed.map(({ passage }) => passage.document.sourceId)).toEqual(['p1']);
  });

  async function publishPages(count: number, first = 0): Promise<void> {
    for (let index = first; index < first + count; index++) await indexDocuments(store, [page(index)]);
  }

  async function search(): Promise<[string, number][]> {
    const found = await new SearchIndex(store).search('alpha own3 own7', { limit: 50 });
    return found.map(({ passage, score }) => [passage.document.sourceId, score]);
  }
});

function page(index: number): IndexedDocument {
  return {
    sourceId: `p${index}`,
    title: `Page ${index}`,
    chunks: [{ text: `alpha own${index} ${'word '.repeat(index)}` }],
  };
}

/** The same store, but for one method. */
function withPublish(store: KnowledgeStore, publish: KnowledgeStore['publish']): KnowledgeStore {
  return new Proxy(store, {
    get(_, key) {
      if (key === 'publish') return publish;
      const value: unknown = Reflect.get(store, key, store);
      return typeof value === 'function' ? value.bind(store) : value;
    },
  });
}
