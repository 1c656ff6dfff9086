import type { Chunk } from '../knowledge/document.ts';
import { type ChunkLimits, type CutPlan, cutPassages, type Part } from './cut-passages.ts';
import { lineStarts, sentenceStarts, spansBetween } from './split-prose.ts';
import { isBlankLine, lineAt, lineStart, type Span, type TextLines } from './text-lines.ts';

const plan = { small: 0.25, joined: 0.5, isProse: true } satisfies Partial<CutPlan>;

/** Text without headings: between paragraphs, then sentences, then lines. */
export function cutPlain(lines: TextLines, limits: ChunkLimits): Chunk[] {
  return cutProseParts(lines, [{ heading: [], start: 0, end: lines.count, parts: () => [] }], limits);
}

/** The same under headings that something else knows, such as pages. */
export function cutProseParts(lines: TextLines, parts: readonly Part[], limits: ChunkLimits): Chunk[] {
  const split = (span: Span) => splitPlain(lines, span);
  return cutPassages({ lines, wraps: [] }, parts, { ...plan, split }, limits);
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
