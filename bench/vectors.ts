import { VectorIndex } from '../src/knowledge/search/vector-index.ts';
import { type BenchRow, measureRounds } from './measure.ts';

const rows = 50_000;
const dims = 384;
const queriesOfRound = 5;
const goal = 2;

/** Measures search by meaning over vectors in memory against the minimum work: one dot product per row. */
export async function measureVectors(rounds = 7): Promise<BenchRow> {
  const matrix = new Float32Array(rows * dims).map(() => Math.random() - 0.5);
  const index = new VectorIndex(dims);
  for (let row = 0; row < rows; row += 1) index.add(row >> 2, row & 3, matrix.subarray(row * dims, (row + 1) * dims));
  const allows = () => true;
  const query = () => new Float32Array(dims).map(() => Math.random() - 0.5);

  const { bare, ours } = await measureRounds(rounds, {
    bare: () => timed(async () => bareLoop(matrix, query())),
    ours: () => timed(async () => (await index.nearest(query(), { limit: 80, allows })).length),
  });
  const ratio = ours / bare;
  return {
    what: `nearest 80 of ${rows.toLocaleString('en')} × ${dims} vectors`,
    floor: 'bare Float32 loop',
    ratio,
    goal: `≤ ${goal}`,
    isMet: ratio <= goal,
    detail: `${ours.toFixed(1)} ms against ${bare.toFixed(1)} ms`,
  };
}

async function timed(run: () => Promise<number>): Promise<number> {
  const began = performance.now();
  let seen = 0;
  for (let turn = 0; turn < queriesOfRound; turn += 1) seen += await run();
  if (Number.isNaN(seen)) throw new Error('a search gave no number');
  return (performance.now() - began) / queriesOfRound;
}

/** Finds only the best score: no filter, no heap, no pause. Uses four sums, as any fast version would. */
function bareLoop(matrix: Float32Array, query: Float32Array): number {
  let best = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < rows; row += 1) {
    const offset = row * dims;
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let at = 0; at < dims; at += 4) {
      a += (matrix[offset + at] as number) * (query[at] as number);
      b += (matrix[offset + at + 1] as number) * (query[at + 1] as number);
      c += (matrix[offset + at + 2] as number) * (query[at + 2] as number);
      d += (matrix[offset + at + 3] as number) * (query[at + 3] as number);
    }
    best = Math.max(best, a + b + c + d);
  }
  return best;
}
