import { parse } from 'smol-toml';
import { tomlValue } from '../../base/entry-text.ts';
import { arrayItems } from './toml-statements.ts';

interface Span {
  start: number;
  end: number;
}

/**
 * Changes an array that has one item per line, and keeps the lines of the items that stay, with their comments. Returns undefined for an
 * array that can be rewritten because it has no comments. Throws a RangeError if a comment would be lost.
 */
export function editArray(text: string, array: Span, wanted: readonly string[]): string | undefined {
  const items = arrayItems(text, array).map((span) => ({
    ...span,
    value: itemValue(text.slice(span.start, span.end)),
  }));
  const steps = stepsTo(
    items.map(({ value }) => value),
    wanted,
  );
  if (steps && items.length > 0 && items.every((item) => beginsLine(text, item))) return editLines(text, items, steps);
  if (hasComments(text, array, items)) throw new RangeError('a comment in the array would be lost');
  return undefined;
}

/** For each old item: whether it stays, and which new ones follow it. `first` come before all of them. */
interface Steps {
  first: readonly string[];
  items: readonly { isKept: boolean; added: readonly string[] }[];
}

/** Returns undefined if items change places. */
function stepsTo(old: readonly unknown[], wanted: readonly string[]): Steps | undefined {
  const first: string[] = [];
  const items: { isKept: boolean; added: string[] }[] = old.map(() => ({ isKept: false, added: [] }));
  let at = -1;
  for (const value of wanted) {
    const found = old.indexOf(value, at + 1);
    if (found !== -1) {
      at = found;
      items[found] = { isKept: true, added: [] };
    } else if (old.includes(value)) return undefined;
    else (items[at]?.added ?? first).push(value);
  }
  return { first, items };
}

function editLines(text: string, items: readonly Span[], steps: Steps): string {
  const newLine = text.includes('\r\n') ? '\r\n' : '\n';
  const [one] = items;
  const indent = one ? text.slice(lineStart(text, one.start), one.start) : '';
  const lines = (values: readonly string[]) =>
    values.map((value) => `${indent}${tomlValue(value)},${newLine}`).join('');
  let result = text;
  for (const [index, item] of [...items.entries()].reverse()) {
    const { isKept = false, added = [] } = steps.items[index] ?? {};
    const start = lineStart(text, item.start);
    const end = lineEnd(text, item.end);
    const hasComma = /^\s*(?:#[^\n]*\s*)*,/.test(text.slice(item.end));
    const own = `${text.slice(start, item.end)}${hasComma || added.length === 0 ? '' : ','}${text.slice(item.end, end)}`;
    result = `${result.slice(0, start)}${isKept ? own : ''}${lines(added)}${result.slice(end)}`;
  }
  const begin = one ? lineStart(text, one.start) : 0;
  return `${result.slice(0, begin)}${lines(steps.first)}${result.slice(begin)}`;
}

/** Whether the item is alone on its lines, except for its comma and a comment. */
function beginsLine(text: string, { start, end }: Span): boolean {
  return (
    /^[ \t]*$/.test(text.slice(lineStart(text, start), start)) &&
    /^[ \t]*,?[ \t]*(?:#.*)?\r?\n$/.test(text.slice(end, lineEnd(text, end)))
  );
}

function hasComments(text: string, array: Span, items: readonly Span[]): boolean {
  const starts = [array.start, ...items.map(({ end }) => end)];
  const ends = [...items.map(({ start }) => start), array.end];
  return starts.some((start, index) => text.slice(start, ends[index]).includes('#'));
}

function itemValue(item: string): unknown {
  return parse(`item = ${item}`).item;
}

function lineStart(text: string, position: number): number {
  return text.lastIndexOf('\n', position - 1) + 1;
}

function lineEnd(text: string, position: number): number {
  const found = text.indexOf('\n', position);
  return found === -1 ? text.length : found + 1;
}
