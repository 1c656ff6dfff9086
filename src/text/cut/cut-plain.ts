import type { Chunk } from '../../knowledge/document.ts';
import { isBlankLine, lineAt, lineStart, readLines, type Span, type TextLines } from '../text-lines.ts';
import { type ChunkLimits, type CutPlan, cutPassages, type Part } from './cut-passages.ts';
import { lineStarts, sentenceStarts, spansBetween } from './split-prose.ts';

const plan: Omit<CutPlan, 'split'> = { small: 0.25, joined: 0.5, isProse: true };

/** Cuts text without headings between paragraphs, then sentences, then lines. */
export function cutPlain(lines: TextLines, limits: ChunkLimits): Chunk[] {
  return cutProse(lines, [{ heading: [], start: 0, end: lines.count, parts: () => [] }], plan, limits);
}

/** Cuts pages, each under its number. Never joins pages, so that every passage can be found in the file. */
export function cutPages(pages: readonly string[], limits: ChunkLimits): { body: string; chunks: Chunk[] } {
  const filled = pages.map((text, index) => ({ text, number: index + 1 })).filter(({ text }) => text.trim() !== '');
  const lines = readLines(filled.map(({ text }) => text).join('\n\n'));
  let start = 0;
  const parts = filled.map(({ text, number }): Part => {
    const end = start + text.split('\n').length;
    const part = { heading: [`Page ${number}`], start, end, parts: () => [] };
    start = end + 1;
    return part;
  });
  return { body: lines.body, chunks: cutProse(lines, parts, { ...plan, small: 0 }, limits) };
}

function cutProse(lines: TextLines, parts: readonly Part[], rules: typeof plan, limits: ChunkLimits): Chunk[] {
  const split = (span: Span) => splitPlain(lines, span);
  return cutPassages({ lines, wraps: [] }, parts, { ...rules, split }, limits);
}

function splitPlain(lines: TextLines, span: Span): Span[] {
  const { body } = lines;
  for (const starts of [paragraphStarts(lines, span), sentenceStarts(body, span)]) {
    if (starts.length > 1) return spansBetween(body, starts, span.end);
  }
  return spansBetween(body, lineStarts(body, span), span.end);
}

function paragraphStarts(lines: TextLines, span: Span): number[] {
  const starts = [span.start];
  const last = lineAt(lines, span.end - 1);
  for (let line = lineAt(lines, span.start) + 1; line <= last; line += 1) {
    if (isBlankLine(lines, line - 1) && !isBlankLine(lines, line)) starts.push(lineStart(lines, line));
  }
  return starts;
}
