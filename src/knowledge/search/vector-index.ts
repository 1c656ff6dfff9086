import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SimilarChunk } from '../embedder.ts';

/** Blocks of this size take a few milliseconds to scan and are never copied when the index grows. */
const floatsPerBlock = 1_572_864;
/** How long a scan may block the event loop. */
const sliceMs = 4;

/** One row per chunk, with its key and vector. Searches are exact, because they compare every vector. */
export class VectorIndex {
  readonly dims: number;
  readonly #rowsPerBlock: number;
  readonly #blocks: Block[] = [];
  #size = 0;

  constructor(dims: number) {
    this.dims = dims;
    this.#rowsPerBlock = Math.max(64, Math.floor(floatsPerBlock / dims));
  }

  get size(): number {
    return this.#size;
  }

  /** Copies the vector, which must have `dims` values. */
  add(docNo: number, ordinal: number, vector: Float32Array): void {
    const at = this.#size % this.#rowsPerBlock;
    if (at === 0) this.#blocks.push(newBlock(this.#rowsPerBlock, this.dims));
    const block = this.#blocks[this.#blocks.length - 1] as Block;
    block.docNos[at] = docNo;
    block.ordinals[at] = ordinal;
    block.values.set(vector, at * this.dims);
    this.#size += 1;
  }

  /** Returns `docNo/ordinal` of each row of these documents. */
  keysOf(docNos: ReadonlySet<number>): Set<string> {
    const keys = new Set<string>();
    for (const [block, { docNos: numbers, ordinals }] of this.#blocks.entries()) {
      const rows = Math.min(this.#rowsPerBlock, this.#size - block * this.#rowsPerBlock);
      for (let at = 0; at < rows; at += 1) {
        if (docNos.has(numbers[at] as number)) keys.add(`${numbers[at]}/${ordinals[at]}`);
      }
    }
    return keys;
  }

  /**
   * Returns the chunks with the largest dot products, best first, of documents that `allows` accepts. Ties are sorted by
   * document and chunk. Yields to the event loop every few milliseconds and ignores rows that are added in the meantime.
   */
  async nearest(
    query: Float32Array,
    { limit, allows, signal }: { limit: number; allows: (docNo: number) => boolean; signal?: AbortSignal },
  ): Promise<SimilarChunk[]> {
    const size = this.#size;
    const top = new TopRows(limit, (row, other) => this.#isBefore(row, other));
    let sliceBegan = performance.now();
    for (let start = 0; start < size; start += this.#rowsPerBlock) {
      if (performance.now() - sliceBegan > sliceMs) {
        await nextTurn();
        signal?.throwIfAborted();
        sliceBegan = performance.now();
      }
      const block = this.#blocks[start / this.#rowsPerBlock] as Block;
      scan(block, { start, rows: Math.min(this.#rowsPerBlock, size - start), query, allows, top });
    }
    return top.sorted().map(({ row, score }) => ({ ...this.#keyOf(row), similarity: score }));
  }

  #keyOf(row: number): { docNo: number; ordinal: number } {
    const block = this.#blocks[Math.floor(row / this.#rowsPerBlock)] as Block;
    const at = row % this.#rowsPerBlock;
    return { docNo: block.docNos[at] as number, ordinal: block.ordinals[at] as number };
  }

  #isBefore(row: number, other: number): boolean {
    const [a, b] = [this.#keyOf(row), this.#keyOf(other)];
    return a.docNo === b.docNo ? a.ordinal < b.ordinal : a.docNo < b.docNo;
  }
}

interface Block {
  docNos: Float64Array;
  ordinals: Uint32Array;
  values: Float32Array;
}

function newBlock(rows: number, dims: number): Block {
  return {
    docNos: new Float64Array(rows),
    ordinals: new Uint32Array(rows),
    values: new Float32Array(rows * dims),
  };
}

interface Scan {
  /** The number of the block's first row. */
  start: number;
  rows: number;
  query: Float32Array;
  allows: (docNo: number) => boolean;
  top: TopRows;
}

function scan({ docNos, values }: Block, { start, rows, query, allows, top }: Scan): void {
  const dims = query.length;
  let threshold = top.threshold;
  let lastDocNo = Number.NaN;
  let isAllowed = false;
  for (let at = 0; at < rows; at += 1) {
    const docNo = docNos[at] as number;
    // Chunks of one document are usually adjacent.
    if (docNo !== lastDocNo) {
      lastDocNo = docNo;
      isAllowed = allows(docNo);
    }
    if (!isAllowed) continue;
    const score = dot(values, at * dims, query);
    if (score < threshold) continue;
    top.offer(score, start + at);
    threshold = top.threshold;
  }
}

/** Uses four sums, so that additions need not wait for each other. All indexes are within both arrays. */
function dot(values: Float32Array, offset: number, query: Float32Array): number {
  const { length } = query;
  const whole = length & ~3;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let at = 0;
  for (; at < whole; at += 4) {
    const from = offset + at;
    a += (values[from] as number) * (query[at] as number);
    b += (values[from + 1] as number) * (query[at + 1] as number);
    c += (values[from + 2] as number) * (query[at + 2] as number);
    d += (values[from + 3] as number) * (query[at + 3] as number);
  }
  for (; at < length; at += 1) a += (values[offset + at] as number) * (query[at] as number);
  return a + b + (c + d);
}

/** Keeps the best `limit` rows, by score and then by `isBefore`. */
class TopRows {
  readonly #limit: number;
  readonly #isBefore: (row: number, other: number) => boolean;
  /** A heap with the worst row at its root. */
  readonly #scores: number[] = [];
  readonly #rows: number[] = [];

  constructor(limit: number, isBefore: (row: number, other: number) => boolean) {
    this.#limit = limit;
    this.#isBefore = isBefore;
  }

  /** Rows with a lower score need not be offered. */
  get threshold(): number {
    return this.#rows.length < this.#limit ? Number.NEGATIVE_INFINITY : (this.#scores[0] as number);
  }

  offer(score: number, row: number): void {
    if (this.#limit < 1) return;
    if (this.#rows.length < this.#limit) {
      this.#rows.push(row);
      this.#scores.push(score);
      this.#rise(this.#rows.length - 1);
    } else if (this.#isWorse(this.#scores[0] as number, this.#rows[0] as number, score, row)) {
      this.#scores[0] = score;
      this.#rows[0] = row;
      this.#sink();
    }
  }

  /** Returns the rows, best first. */
  sorted(): { row: number; score: number }[] {
    return this.#rows
      .map((row, at) => ({ row, score: this.#scores[at] as number }))
      .sort((a, b) => (this.#isWorse(a.score, a.row, b.score, b.row) ? 1 : -1));
  }

  #isWorse(score: number, row: number, otherScore: number, otherRow: number): boolean {
    return score < otherScore || (score === otherScore && this.#isBefore(otherRow, row));
  }

  #isWorseAt(at: number, other: number): boolean {
    const [scores, rows] = [this.#scores, this.#rows];
    return this.#isWorse(scores[at] as number, rows[at] as number, scores[other] as number, rows[other] as number);
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#isWorseAt(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(): void {
    for (let at = 0; ; ) {
      let worst = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < this.#rows.length && this.#isWorseAt(child, worst)) worst = child;
      }
      if (worst === at) return;
      this.#swap(at, worst);
      at = worst;
    }
  }

  #swap(at: number, other: number): void {
    for (const list of [this.#scores, this.#rows]) {
      const value = list[at] as number;
      list[at] = list[other] as number;
      list[other] = value;
    }
  }
}
