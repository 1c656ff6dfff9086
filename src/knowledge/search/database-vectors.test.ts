import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../../../test/support/databases/test-database.ts';
import { testClock } from '../../../test/support/databases/test-store.ts';
import { startVectorPostgres } from '../../../test/support/databases/vector-postgres.ts';
import { publishDocuments, testDocument } from '../../../test/support/knowledge/test-knowledge.ts';
import { silentLogger } from '../../base/logger.ts';
import { unitVector } from '../../models/embeddings/request-vectors.ts';
import { openStore } from '../../store/open-store.ts';
import type { Embedder, SimilarQuery } from '../embedder.ts';
import type { KnowledgeStore } from '../store/knowledge-store.ts';
import { openDatabaseVectors } from './database-vectors.ts';
import { createSemanticSearch } from './semantic-search.ts';

const { signal } = new AbortController();
const clock = testClock();
const dims = 24;

/** The vectors of a query and of a saved text only depend on the text. */
const embedder: Embedder = {
  key: 'random',
  dims,
  batchSize: 100,
  embed: async (texts) => texts.map((text) => randomVector(text)),
};

let database: TestDatabase;
let store: Awaited<ReturnType<typeof openStore>>;
let knowledge: KnowledgeStore;
beforeAll(async () => {
  database = await startVectorPostgres();
  store = await openStore({ db: database.db, clock, logger: silentLogger });
  knowledge = store.knowledge;
}, 180_000);
afterAll(async () => {
  await store?.close();
  await database?.remove();
});

const compare = (index: 'memory' | 'pgvector') =>
  createSemanticSearch({ store: knowledge, embedder, index, logger: silentLogger });

async function embed(seed = ''): Promise<void> {
  const pending = await knowledge.vectors.pending(embedder.key, 10_000);
  await knowledge.vectors.save(
    embedder.key,
    pending.map(({ hash, text }) => ({ hash, vector: randomVector(text + seed) })),
  );
}

it('finds what the index in memory finds, whatever happens to documents and vectors', async () => {
  const names = Array.from({ length: 60 }, (_, at) => `document ${at}`);
  await publishDocuments(
    knowledge,
    names.map((name) => testDocument(name)),
  );
  // Stored before the database was prepared to compare them.
  await embed();
  const [memory, near] = [compare('memory'), compare('pgvector')];

  const expectSame = async (query: string, { limit = 12, only }: Partial<SimilarQuery> = {}) => {
    const visible = new Set((await knowledge.vectors.documents()).keys());
    const allows = (docNo: number) => (only ?? visible).has(docNo) && visible.has(docNo);
    const [expected, found] = await Promise.all(
      [memory, near].map((search) => search.find(query, { limit, allows, only, signal })),
    );
    expect(found?.map(keyOf)).toEqual(expected?.map(keyOf));
    for (const [at, each] of (found ?? []).entries())
      expect(each.similarity).toBeCloseTo(expected?.[at]?.similarity ?? 2, 5);
    return found ?? [];
  };

  expect(await expectSame('a question')).toHaveLength(12);
  expect(await expectSame('a wide question', { limit: 500 })).toHaveLength(180);
  const every = [...(await knowledge.vectors.documents()).keys()];
  const few = new Set(every.filter((_, at) => at % 20 === 3));
  const filtered = await expectSame('a question', { only: few });
  expect(filtered).toHaveLength(9);
  expect(filtered.every(({ docNo }) => few.has(docNo))).toBe(true);

  // Removed documents are gone from both at once, although their vectors are still stored.
  await knowledge.removeDocuments(names.slice(0, 50).map((name) => testDocument(name).id));
  expect(await expectSame('a question', { limit: 29 })).toHaveLength(29);
  await knowledge.vectors.prune();
  expect(await expectSame('a question', { limit: 100 })).toHaveLength(30);

  // New documents and new versions are published with one segment.
  await publishDocuments(knowledge, [testDocument('new'), testDocument('document 55', { version: '2' })]);
  expect(await expectSame('a question', { limit: 100 })).toHaveLength(27);
  await embed();
  expect(await expectSame('a question', { limit: 100 })).toHaveLength(33);

  // Vectors are replaced under the same hash, and all of them are made again.
  const before = await expectSame('document 57 one', { limit: 1 });
  await knowledge.vectors.clear({});
  expect(await near.find('a question', { limit: 5, allows: () => true, signal })).toEqual([]);
  await embed(' by another model');
  const after = await expectSame('document 57 one', { limit: 1 });
  expect(before[0]?.similarity).toBeCloseTo(1);
  expect(after[0]?.similarity).toBeLessThan(0.95);

  // A process that starts later finds everything prepared.
  expect(await compare('pgvector').find('a question', { limit: 100, allows: () => true, signal })).toHaveLength(33);
}, 120_000);

