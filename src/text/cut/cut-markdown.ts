import type { Chunk } from '../../knowledge/document.ts';
import { estimateTokens, weightOfToken } from '../estimate-tokens.ts';
import { type MarkdownBlock, type MarkdownFence, readMarkdownBlocks } from '../markdown/markdown-blocks.ts';
import { plainHeading } from '../markdown/markdown-signs.ts';
import {
  indentOf,
  isBlankLine,
  lineAt,
  lineEnd,
  lineStart,
  lineText,
  type Span,
  type TextLines,
  trimEnd,
} from '../text-lines.ts';
import { type ChunkLimits, type CutPlan, cutPassages, type Part } from './cut-passages.ts';
import type { Split } from './cut-span.ts';
import { lineStarts, sentenceStarts, spansBetween } from './split-prose.ts';
import { type CutText, type Wrap, wrapAround, wrappedWeight, wrapsIn } from './wraps.ts';

/**
 * Sections of at most a quarter of the limit are joined with neighbours under the same parent up to half of it: a passage
 * of one sentence finds nothing, and one of many subjects is found for none of them.
 */
const plan = { small: 0.25, joined: 0.5, isProse: true } satisfies Partial<CutPlan>;

export interface CutMarkdown {
  /** The text of the first heading of the first level. */
  title: string | null;
  chunks: Chunk[];
}

/** Cuts along headings; what is too large, along its blocks. */
export function cutMarkdown(lines: TextLines, from: number, limits: ChunkLimits): CutMarkdown {
  const { blocks, fences } = readMarkdownBlocks(lines, from);
  const wraps = readWraps(lines, blocks, fences, limits);
  const headings = blocks.filter((block) => block.kind === 'heading');
  const top = headings.find((heading) => heading.level === 1);
  const text = { lines, wraps };
  const split: Split = splitMarkdown(text, blocks, limits);
  const parts = readSections(lines, headings, from);
  return {
    title: top ? plainHeading(top.title) || null : null,
    chunks: cutPassages(text, parts, { ...plan, split }, limits),
  };
}

interface Section {
  level: number;
  heading: string[];
  start: number;
  /** The line behind its heading. */
  bodyStart: number;
  /** Where its own text ends and its first section inside begins. */
  ownEnd: number;
  end: number;
  inside: Section[];
}

function readSections(lines: TextLines, headings: readonly MarkdownBlock[], from: number): Part[] {
  const end = lines.count;
  const root: Section = { level: 0, heading: [], start: from, bodyStart: from, ownEnd: end, end, inside: [] };
  const open = [root];
  for (const block of headings) {
    while ((open.at(-1)?.level ?? 0) >= block.level) {
      const closed = open.pop();
      if (closed) closed.end = block.start;
    }
    const parent = open.at(-1) ?? root;
    const name = plainHeading(block.title);
    const heading = name === '' ? parent.heading : [...parent.heading, name];
    // A heading with no text of its own goes with the first section under it.
    const isBare = parent !== root && parent.inside.length === 0 && isBlankBetween(lines, parent, block);
    const start = isBare ? parent.start : block.start;
    if (parent.inside.length === 0) parent.ownEnd = start;
    const section = { level: block.level, heading, start, bodyStart: block.end, ownEnd: end, end, inside: [] };
    parent.inside.push(section);
    open.push(section);
  }
  return partsOf(root);
}

function isBlankBetween(lines: TextLines, parent: Section, block: MarkdownBlock): boolean {
  const start = lineStart(lines, parent.bodyStart);
  return trimEnd(lines.body, start, lineStart(lines, block.start)) <= start;
}

function partsOf(section: Section): Part[] {
  const own: Part = {
    heading: section.heading,
    start: section.start,
    end: Math.min(section.ownEnd, section.end),
    parts: () => [],
  };
  const inside = section.inside.map((each) => toPart(each));
  return own.end > own.start ? [own, ...inside] : inside;
}

function toPart(section: Section): Part {
  const { heading, start, end } = section;
  return { heading, start, end, parts: () => (section.inside.length === 0 ? [] : partsOf(section)) };
}

function readWraps(
  lines: TextLines,
  blocks: readonly MarkdownBlock[],
  fences: readonly MarkdownFence[],
  { maxTokens }: ChunkLimits,
): Wrap[] {
  const tables = blocks.filter((block) => block.kind === 'table').map((block) => tableWrap(lines, block, maxTokens));
  return [...fences.map((fence) => fenceWrap(lines, fence, maxTokens)), ...tables].sort((a, b) => a.start - b.start);
}

function fenceWrap(lines: TextLines, fence: MarkdownFence, maxTokens: number): Wrap {
  const start = lineStart(lines, fence.start);
  const whole = trimEnd(lines.body, start, lineEnd(lines, fence.end - 1));
  const cheap = (text: string) => estimateTokens(text) <= maxTokens / 4;
  const prefix = cheap(fence.prefix) ? fence.prefix : '';
  const close = cheap(prefix + fence.marker) ? prefix + fence.marker : fence.marker.slice(0, 3);
  const open = [fence.info, fence.info.split(/[\s{,]/)[0] ?? '', ''].map((info) => close + info).find(cheap) ?? close;
  // An open one reaches past its end, so that a piece which ends there is closed.
  return { start, end: fence.isClosed ? whole : lineEnd(lines, fence.end - 1) + 1, open, close, prefix, isWhole: true };
}

function tableWrap(lines: TextLines, block: MarkdownBlock, maxTokens: number): Wrap {
  const header = `${lineText(lines, block.start)}\n${lineText(lines, block.start + 1)}`;
  const open = estimateTokens(header) <= maxTokens / 8 ? header : '';
  return {
    start: lineStart(lines, block.start),
    end: lineEnd(lines, block.end - 1),
    open,
    close: '',
    prefix: '',
    isWhole: false,
  };
}

interface Cutting {
  text: CutText;
  blocks: readonly MarkdownBlock[];
  most: number;
  /** The indent at which an item or paragraph begins in a line, or -1. */
  indentAt(line: number): number;
}

/** Where Markdown may be cut: between blocks, then by the kind of the block, and inside a fence only if it is too large itself. */
function splitMarkdown(text: CutText, blocks: readonly MarkdownBlock[], { maxTokens }: ChunkLimits): Split {
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
