export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
  /** Line numbers from 1; null where the line is not on that side. */
  before: number | null;
  after: number | null;
}

/** Above this many pairs to compare, a block without anchors counts as replaced: the cost stays bounded for any input. */
const mostPairs = 1_000_000;

/**
 * The lines of two texts as one list, in reading order. Lines that are unique on both sides anchor the
 * comparison (a patience diff), so that a moved paragraph does not tear its neighbours apart.
 */
export function diffLines(before: string, after: string): DiffLine[] {
  const removed = splitLines(before);
  const added = splitLines(after);
  const result: DiffLine[] = [];
  let beforeAt = 0;
  let afterAt = 0;
  for (const [beforeIndex, afterIndex] of [...commonPairs(removed, added), [removed.length, added.length] as const]) {
    for (; beforeAt < beforeIndex; beforeAt += 1) {
      result.push({ kind: 'removed', text: removed[beforeAt] ?? '', before: beforeAt + 1, after: null });
    }
    for (; afterAt < afterIndex; afterAt += 1) {
      result.push({ kind: 'added', text: added[afterAt] ?? '', before: null, after: afterAt + 1 });
    }
    if (beforeAt < removed.length && afterAt < added.length) {
      result.push({ kind: 'same', text: removed[beforeAt] ?? '', before: beforeAt + 1, after: afterAt + 1 });
      beforeAt += 1;
      afterAt += 1;
    }
  }
  return result;
}

export function countChanges(lines: readonly DiffLine[]): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const line of lines) {
    if (line.kind === 'added') added += 1;
    else if (line.kind === 'removed') removed += 1;
  }
  return { added, removed };
}

type Pair = readonly [before: number, after: number];

interface Block {
  beforeFrom: number;
  beforeTo: number;
  afterFrom: number;
  afterTo: number;
}

function splitLines(text: string): string[] {
  return text === '' ? [] : text.split(/\r\n|\n|\r/);
}

/** Index pairs of equal lines, growing on both sides. */
function commonPairs(before: readonly string[], after: readonly string[]): Pair[] {
  const pairs: Pair[] = [];
  const blocks: Block[] = [{ beforeFrom: 0, beforeTo: before.length, afterFrom: 0, afterTo: after.length }];
  for (let block = blocks.pop(); block; block = blocks.pop()) {
    let { beforeFrom, beforeTo, afterFrom, afterTo } = block;
    while (beforeFrom < beforeTo && afterFrom < afterTo && before[beforeFrom] === after[afterFrom]) {
      pairs.push([beforeFrom, afterFrom]);
      beforeFrom += 1;
      afterFrom += 1;
    }
    while (beforeFrom < beforeTo && afterFrom < afterTo && before[beforeTo - 1] === after[afterTo - 1]) {
      beforeTo -= 1;
      afterTo -= 1;
      pairs.push([beforeTo, afterTo]);
    }
    if (beforeFrom === beforeTo || afterFrom === afterTo) continue;
    const inner = { beforeFrom, beforeTo, afterFrom, afterTo };
    const anchors = uniqueAnchors(before, after, inner);
    if (anchors.length === 0) {
      for (const pair of longestCommon(before, after, inner)) pairs.push(pair);
      continue;
    }
    for (const [beforeIndex, afterIndex] of [...anchors, [beforeTo, afterTo] as const]) {
      blocks.push({ beforeFrom, beforeTo: beforeIndex, afterFrom, afterTo: afterIndex });
      beforeFrom = beforeIndex + 1;
      afterFrom = afterIndex + 1;
    }
    for (const pair of anchors) pairs.push(pair);
  }
  return pairs.sort((left, right) => left[0] - right[0]);
}

/** Lines that occur once on each side, the longest run of them that keeps its order. */
function uniqueAnchors(before: readonly string[], after: readonly string[], block: Block): Pair[] {
  const inBefore = uniqueLines(before, block.beforeFrom, block.beforeTo);
  const inAfter = uniqueLines(after, block.afterFrom, block.afterTo);
  const candidates: Pair[] = [];
  for (const [text, beforeIndex] of inBefore) {
    const afterIndex = inAfter.get(text);
    if (beforeIndex >= 0 && afterIndex !== undefined && afterIndex >= 0) candidates.push([beforeIndex, afterIndex]);
  }
  return longestIncreasing(candidates);
}

/** Index by line; -1 for a line that is there more than once. In order of first occurrence. */
function uniqueLines(lines: readonly string[], from: number, to: number): Map<string, number> {
  const found = new Map<string, number>();
  for (let index = from; index < to; index += 1) {
    const text = lines[index] ?? '';
    found.set(text, found.has(text) ? -1 : index);
  }
  return found;
}

/** Patience sorting: `pairs` grow in `before`; the answer grows in `after` too. */
function longestIncreasing(pairs: readonly Pair[]): Pair[] {
  const tails: number[] = [];
  const previous: number[] = [];
  for (const [index, [, afterIndex]] of pairs.entries()) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const tail = pairs[tails[middle] ?? 0];
      if (tail && tail[1] < afterIndex) low = middle + 1;
      else high = middle;
    }
    previous[index] = low > 0 ? (tails[low - 1] ?? -1) : -1;
    tails[low] = index;
  }
  const chosen: Pair[] = [];
  for (let index = tails.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) {
    const pair = pairs[index];
    if (pair) chosen.push(pair);
  }
  return chosen.reverse();
}

/** The textbook table, for blocks where every line repeats. */
function longestCommon(before: readonly string[], after: readonly string[], block: Block): Pair[] {
  const rows = block.beforeTo - block.beforeFrom;
  const columns = block.afterTo - block.afterFrom;
  if (rows * columns > mostPairs) return [];
  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0;
  const equal = (row: number, column: number) => before[block.beforeFrom + row] === after[block.afterFrom + column];
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      lengths[row * width + column] = equal(row, column)
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const pairs: Pair[] = [];
  for (let row = 0, column = 0; row < rows && column < columns; ) {
    if (equal(row, column)) {
      pairs.push([block.beforeFrom + row, block.afterFrom + column]);
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) {
      row += 1;
    } else {
      column += 1;
    }
  }
  return pairs;
}
