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
 * Joins sections of up to a quarter of the limit with their siblings, up to half the limit: a passage of one sentence is
 * too small to match, and one with many topics ranks low for each of them.
 */
const plan = { small: 0.25, joined: 0.5, isProse: true } satisfies Partial<CutPlan>;

export interface CutMarkdown {
  /** The text of the first level-1 heading. */
  title: string | null;
  chunks: Chunk[];
}

/** Cuts between headings, and large sections between their blocks. */
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
  /** The line after its heading. */
  bodyStart: number;
  /** Where its own text ends and its first subsection begins. */
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
    // A heading without text joins the first section under it.
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
  const introduction: Part = {
    heading: section.heading,
    start: section.start,
    end: Math.min(section.ownEnd, section.end),
    parts: () => [],
  };
  const inside = section.inside.map((each) => toPart(each));
  return introduction.end > introduction.start ? [introduction, ...inside] : inside;
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
  const isShort = (text: string) => estimateTokens(text) <= maxTokens / 4;
  const prefix = isShort(fence.prefix) ? fence.prefix : '';
  const close = isShort(prefix + fence.marker) ? prefix + fence.marker : fence.marker.slice(0, 3);
  const open = [fence.info, fence.info.split(/[\s{,]/)[0] ?? '', ''].map((info) => close + info).find(isShort) ?? close;
  // An unclosed fence reaches past its end, so that the last piece gets a closing marker.
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
  maxWeight: number;
  /** The indent of an item or paragraph that begins on a line, or -1. */
  indentAt(line: number): number;
}

/** Returns where Markdown may be cut: between blocks, then depending on the kind of block, and inside a fence only if it is too large itself. */
function splitMarkdown(text: CutText, blocks: readonly MarkdownBlock[], { maxTokens }: ChunkLimits): Split {
  const { lines, wraps } = text;
  const { body } = lines;
  const cutting = { text, blocks, maxWeight: maxTokens * weightOfToken, indentAt: lineIndents(text) };
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

/** Cuts a fence or table between lines. Keeps the opening with the first line and the closing with the last. */
function splitInside({ text, maxWeight }: Cutting, span: Span, wrap: Wrap): Span[] {
  const { lines } = text;
  const starts = lineStarts(lines.body, span);
  const isFence = wrap.isWhole;
  const head = isFence ? 1 : 2;
  if (span.start === wrap.start && starts.length > head + 1) {
    const together = { start: span.start, end: (starts[head + 1] ?? span.end) - 1 };
    if (wrappedWeight(text, together) <= maxWeight) starts.splice(1, head);
  }
  const last = starts.at(-1);
  const beforeLast = starts.at(-2);
  if (isFence && span.end === wrap.end && starts.length > 2 && last !== undefined && beforeLast !== undefined) {
    if (wrappedWeight(text, { start: beforeLast, end: span.end }) <= maxWeight) starts.pop();
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

/** Keeps a heading with the beginning of the next block, which is cut if both do not fit, unless it is a fence or table. */
function keepHeading(cutting: Cutting, starts: number[], span: Span): number[] {
  const { text, blocks, maxWeight } = cutting;
  const { lines, wraps } = text;
  const [first, second, third = span.end] = starts;
  if (first === undefined || second === undefined) return starts;
  const isHeading = blockAt(blocks, lineAt(lines, first))?.kind === 'heading';
  if (!isHeading || wrappedWeight(text, { start: first, end: third }) <= maxWeight) return starts;
  const next = { start: second, end: third };
  if (wrapsIn(wraps, next).length > 0) return starts;
  const items = itemStarts(cutting, next);
  const inside = items.length > 1 ? items : sentenceStarts(lines.body, next);
  return [first, ...inside.slice(1), ...starts.slice(2)];
}

/** Caches the indents, so that each line is read once. */
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

/** Returns the starts of the items in the outermost list, or of the paragraphs in an item. Never inside a fence. */
function itemStarts({ text: { lines }, indentAt }: Cutting, span: Span): number[] {
  const last = lineAt(lines, span.end - 1);
  let minIndent = Number.POSITIVE_INFINITY;
  let starts: number[] = [];
  for (let line = lineAt(lines, span.start) + 1; line <= last; line += 1) {
    const indent = indentAt(line);
    if (indent < 0 || indent > minIndent) continue;
    if (indent < minIndent) starts = [span.start];
    minIndent = indent;
    starts.push(lineStart(lines, line));
  }
  return starts.length === 0 ? [span.start] : starts;
}

/** Returns the offsets before and after each fence in the span. */
function wrapEdges(lines: TextLines, inner: readonly Wrap[], span: Span): number[] {
  const starts = new Set([span.start]);
  for (const wrap of inner) {
    const after = lineStart(lines, lineAt(lines, wrap.end - 1) + 1);
    if (wrap.start > span.start) starts.add(wrap.start);
    if (after < span.end) starts.add(after);
  }
  return [...starts].sort((a, b) => a - b);
}

function blockAt(blocks: readonly MarkdownBlock[], line: number): MarkdownBlock | undefined {
  const block = blocks[indexAfter(blocks, line + 1) - 1];
  return block && block.start <= line ? block : undefined;
}

/** Returns the index of the first block that begins at or after a line. */
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
