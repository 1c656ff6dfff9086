import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../../test/support/databases/test-store.ts';
import { publishDocuments, testDocument, writeSegment } from '../../../test/support/knowledge/test-knowledge.ts';
import type { ChunkKey, VectorStore } from './knowledge-store.ts';

describe.each(databaseKinds)('vectors in %s', (kind) => {
  let stores: TestStores;
  let vectors: VectorStore;
  let other: VectorStore;
  beforeAll(async () => {
    stores = await openTestStores(kind);
    vectors = stores.store.knowledge.vectors;
    other = stores.other.knowledge.vectors;
  });
  afterAll(() => stores.remove());

  it('each text of a visible document is pending once, until its vector is saved', async () => {
    const { knowledge } = stores.store;
    const names = Array.from({ length: 10 }, (_, index) => `doc ${index}`);
    await publishDocuments(
      knowledge,
      names.map((name) => testDocument(name)),
    );
    // The same texts once more, and texts nobody sees.
    await publishDocuments(
      knowledge,
      names.slice(0, 4).map((name) => testDocument(name, { source: 'filesystem:copies' })),
    );
    await writeSegment(knowledge, [testDocument('hidden')]);

    expect(await vectors.countPending('m')).toBe(30);
    expect(await vectors.count('m')).toBe(0);
    const before = await vectors.revision('m');
    const seen: string[] = [];
    for (;;) {
      const pending = await vectors.pending('m', 7);
      if (pending.length === 0) break;
      seen.push(...pending.map((each) => each.hash));
      for (const { title, heading, text } of pending) {
        expect(`${title} ${heading.join(' ')} ${text}`).toMatch(/^Title of (doc \d) (\1 (?:zero|one|two)) \2$/);
      }
      await vectors.save(
        'm',
        pending.map(({ hash }) => ({ hash, vector: vectorOf(hash) })),
      );
    }
    expect(new Set(seen).size).toBe(30);
    expect(seen).toHaveLength(30);
    expect(await other.countPending('m')).toBe(0);
    expect(await other.count('m')).toBe(30);
    expect(await other.revision('m')).toBe(before + 5);
    expect(await other.countPending('another')).toBe(30);
  });

  it('chunks that were not embedded are pending again, wherever they are', async () => {
    const first = (await vectors.pending('again', 2)).map((each) => each.hash);
    const second = (await vectors.pending('again', 25)).map((each) => each.hash);
    const third = (await vectors.pending('again', 30)).map((each) => each.hash);
    expect(new Set([...first, ...second]).size).toBe(27);
    expect(third).toHaveLength(30);
    expect(new Set(third).size).toBe(30);
    expect(await vectors.pending('again', 100)).toHaveLength(30);
    const inOrder = Array.from({ length: 10 }, (_, index) => testDocument(`doc ${index}`).pieces).flat();
    expect((await other.pending('again', 30)).map((each) => each.hash)).toEqual(inOrder.map((each) => each.hash));
  });

  it('returns every visible chunk with its vector, in order', async () => {
    const rows = await allOf('m');
    expect(rows).toHaveLength(42);
    expect(rows.map(keyOf)).toEqual(rows.map(keyOf).toSorted((one, two) => one - two));
    const passages = await stores.store.knowledge.passages(rows);
    expect(passages).toHaveLength(42);
    const pieces = new Map(
      Array.from({ length: 10 }, (_, index) => testDocument(`doc ${index}`).pieces)
        .flat()
        .map((piece) => [piece.text, piece.hash]),
    );
    for (const [index, { text }] of passages.entries()) {
      expect(rows[index]?.vector).toEqual(vectorOf(pieces.get(text) ?? ''));
    }
    expect(await allOf('another')).toEqual([]);
  });

  it('a vector can be replaced, and large results are paged', async () => {
    const { knowledge } = stores.store;
    const many = Array.from({ length: 500 }, (_, index) => testDocument(`page ${index}`));
    await publishDocuments(knowledge, many);
    const hashes = many.flatMap((document) => document.pieces.map((piece) => piece.hash));
    await vectors.save(
      'pages',
      hashes.map((hash) => ({ hash, vector: new Float32Array(3) })),
    );
    const shared = new Float32Array([9, 1.5, -2.25, Number.MIN_VALUE]).subarray(1);
    await other.save('pages', [{ hash: hashes[0] ?? '', vector: shared }]);
    const sizes: number[] = [];
    const first: Float32Array[] = [];
    for await (const page of vectors.all('pages')) {
      sizes.push(page.length);
      if (page[0]) first.push(page[0].vector);
    }
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1500);
    expect(first[0]).toEqual(new Float32Array(shared));
    await knowledge.removeDocuments(many.map((document) => document.id));
    expect(await allOf('pages')).toEqual([]);
  });

  it('vectors of other models and of removed texts can be deleted', async () => {
    const { knowledge } = stores.store;
    expect(await vectors.count('pages')).toBe(1500);
    const before = await other.revision('pages');
    expect(await vectors.prune()).toBe(1500);
    expect(await other.revision('pages')).toBeGreaterThan(before);
    expect(await vectors.prune()).toBe(0);
    expect(await vectors.count('m')).toBe(30);
    await knowledge.removeDocuments(['filesystem:docs/doc 0', 'filesystem:docs/doc 9']);
    // "doc 0" is still there as a copy.
    expect(await vectors.prune()).toBe(3);
    await vectors.save('old', [{ hash: 'x', vector: new Float32Array(2) }]);
    expect(await vectors.clear({ except: 'm' })).toBe(1);
    expect(await vectors.count('m')).toBe(27);
    const revision = await other.revision('m');
    expect(await vectors.clear({})).toBe(27);
    expect(await other.revision('m')).toBeGreaterThan(revision);
    expect(await vectors.count('m')).toBe(0);
  });

  async function allOf(model: string): Promise<(ChunkKey & { vector: Float32Array })[]> {
    const rows = [];
    for await (const page of other.all(model)) rows.push(...page);
    return rows;
  }
});

function keyOf({ docNo, ordinal }: ChunkKey): number {
  return docNo * 10 + ordinal;
}

function vectorOf(hash: string): Float32Array {
  return Float32Array.from({ length: 8 }, (_, index) => Number.parseInt(hash.slice(index * 6, index * 6 + 6), 16) / 7);
}
