import { weightOfCode } from '../estimate-tokens.ts';
import { isSpace, type Span, trimEnd } from '../text-lines.ts';

/** Returns the starts of sentences in a span, including its own start. */
export function sentenceStarts(body: string, { start, end }: Span): number[] {
  const starts = [start];
  for (let at = start; at < end; at += 1) {
    const code = body.charCodeAt(at);
    if (!isSentenceEnd(code)) continue;
    let next = at + 1;
    while (next < end && isClosing(body.charCodeAt(next))) next += 1;
    // Chinese and Japanese have no space after a full stop. Elsewhere, the space tells an end from "3.5" and "a.b".
    if (code < 0x3000 && !isSpace(body.charCodeAt(next))) continue;
    while (next < end && isSpace(body.charCodeAt(next))) next += 1;
    if (next < end) starts.push(next);
    at = next - 1;
  }
  return starts;
}

export function lineStarts(body: string, { start, end }: Span): number[] {
  const starts = [start];
  for (let at = body.indexOf('\n', start); at >= 0 && at + 1 < end; at = body.indexOf('\n', at + 1))
    starts.push(at + 1);
  return starts;
}

/** Returns the spans between starts, without trailing spaces. Drops blank spans. */
export function spansBetween(body: string, starts: readonly number[], end: number): Span[] {
  const spans: Span[] = [];
  for (let index = 0; index < starts.length; index += 1) {
    const start = starts[index] as number; // The index is inside the list.
    const last = trimEnd(body, start, starts[index + 1] ?? end);
    if (last > start) spans.push({ start, end: last });
  }
  return spans;
}

/** Cuts a span into pieces of at most `maxWeight`, after a space if possible, else after punctuation, else anywhere. */
export function splitWords(body: string, { start, end }: Span, maxWeight: number): Span[] {
  const spans: Span[] = [];
  let from = start;
  while (from < end) {
    let weight = 0;
    let at = from;
    let afterSpace = -1;
    let afterPunctuation = -1;
    while (at < end) {
      const code = body.charCodeAt(at);
      weight += weightOfCode(code);
      if (weight > maxWeight && at > from) break;
      at += 1;
      if (isSpace(code)) afterSpace = at;
      else if (isPunctuation(code)) afterPunctuation = at;
    }
    if (at < end)
      at = afterSpace > from ? afterSpace : afterPunctuation > from ? afterPunctuation : wholeCharacter(body, from, at);
    const last = trimEnd(body, from, at);
    if (last > from) spans.push({ start: from, end: last });
    from = at;
    while (from < end && isSpace(body.charCodeAt(from))) from += 1;
  }
  return spans;
}

/** Moves an offset out of a surrogate pair. */
function wholeCharacter(body: string, from: number, at: number): number {
  const code = body.charCodeAt(at);
  if (code < 0xdc00 || code > 0xdfff) return at;
  return at - 1 > from ? at - 1 : at + 1;
}

function isSentenceEnd(code: number): boolean {
  return (
    code === 46 ||
    code === 33 ||
    code === 63 ||
    code === 0x2026 ||
    code === 0x3002 ||
    code === 0xff01 ||
    code === 0xff1f
  );
}

/** Closing brackets, quotation marks and emphasis marks that may follow the end of a sentence. */
function isClosing(code: number): boolean {
  return code === 41 || code === 93 || code === 34 || code === 39 || code === 42 || code === 95 || code === 0x201d;
}

function isPunctuation(code: number): boolean {
  return code === 44 || code === 59 || code === 125 || code === 62 || code === 124 || code === 41 || code === 93;
}