it('a search does not wait for the first copy of many vectors, and says so', async () => {
  const { vectors } = knowledge;
  if (!vectors.near) throw new Error('PostgreSQL can compare vectors.');
  const paused = Promise.withResolvers<void>();
  let pages = 0;
  const near = {
    ...boundNear(vectors.near),
    fill: async () => {
      pages += 1;
      if (pages === 3) await paused.promise;
      return pages === 4 ? 0 : 500;
    },
  };
  const current = openDatabaseVectors({
    vectors: { revision: async () => 1 },
    near,
    embedder,
    maxSmallChange: 1_000,
  });
  const refused = { code: 'UNAVAILABLE', message: expect.stringMatching(/being copied for pgvector \(\d+ so far\)/) };
  for (const _ of [1, 2]) await expect(current.current()).rejects.toMatchObject(refused);
  paused.resolve();
  await expect
    .poll(() =>
      current.current().then(
        () => pages,
        () => 0,
      ),
    )
    .toBe(4);
}, 60_000);

it('a search waits for a few new vectors, and a large change follows in the background', async () => {
  const { vectors } = knowledge;
  if (!vectors.near) throw new Error('PostgreSQL can compare vectors.');
  const paused = Promise.withResolvers<void>();
  let pages = 0;
  const near = {
    ...boundNear(vectors.near),
    // Three pages of 500, of which the last one waits.
    fill: async () => {
      pages += 1;
      if (pages % 4 === 3 && pages > 4) await paused.promise;
      return pages % 4 === 0 ? 0 : 500;
    },
  };
  let revision = 1;
  const current = openDatabaseVectors({
    vectors: { revision: async () => revision },
    near,
    embedder,
    maxSmallChange: 1_000,
  });
  await expect
    .poll(() =>
      current.current().then(
        () => pages,
        () => 0,
      ),
    )
    .toBe(4);
  revision = 2;
  await current.current();
  expect(pages).toBe(7);
  paused.resolve();
  await expect.poll(async () => (await current.current()) && pages).toBe(8);
}, 60_000);

it("says what to do when the model's vectors have another length", async () => {
  const other: Embedder = { ...embedder, dims: 8, embed: async () => [new Float32Array(8)] };
  const search = createSemanticSearch({ store: knowledge, embedder: other, index: 'pgvector', logger: silentLogger });
  await expect(search.find('a question', { limit: 5, allows: () => true, signal })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringMatching(/24 dimensions.*returns 8.*zoo embed rebuild/),
  });
}, 60_000);

it.each(databaseKinds)('without the extension, in %s, vectors are compared in memory, with a warning', async (kind) => {
  const plain = await newTestDatabase(kind);
  const opened = await openStore({ db: plain.db, clock, logger: silentLogger });
  try {
    await publishDocuments(opened.knowledge, [testDocument('apple')]);
    const pending = await opened.knowledge.vectors.pending(embedder.key, 10);
    const saved = pending.map(({ hash, text }) => ({ hash, vector: randomVector(text) }));
    await opened.knowledge.vectors.save(embedder.key, saved);
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (...entry: unknown[]) => void warnings.push(entry.at(-1)) };
    const search = createSemanticSearch({ store: opened.knowledge, embedder, index: 'pgvector', logger });
    for (const query of ['apple one', 'apple two'])
      expect(await search.find(query, { limit: 5, allows: () => true, signal })).toHaveLength(3);
    expect(warnings).toEqual([expect.stringMatching(/in memory.*(?:SQLite|extension "vector").*index = "memory"/)]);
  } finally {
    await opened.close();
    await plain.remove();
  }
});

function boundNear(near: NonNullable<KnowledgeStore['vectors']['near']>): typeof near {
  return {
    prepare: () => near.prepare(),
    fill: (model) => near.fill(model),
    dims: (model) => near.dims(model),
    nearest: (query) => near.nearest(query),
  };
}

function keyOf({ docNo, ordinal }: { docNo: number; ordinal: number }): string {
  return `${docNo}/${ordinal}`;
}

/** Makes the same unit vector for the same text every time. */
function randomVector(text: string): Float32Array {
  let state = [...text].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, 7);
  const values = Array.from({ length: dims }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state / 2 ** 31;
  });
  return unitVector(values) ?? new Float32Array(dims);
}
