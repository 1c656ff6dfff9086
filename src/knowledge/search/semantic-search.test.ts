import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { usualDatabaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../../test/support/databases/test-store.ts';
import { publishDocuments, testDocument } from '../../../test/support/knowledge/test-knowledge.ts';
import { wordVector } from '../../../test/support/models/embedding-server.ts';
import { silentLogger } from '../../base/logger.ts';
import { unitVector } from '../../models/embeddings/request-vectors.ts';
import type { Embedder } from '../embedder.ts';
import type { KnowledgeStore } from '../store/knowledge-store.ts';
import { embedPending } from '../sync/embed-pending.ts';
import { openLiveVectors } from './live-vectors.ts';
import { createSemanticSearch } from './semantic-search.ts';

const { signal } = new AbortController();

describe.each(usualDatabaseKinds)('search by meaning, in %s', (kind) => {
  let stores: TestStores;
  let store: KnowledgeStore;
  let embedder: WordEmbedder;
  beforeEach(async () => {
    stores = await openTestStores(kind);
    store = stores.store.knowledge;
    embedder = new WordEmbedder(64);
  });
  afterEach(() => stores.remove());

  const embed = (target: KnowledgeStore = store) =>
    embedPending({ store: target, embedder, clock: stores.clock, logger: silentLogger }, {});
  const semantic = (model: Embedder = embedder) =>
    createSemanticSearch({ store, embedder: model, index: 'memory', logger: silentLogger });
  const names = ['apple', 'bicycle', 'candle', 'dragon', 'engine'];
  const publish = (...documentNames: string[]) =>
    publishDocuments(
      store,
      documentNames.map((name) => testDocument(name)),
    );
  const all = { limit: 3, allows: () => true, signal };

  it('returns the nearest passages of allowed documents, like a full comparison', async () => {
    const { firstDocNo } = await publish(...names);
    await embed();
    const search = semantic();
    const found = await search.find('Title of candle candle two', all);
    expect(found[0]).toMatchObject({ docNo: firstDocNo + 2, ordinal: 2 });
    expect(found.map(({ docNo }) => docNo)).toEqual(Array(3).fill(firstDocNo + 2));

    const allows = (docNo: number) => docNo % 2 === 0;
    const rows = [];
    for await (const page of store.vectors.all(embedder.key)) rows.push(...page);
    expect(rows).toHaveLength(15);
    for (const query of ['apple one', 'candle', 'title two engine', 'dragon zero text']) {
      const [vector = new Float32Array()] = await embedder.embed([query]);
      const expected = rows
        .filter((row) => allows(row.docNo))
        .map((row) => ({
          ...row,
          similarity: row.vector.reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0),
        }))
        .sort((a, b) => b.similarity - a.similarity)
        .slice(0, 6);
      const six = await search.find(query, { limit: 6, allows, signal });
      expect(six.every(({ docNo }) => allows(docNo))).toBe(true);
      expect(six.map(rounded)).toEqual(expected.map(rounded));
    }
  });

  it('sees new embeddings, even from another process, and no removed documents', async () => {
    const search = semantic();
    expect(await search.find('apple', all)).toEqual([]);
    const { firstDocNo } = await publish('apple');
    expect(await search.find('apple', all)).toEqual([]);
    await embed();
    expect((await search.find('apple', all)).map(({ docNo }) => docNo)).toEqual(Array(3).fill(firstDocNo));

    const otherStore = stores.other.knowledge;
    const more = await publishDocuments(otherStore, [testDocument('bicycle')]);
    await embed(otherStore);
    const find = async () => (await search.find('bicycle', all)).map(({ docNo }) => docNo);
    await expect.poll(find).toEqual(Array(3).fill(more.firstDocNo));

    await store.removeDocuments([testDocument('bicycle').id]);
    const live = await store.vectors.documents();
    const left = await search.find('bicycle', { ...all, allows: (docNo) => live.has(docNo) });
    expect(left.map(({ docNo }) => docNo)).toEqual(Array(3).fill(firstDocNo));
  });

  it('finds a new document whose texts already had vectors', async () => {
    await publish('apple');
    await embed();
    const search = semantic();
    await search.find('apple', all);
    const { firstDocNo } = await publishDocuments(store, [
      { ...testDocument('apple'), id: 'copy', sourceId: 'copy.md' },
    ]);
    const found = await search.find('apple', { ...all, limit: 10 });
    expect(found.filter(({ docNo }) => docNo === firstDocNo)).toHaveLength(3);
  });

  it('embeds a query once, as a query, and not at all without vectors', async () => {
    const search = semantic();
    await search.find('apple', all);
    expect(embedder.queries).toEqual([]);
    await publish('apple');
    await embed();
    for (const query of ['apple', 'pear', 'apple', 'apple']) await search.find(query, all);
    expect(embedder.queries).toEqual(['apple', 'pear']);
    for (let index = 0; index < 500; index += 1) await search.find(`word${index}`, all);
    await search.find('apple', all);
    expect(embedder.queries.slice(-2)).toEqual(['word499', 'apple']);
  });

  it("explains what to do when the model's vectors and the stored ones differ in length", async () => {
    await publish('apple');
    await embed();
    const other = new WordEmbedder(32);
    const search = semantic(other);
    await expect(search.find('apple', all)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(/64 dimensions.*returns 32.*zoo embed rebuild/),
    });
  });

  it('uses rebuilt vectors, even from the same model', async () => {
    await publish('apple', 'bicycle');
    await embed();
    const search = semantic();
    const [before] = await search.find('apple', all);
    // Simulates a different model under the same name.
    embedder.sign = -1;
    await embedPending({ store, embedder, clock: stores.clock, logger: silentLogger }, { rebuild: true });
    const [after] = await search.find('apple', all);
    expect(after?.similarity).toBeLessThanOrEqual(0);
    expect(before?.similarity).toBeGreaterThan(0);
  });

  it('a large index sees a small change at once, and a large one after reading everything', async () => {
    const vectors = openLiveVectors({ store, embedder, maxSmallChange: 8 });
    const size = async () => (await vectors.current()).index.size;
    await publish('apple', 'bicycle', 'candle');
    await embed();
    expect(await size()).toBe(9);
    await publish('dragon');
    await embed();
    expect(await size()).toBe(12);

    await publish('engine', 'feather', 'garden');
    await embed();
    const sizes: number[] = [];
    await expect.poll(async () => sizes.push(await size()) && sizes.at(-1)).toBe(21);
    expect(sizes[0]).toBe(12);
    expect(new Set(sizes)).toEqual(new Set([12, 21]));
  });
});

/** Turns words into vectors without a server. */
class WordEmbedder implements Embedder {
  readonly key = 'words';
  readonly dims: number;
  readonly batchSize = 1_000;
  readonly queries: string[] = [];
  sign = 1;

  constructor(dims: number) {
    this.dims = dims;
  }

  async embed(texts: readonly string[], options?: { purpose: 'query' | 'document' }): Promise<Float32Array[]> {
    if (options?.purpose === 'query') this.queries.push(...texts);
    const sign = options?.purpose === 'document' ? this.sign : 1;
    return texts.map((text) => {
      const values = wordVector(text, this.dims).map((value) => value * sign);
      return unitVector(values) ?? new Float32Array(this.dims);
    });
  }
}

function rounded({ similarity }: { similarity: number }): number {
  return Math.round(similarity * 1e5) / 1e5;
}
