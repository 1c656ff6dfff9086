import { weightOf } from '../estimate-tokens.ts';
import { lineAt, lineStart, type Span, spanWeight, type TextLines } from '../text-lines.ts';

/** A code fence or table. A piece that begins or ends inside it needs its opening or closing text added. */
export interface Wrap extends Span {
  /** Added before a piece that begins inside: the opening fence or the header rows. */
  open: string;
  /** The prefix of every line inside. Added before a piece that begins in the middle of a line. */
  prefix: string;
  /** Added after a piece that ends inside. */
  close: string;
  /** It may be cut only if it does not fit alone. */
  isWhole: boolean;
}

/** A text with the fences and tables in it. */
export interface CutText {
  lines: TextLines;
  /** Sorted and not nested. */
  wraps: readonly Wrap[];
}

/** Returns a piece with the wraps it needs. */
export function wrappedText(text: CutText, { start, end }: Span): string {
  return before(text, start) + text.lines.body.slice(start, end) + after(text, end);
}

/** Returns the weight of a piece with the wraps it needs. */
export function wrappedWeight(text: CutText, { start, end }: Span): number {
  return beforeWeight(text, start) + spanWeight(text.lines, start, end) + afterWeight(text, end);
}

export function beforeWeight(text: CutText, start: number): number {
  const added = before(text, start);
  return weightOf(added, 0, added.length);
}

export function afterWeight(text: CutText, end: number): number {
  const added = after(text, end);
  return weightOf(added, 0, added.length);
}

/** Returns the wrap that contains an offset, excluding its start and end. */
export function wrapAround(wraps: readonly Wrap[], offset: number): Wrap | undefined {
  const candidate = wraps[indexBefore(wraps, offset)];
  return candidate && offset < candidate.end ? candidate : undefined;
}

/** Returns the wraps that overlap a span. */
export function wrapsIn(wraps: readonly Wrap[], { start, end }: Span): Wrap[] {
  const found: Wrap[] = [];
  for (let index = Math.max(0, indexBefore(wraps, start)); index < wraps.length; index += 1) {
    const wrap = wraps[index] as Wrap; // The index is inside the list.
    if (wrap.start >= end) break;
    if (wrap.end > start) found.push(wrap);
  }
  return found;
}

function before({ lines, wraps }: CutText, start: number): string {
  const wrap = wrapAround(wraps, start);
  if (!wrap || wrap.open === '') return '';
  return lineStart(lines, lineAt(lines, start)) === start ? `${wrap.open}\n` : `${wrap.open}\n${wrap.prefix}`;
}

function after({ wraps }: CutText, end: number): string {
  const wrap = wrapAround(wraps, end);
  return wrap && wrap.close !== '' ? `\n${wrap.close}` : '';
}

/** Returns the index of the last wrap that begins before an offset, or -1. */
function indexBefore(wraps: readonly Wrap[], offset: number): number {
  let low = -1;
  let high = wraps.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((wraps[middle] as Wrap).start < offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
