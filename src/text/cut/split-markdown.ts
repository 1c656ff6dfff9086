import { weightOfToken } from '../estimate-tokens.ts';
import type { MarkdownBlock } from '../markdown/markdown-blocks.ts';
import { indentOf, isBlankLine, lineAt, lineStart, lineText, type Span, type TextLines } from '../text-lines.ts';
import type { ChunkLimits } from './cut-passages.ts';
import type { Split } from './cut-span.ts';
import { lineStarts, sentenceStarts, spansBetween } from './split-prose.ts';
import { type CutText, type Wrap, wrapAround, wrappedWeight, wrapsIn } from './wraps.ts';

interface Cutting {
  text: CutText;
  blocks: readonly MarkdownBlock[];
  most: number;
  /** The indent at which an item or paragraph begins in a line, or -1. */
  indentAt(line: number): number;
}

/** Where Markdown may be cut: between blocks, then by the kind of the block, and inside a fence only if it is too large itself. */
export function splitMarkdown(text: CutText, blocks: readonly MarkdownBlock[], { maxTokens }: ChunkLimits): Split {
  const { lines, wraps } = text;
  const { body } = lines;
  const cutting = { text, blocks, most: maxTokens * weightOfToken, indentAt: lineIndents(text) };
  return (span) => {
    const around = wrapAround(wraps, span.start) ?? wrapAround(wraps, span.end - 1);
    if (around && around.start <= span.start && around.end >= span.end) return splitInside(cutting, span, around);
    const starts = blockStarts(lines, blocks, span);
    if (starts.length > 1) return spansBetween(body, keepHeading(cutting, starts, span), span.end);
    const items = itemStarts(cutting, span);
    if (items.length > 1) return spansBetween(body, items, span.end);
    const inner = wrapsIn(wraps, span);
    if (inner.length > 0) return spansBetween(body, wrapEdges(lines, inner, span), span.end);
    const kind = blockAt(blocks, lineAt(lines, span.start))?.kind;
    const sentences = kind === 'html' || kind === 'code' ? [span.start] : sentenceStarts(body, span);
    return spansBetween(body, sentences.length > 1 ? sentences : lineStarts(body, span), span.end);
  };
}

/** Inside a fence or table: lines, the first with what opens it and the last with what closes it. */
function splitInside({ text, most }: Cutting, span: Span, wrap: Wrap): Span[] {
  const { lines } = text;
  const starts = lineStarts(lines.body, span);
  const isFence = wrap.isWhole;
  const head = isFence ? 1 : 2;
  if (span.start === wrap.start && starts.length > head + 1) {
    const together = { start: span.start, end: (starts[head + 1] ?? span.end) - 1 };
    if (wrappedWeight(text, together) <= most) starts.splice(1, head);
  }
  const last = starts.at(-1);
  const beforeLast = starts.at(-2);
  if (isFence && span.end === wrap.end && starts.length > 2 && last !== undefined && beforeLast !== undefined) {
    if (wrappedWeight(text, { start: beforeLast, end: span.end }) <= most) starts.pop();
  }
  return spansBetween(lines.body, starts, span.end);
}

function blockStarts(lines: TextLines, blocks: readonly MarkdownBlock[], span: Span): number[] {
  const starts = [span.start];
  for (let index = indexAfter(blocks, lineAt(lines, span.start)); index < blocks.length; index += 1) {
    const start = lineStart(lines, (blocks[index] as MarkdownBlock).start); // The index is inside the list.
    if (start >= span.end) break;
    if (start > span.start) starts.push(start);
  }
  return starts;
}

/** A heading is not left alone: what follows is cut already when both together do not fit, unless it is a fence or table. */
function keepHeading(cutting: Cutting, starts: number[], span: Span): number[] {
  const { text, blocks, most } = cutting;
  const { lines, wraps } = text;
  const [first, second, third = span.end] = starts;
  if (first === undefined || second === undefined) return starts;
  const isHeading = blockAt(blocks, lineAt(lines, first))?.kind === 'heading';
  if (!isHeading || wrappedWeight(text, { start: first, end: third }) <= most) return starts;
  const next = { start: second, end: third };
  if (wrapsIn(wraps, next).length > 0) return starts;
  const items = itemStarts(cutting, next);
  const inside = items.length > 1 ? items : sentenceStarts(lines.body, next);
  return [first, ...inside.slice(1), ...starts.slice(2)];
}

/** Each line is looked at once, however often it is asked for. */
function lineIndents({ lines, wraps }: CutText): Cutting['indentAt'] {
  const unknown = -2;
  const indents = new Int32Array(lines.count).fill(unknown);
  return (line) => {
    const found = indents[line] ?? unknown;
    if (found !== unknown) return found;
    const indent = beginsItem(lines, wraps, line) ? indentOf(lines, line) : -1;
    indents[line] = indent;
    return indent;
  };
}

function beginsItem(lines: TextLines, wraps: readonly Wrap[], line: number): boolean {
  if (isBlankLine(lines, line) || wrapAround(wraps, lineStart(lines, line))) return false;
  const marks = lineText(lines, line).trimStart().slice(0, 200);
  if (/^(?:>\s*)*(?:[-+*]|\d{1,9}[.)])\s/.test(marks)) return true;
  return line === 0 || isBlankLine(lines, line - 1) || /^[\s>]*$/.test(lineText(lines, line - 1).slice(0, 200));
}

/** Items of the outermost list in the span, or paragraphs of an item; never a place inside a fence. */
function itemStarts({ text: { lines }, indentAt }: Cutting, span: Span): number[] {
  const last = lineAt(lines, span.end - 1);
  let least = Number.POSITIVE_INFINITY;
  let starts: number[] = [];
  for (let line = lineAt(lines, span.start) + 1; line <= last; line += 1) {
    const indent = indentAt(line);
    if (indent < 0 || indent > least) continue;
    if (indent < least) starts = [span.start];
    least = indent;
    starts.push(lineStart(lines, line));
  }
  return starts.length === 0 ? [span.start] : starts;
}

/** Before and behind each fence in the span. */
function wrapEdges(lines: TextLines, inner: readonly Wrap[], span: Span): number[] {
  const starts = new Set([span.start]);
  for (const wrap of inner) {
    const behind = lineStart(lines, lineAt(lines, wrap.end - 1) + 1);
    if (wrap.start > span.start) starts.add(wrap.start);
    if (behind < span.end) starts.add(behind);
  }
  return [...starts].sort((a, b) => a - b);
}

function blockAt(blocks: readonly MarkdownBlock[], line: number): MarkdownBlock | undefined {
  const block = blocks[indexAfter(blocks, line + 1) - 1];
  return block && block.start <= line ? block : undefined;
}

/** The first block that begins at a line or behind it. */
function indexAfter(blocks: readonly MarkdownBlock[], line: number): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle] as MarkdownBlock).start < line) low = middle + 1;
    else high = middle;
  }
  return low;
}
