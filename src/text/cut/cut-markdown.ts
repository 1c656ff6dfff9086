import type { Chunk } from '../../knowledge/document.ts';
import { estimateTokens } from '../estimate-tokens.ts';
import { type MarkdownBlock, type MarkdownFence, readMarkdownBlocks } from '../markdown/markdown-blocks.ts';
import { plainHeading } from '../markdown/markdown-signs.ts';
import { lineEnd, lineStart, lineText, type TextLines, trimEnd } from '../text-lines.ts';
import { type ChunkLimits, type CutPlan, cutPassages, type Part } from './cut-passages.ts';
import type { Split } from './cut-span.ts';
import { splitMarkdown } from './split-markdown.ts';
import type { Wrap } from './wraps.ts';

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
