import type { ChunkLimits } from './cut-passages.ts';
import type { Split } from './cut-span.ts';
import { weightOfToken } from './estimate-tokens.ts';
import type { MarkdownBlock } from './markdown-blocks.ts';
import { lineStarts, sentenceStarts, spansBetween } from './split-prose.ts';
import { indentOf, isBlankLine, lineAt, lineStart, lineText, type Span, type TextLines } from './text-lines.ts';
import { type CutText, type Wrap, wrapAround, wrappedWeight, wrapsIn } from './wraps.ts';

/** Where Markdown may be cut: between blocks, then by the kind of the block, and inside a fence only if it is too large itself. */
export function splitMarkdown(text: CutText, blocks: readonly MarkdownBlock[], { maxTokens }: ChunkLimits): Split {
  const { lines, wraps } = text;
  const { body } = lines;
  const most = maxTokens * weightOfToken;
  return (span) => {
    const around = wrapAround(wraps, span.start) ?? wrapAround(wraps, span.end - 1);
    if (around && around.start <= span.start && around.end >= span.end) return splitInside(text, span, around, most);
    const starts = blockStarts(lines, blocks, span);
    if (starts.length > 1) return spansBetween(body, keepHeading(text, blocks, starts, span, most), span.end);
    const inner = wrapsIn(wraps, span);
    const first = lineAt(lines, span.start);
    for (const candidates of [itemStarts(lines, wraps, span), wrapEdges(lines, inner, span)]) {
      if (candidates.length > 1) return spansBetween(body, candidates, span.end);
    }
    if (inner.length > 0) return [];
    const kind = blockAt(blocks, first)?.kind;
    const sentences =
      kind === 'html' || kind === 'code' ? [] : spansBetween(body, sentenceStarts(body, span), span.end);
    return sentences.length > 1 ? sentences : spansBetween(body, lineStarts(body, span), span.end);
  };
}

/** Inside a fence or table: lines, the first with what opens it and the last with what closes it. */
function splitInside(text: CutText, span: Span, wrap: Wrap, most: number): Span[] {
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
function keepHeading(
  text: CutText,
  blocks: readonly MarkdownBlock[],
  starts: number[],
  span: Span,
  most: number,
): number[] {
  const { lines, wraps } = text;
  const [first, second, third = span.end] = starts;
  if (first === undefined || second === undefined) return starts;
  const isHeading = blockAt(blocks, lineAt(lines, first))?.kind === 'heading';
  if (!isHeading || wrappedWeight(text, { start: first, end: third }) <= most) return starts;
  const next = { start: second, end: third };
  if (wrapsIn(wraps, next).length > 0) return starts;
  const items = itemStarts(lines, wraps, next);
  const inside = items.length > 1 ? items : sentenceStarts(lines.body, next);
  return [first, ...inside.slice(1), ...starts.slice(2)];
}

/** Items of the outermost list in the span, or paragraphs of an item; never a place inside a fence. */
function itemStarts(lines: TextLines, wraps: readonly Wrap[], span: Span): number[] {
  const first = lineAt(lines, span.start);
  const last = lineAt(lines, span.end - 1);
  const found: { start: number; indent: number }[] = [];
  for (let line = first + 1; line <= last; line += 1) {
    const start = lineStart(lines, line);
    if (isBlankLine(lines, line) || wrapAround(wraps, start)) continue;
    const isItem = /^[\s>]*(?:[-+*]|\d{1,9}[.)])\s/.test(lineText(lines, line).slice(0, 200));
    const isParagraph = isBlankLine(lines, line - 1) || /^[\s>]*$/.test(lineText(lines, line - 1).slice(0, 200));
    if (isItem || isParagraph) found.push({ start, indent: indentOf(lines, line) });
  }
  const least = found.reduce((sum, { indent }) => Math.min(sum, indent), Number.POSITIVE_INFINITY);
  return [span.start, ...found.filter(({ indent }) => indent === least).map(({ start }) => start)];
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
