import { array, assert, asyncProperty, integer, nat, record, uniqueArray } from 'fast-check';
import { expect, it } from 'vitest';
import type { SimilarChunk } from '../embedder.ts';
import { VectorIndex } from './vector-index.ts';

interface Row {
  docNo: number;
  ordinal: number;
  values: number[];
}

it('finds the same rows as a full comparison, for random rows and filters', async () => {
  // Small whole numbers: every sum is exact, and ties are many.
  const vector = (dims: number) => array(integer({ min: -2, max: 2 }), { minLength: dims, maxLength: dims });
  await assert(
    asyncProperty(integer({ min: 1, max: 11 }), nat(40), nat(9), async (dims, limit, filter) => {
      const allows = (docNo: number) => (docNo * 7 + filter) % 3 !== 0;
      const rows = uniqueArray(record({ docNo: nat(20), ordinal: nat(5), values: vector(dims) }), {
        maxLength: 60,
        selector: ({ docNo, ordinal }) => `${docNo}/${ordinal}`,
      });
      await assert(
        asyncProperty(rows, vector(dims), async (some, query) => {
          const index = indexOf(dims, some);
          const found = await index.nearest(Float32Array.from(query), { limit, allows });
          expect(found).toEqual(bruteForce(some, query, { limit, allows }));
        }),
        { numRuns: 5 },
      );
    }),
    { numRuns: 40 },
  );
});

it('spans several blocks and filters before the limit', async () => {
  const dims = 24_576;
  // One row in 97 is in direction 0, growing with its number.
  const rows = Array.from({ length: 500 }, (_, docNo) => ({ docNo, ordinal: 0, at: docNo % 97 }));
  const index = new VectorIndex(dims);
  for (const { docNo, ordinal, at } of rows) {
    const values = new Float32Array(dims);
    values[at] = docNo;
    index.add(docNo, ordinal, values);
  }
  expect(index.size).toBe(500);
  const query = new Float32Array(dims);
  query[0] = 1;
  const find = (limit: number, allows: (docNo: number) => boolean) => index.nearest(query, { limit, allows });
  expect((await find(3, () => true)).map(({ docNo }) => docNo)).toEqual([485, 388, 291]);
  expect((await find(3, (docNo) => docNo < 300)).map(({ docNo }) => docNo)).toEqual([291, 194, 97]);
  expect(await find(0, () => true)).toEqual([]);
  expect(await find(3, () => false)).toEqual([]);
  expect(await find(1_000, () => true)).toHaveLength(500);
});

it('ignores rows that are added during a search', async () => {
  const index = indexOf(2, [{ docNo: 1, ordinal: 0, values: [1, 0] }]);
  const searching = index.nearest(Float32Array.of(1, 0), {
    limit: 5,
    allows: (docNo) => {
      if (docNo === 1) index.add(2, 0, Float32Array.of(9, 0));
      return true;
    },
  });
  expect(await searching).toEqual([{ docNo: 1, ordinal: 0, similarity: 1 }]);
});

function indexOf(dims: number, rows: readonly Row[]): VectorIndex {
  const index = new VectorIndex(dims);
  for (const { docNo, ordinal, values } of rows) index.add(docNo, ordinal, Float32Array.from(values));
  return index;
}

function bruteForce(
  rows: readonly Row[],
  query: readonly number[],
  { limit, allows }: { limit: number; allows: (docNo: number) => boolean },
): SimilarChunk[] {
  return rows
    .filter(({ docNo }) => allows(docNo))
    .map(({ docNo, ordinal, values }) => {
      const similarity = values.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0);
      // No zero with a sign.
      return { docNo, ordinal, similarity: similarity + 0 };
    })
    .sort((a, b) => b.similarity - a.similarity || a.docNo - b.docNo || a.ordinal - b.ordinal)
    .slice(0, limit);
}
