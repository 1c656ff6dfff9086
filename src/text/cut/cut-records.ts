import type { Chunk } from '../../knowledge/document.ts';
import { estimateTokens } from '../estimate-tokens.ts';
import { lineText, type Span, type TextLines } from '../text-lines.ts';
import { type ChunkLimits, type CutPlan, cutPassages, type Part } from './cut-passages.ts';
import { lineStarts, spansBetween } from './split-prose.ts';
import type { CutText, Wrap } from './wraps.ts';

const plan = { small: 1, joined: 1, isProse: false } satisfies Partial<CutPlan>;

/** Cuts a file of independent lines, such as a log. */
export function cutLines(lines: TextLines, limits: ChunkLimits): Chunk[] {
  const split = (span: Span) => spansBetween(lines.body, lineStarts(lines.body, span), span.end);
  return cutPassages({ lines, wraps: [] }, [wholeOf(lines)], { ...plan, split }, limits);
}

/** Cuts a CSV or TSV file between rows. Every passage begins with the header row, unless it is too long. */
export function cutTable(lines: TextLines, limits: ChunkLimits): Chunk[] {
  const { body } = lines;
  const header = lineText(lines, 0);
  const isShort = header.trim() !== '' && estimateTokens(header) <= limits.maxTokens / 8;
  const wrap: Wrap = { start: 0, end: body.length, open: isShort ? header : '', close: '', prefix: '', isWhole: false };
  const text: CutText = { lines, wraps: [wrap] };
  const split = (span: Span) => {
    const records = recordStarts(body, span);
    // Keeps the header with the first record.
    if (span.start === 0 && isShort && records.length > 2) records.splice(1, 1);
    return records.length > 1
      ? spansBetween(body, records, span.end)
      : spansBetween(body, lineStarts(body, span), span.end);
  };
  return cutPassages(text, [wholeOf(lines)], { ...plan, split }, limits);
}

/** Returns the starts of records. A line feed inside quotes does not end a record. */
function recordStarts(body: string, span: Span): number[] {
  const starts = [span.start];
  let isQuoted = false;
  for (let at = span.start; at < span.end; at += 1) {
    const code = body.charCodeAt(at);
    if (code === 34) isQuoted = !isQuoted;
    else if (code === 10 && !isQuoted && at + 1 < span.end) starts.push(at + 1);
  }
  return starts;
}

function wholeOf(lines: TextLines): Part {
  return { heading: [], start: 0, end: lines.count, parts: () => [] };
}
