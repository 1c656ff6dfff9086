import { WordFinder } from './find-words.ts';

/** The length of a snippet in characters, without marks. */
const targetLength = 240;
/** How far an edge may move to fall between words. */
const slack = 24;

/** Returns a function that cuts out the part of a text with the most matches and puts `**` around each. Without a match, it returns the beginning. */
export function createSnippets(words: Iterable<string>): (text: string) => string {
  const finder = new WordFinder(words);
  return (text) => {
    // Only double asterisks are marks, so single ones stay.
    const clean = text
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/\*{2,}/g, '*')
      .trim();
    const { words: found, starts, ends } = finder.find(clean);
    const tokens = found.map((word, index) => ({ word, start: starts[index] ?? 0, end: ends[index] ?? 0 }));
    const [start, end] = wholeWords(clean, bestWindow(tokens, clean.length));
    return `${start > 0 ? '… ' : ''}${addMarks(clean, joinAdjacent(tokens), [start, end])}${end < clean.length ? ' …' : ''}`;
  };
}

interface Token {
  word: number;
  start: number;
  end: number;
}

type Range = readonly [start: number, end: number];

/** Returns the window with the most different words, then the most words, then the first, centred on them. */
function bestWindow(tokens: readonly Token[], length: number): Range {
  let best: Range = [0, 0];
  let bestValue = 0;
  for (const [index, { start }] of tokens.entries()) {
    const inside = [];
    for (let next = index; next < tokens.length && (tokens[next]?.end ?? 0) - start <= targetLength; next++) {
      inside.push(tokens[next]);
    }
    const value = new Set(inside.map((each) => each?.word)).size * 1_000 + inside.length;
    if (value <= bestValue) continue;
    bestValue = value;
    best = [start, inside.at(-1)?.end ?? start];
  }
  const before = Math.max(0, Math.floor((targetLength - (best[1] - best[0])) / 2));
  const start = Math.max(0, Math.min(best[0] - before, length - targetLength));
  return [start, Math.min(length, Math.max(start + targetLength, 0))];
}

function wholeWords(text: string, [start, end]: Range): Range {
  let from = start;
  let to = end;
  if (start > 0) {
    const space = text.indexOf(' ', start - 1);
    if (space >= 0 && space - start < slack) from = space + 1;
    else if (isLowSurrogate(text, start)) from = start + 1;
  }
  if (end < text.length) {
    const space = text.lastIndexOf(' ', end);
    if (space > from && end - space < slack) to = space;
    else if (isLowSurrogate(text, end)) to = end - 1;
  }
  return [from, to];
}

/** Joins adjacent tokens, such as the characters of a Chinese word, into one mark. */
function joinAdjacent(tokens: readonly Token[]): Range[] {
  const ranges: [number, number][] = [];
  for (const { start, end } of tokens) {
    const last = ranges.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else ranges.push([start, end]);
  }
  return ranges;
}

/** Puts `**` around the ranges. Drops asterisks next to a mark, which would be read as part of it. */
function addMarks(text: string, ranges: readonly Range[], [start, end]: Range): string {
  let result = '';
  let position = start;
  for (const range of ranges) {
    const from = Math.max(range[0], start);
    const to = Math.min(range[1], end);
    if (to <= from) continue;
    const between = text.slice(position, from);
    result += (result === '' ? between : between.replace(/^\*+/, '')).replace(/\*+$/, '');
    result += `${result.endsWith('**') ? ' ' : ''}**${text.slice(from, to)}**`;
    position = to;
  }
  const rest = text.slice(position, end);
  return result + (result === '' ? rest : rest.replace(/^\*+/, ''));
}

function isLowSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code < 0xe000;
}
