import { expect, test } from 'vitest';
import { type Collection, reduceCollection, toCollection } from '../bench/retrieval/collection.ts';
import { documentationCollection } from '../bench/retrieval/documentation-collection.ts';
import { ndcg } from '../bench/retrieval/evaluate.ts';
import { LuceneIndex, rememberedLength } from '../bench/retrieval/lucene.ts';
import { proseCollection } from '../bench/retrieval/prose-collection.ts';
import { measureKeyword } from '../bench/retrieval/quality.ts';
import { newTestDatabase } from './support/databases/test-database.ts';

/** Parts of what `npm run bench -- retrieval` measures in full; of packages that the lock pins, so the figures stand still. */
test.each([
  ['documentation', documentationCollection],
  ['prose', proseCollection],
])('keyword search over %s is above BM25 and the same on both databases', async (_, build) => {
  const collection = reduceCollection(build(), { documents: 150, queries: 30 });
  await using databases = await bothDatabases();

  const { ours, lucene, fts5, differing } = await measureKeyword(collection, databases);

  expect(ours.ndcg10).toBeGreaterThan(lucene.ndcg10);
  expect(ours.ndcg10).toBeGreaterThan(fts5.ndcg10);
  expect(ours.recall100).toBeGreaterThanOrEqual(lucene.recall100);
  expect(differing).toEqual([]);
});

test('a collection is reproducible, and no question occurs in a document', () => {
  const collection = proseCollection();
  expect(proseCollection()).toEqual(collection);
  const texts = collection.documents.map(({ text }) => text.replace(/\s+/g, ' '));
  expect(collection.queries.filter(({ text }) => texts.some((each) => each.includes(text)))).toEqual([]);
});

test('equal texts are one document, equal questions are one question, and text from a document is not a question', () => {
  const pairs = [
    { title: 'A', query: 'What is it?', text: 'Something green.' },
    { title: 'B', query: 'what is IT', text: 'Something blue.' },
    { title: 'C', query: 'Which colour?', text: 'Something, green!' },
    { title: 'D', query: 'Something blue', text: 'The sky.' },
  ];
  const { documents, queries }: Collection = toCollection('some', pairs, { extension: 'md', maxQueries: 10 });
  expect(documents.map(({ title }) => title)).toEqual(['A', 'B', 'D']);
  expect(queries).toEqual([
    { text: 'What is it?', relevant: new Set(['00000.md', '00001.md']) },
    { text: 'Which colour?', relevant: new Set(['00000.md']) },
  ]);
});

test.each([
  [['a', 'b'], ['a'], 1],
  [['x', 'a'], ['a'], 1 / Math.log2(3)],
  [['a', 'x', 'b'], ['a', 'b'], (1 + 1 / 2) / (1 + 1 / Math.log2(3))],
  [['x', 'y', 'a'], ['a'], 0],
  [[], ['a'], 0],
])('of %j with the answers %j the nDCG of the first two or three is known', (ids, relevant, expected) => {
  expect(ndcg(ids, new Set(relevant), relevant.length + 1)).toBeCloseTo(expected, 10);
});

test('BM25 matches Lucene: joined words, no stems, lengths in one byte', () => {
  const documents = [
    { id: 'joined', title: 'call fs.readFile', text: 'once' },
    { id: 'plural', title: 'files', text: 'read them' },
    { id: 'long', title: 'read', text: 'a b c d e f g h i j' },
  ];
  const index = new LuceneIndex(documents);
  expect(index.search('read', 10)).toEqual(['plural', 'long']);
  expect(index.search('FS.READFILE file', 10)).toEqual(['joined']);
  expect(index.search('nowhere', 10)).toEqual([]);
  expect([0, 23, 39, 40, 41, 42, 55, 56, 59, 60, 1_000].map(rememberedLength)).toEqual([
    0, 23, 39, 40, 40, 42, 54, 56, 56, 60, 984,
  ]);
});

async function bothDatabases() {
  const [sqlite, postgres] = await Promise.all([newTestDatabase('sqlite'), newTestDatabase('postgres')]);
  return {
    sqlite: sqlite.db,
    postgres: postgres.db,
    async [Symbol.asyncDispose]() {
      await Promise.all([sqlite.remove(), postgres.remove()]);
    },
  };
}
