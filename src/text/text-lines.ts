import { weightOf, weightOfCode } from './estimate-tokens.ts';

/** A text with the offsets and weights of its lines. Lines are numbered from 0 here, and from 1 in passages. */
export interface TextLines {
  body: string;
  count: number;
  /** The offset of each line, plus a last entry as if another line followed. */
  starts: Float64Array;
  /** The weight of everything before each line, including line feeds. */
  weights: Float64Array;
}

/** A range of offsets. `end` is exclusive. */
export interface Span {
  start: number;
  end: number;
}

export function readLines(body: string): TextLines {
  let starts = new Float64Array(1024);
  let weights = new Float64Array(1024);
  let count = 0;
  let sum = 0;
  for (let index = 0; index < body.length; index += 1) {
    const code = body.charCodeAt(index);
    sum += weightOfCode(code);
    if (code !== 10) continue;
    count += 1;
    if (count + 1 >= starts.length) {
      starts = grown(starts);
      weights = grown(weights);
    }
    starts[count] = index + 1;
    weights[count] = sum;
  }
  starts[count + 1] = body.length + 1;
  weights[count + 1] = sum + weightOfCode(10);
  return { body, count: count + 1, starts, weights };
}

export function lineStart(lines: TextLines, line: number): number {
  return lines.starts[line] ?? lines.body.length + 1;
}

/** Returns the end of a line without its line feed. */
export function lineEnd(lines: TextLines, line: number): number {
  return lineStart(lines, line + 1) - 1;
}

export function lineText(lines: TextLines, line: number): string {
  return lines.body.slice(lineStart(lines, line), lineEnd(lines, line));
}

/** Returns the line that contains an offset. */
export function lineAt(lines: TextLines, offset: number): number {
  let low = 0;
  let high = lines.count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (lineStart(lines, middle) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Returns the weight of a span. Uses the sums for whole lines, so that it is cheap for any size. */
export function spanWeight(lines: TextLines, start: number, end: number): number {
  if (end <= start) return 0;
  const first = lineAt(lines, start);
  const last = lineAt(lines, end);
  if (first === last && !(start === lineStart(lines, first) && end === lineEnd(lines, first))) {
    return weightOf(lines.body, start, end);
  }
  const head = start === lineStart(lines, first) ? 0 : weightOf(lines.body, start, lineStart(lines, first + 1));
  const from = weightBefore(lines, head === 0 ? first : first + 1);
  if (end === lineEnd(lines, last)) return head + weightBefore(lines, last + 1) - weightOfCode(10) - from;
  return head + weightBefore(lines, last) - from + weightOf(lines.body, lineStart(lines, last), end);
}

/** Returns the lines from `first` to `last` (exclusive) without surrounding blank lines and trailing spaces; null if all are blank. */
export function trimLines(lines: TextLines, first: number, last: number): Span | null {
  let from = first;
  while (from < last && isBlankLine(lines, from)) from += 1;
  if (from >= last) return null;
  return { start: lineStart(lines, from), end: trimEnd(lines.body, lineStart(lines, from), lineEnd(lines, last - 1)) };
}

export function trimEnd(body: string, start: number, end: number): number {
  let at = end;
  while (at > start && isSpace(body.charCodeAt(at - 1))) at -= 1;
  return at;
}

export function isBlankLine(lines: TextLines, line: number): boolean {
  const end = lineEnd(lines, line);
  for (let at = lineStart(lines, line); at < end; at += 1) if (!isSpace(lines.body.charCodeAt(at))) return false;
  return true;
}

/** Returns the indentation in columns. A tab advances to the next multiple of four. */
export function indentOf(lines: TextLines, line: number): number {
  const end = lineEnd(lines, line);
  let columns = 0;
  for (let at = lineStart(lines, line); at < end; at += 1) {
    const code = lines.body.charCodeAt(at);
    if (code === 32) columns += 1;
    else if (code === 9) columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}

export function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x3000;
}

function weightBefore(lines: TextLines, line: number): number {
  return lines.weights[line] ?? 0;
}

function grown(array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(array.length * 2);
  larger.set(array);
  return larger;
}
