import { parse } from 'smol-toml';

/** One statement of a TOML file, with its place in the text: a header, or a key with its value. */
export interface TomlStatement {
  kind: 'table' | 'tables' | 'pair';
  /** From the root: the path of a table, or of a value. */
  path: readonly string[];
  /** The path of the table that a pair is written in. */
  table: readonly string[];
  /** Whether it is in a `[[…]]` table, so that its path names several values. */
  isRepeated: boolean;
  /** Where its first line begins, and where its last line ends, line break included. */
  start: number;
  end: number;
  /** The number of its first line, from 1. */
  line: number;
  /** The place of a pair's value. */
  value: { start: number; end: number };
}

/**
 * Lists the statements of a valid TOML text. smol-toml keeps no positions, so this reads headers, keys and the ends of values, and leaves
 * everything else to the parser. Throws a RangeError for a text that is not TOML.
 */
export function tomlStatements(text: string): TomlStatement[] {
  const found: TomlStatement[] = [];
  const repeated: string[][] = [];
  let table: string[] = [];
  let line = 1;
  let position = text.startsWith('\ufeff') ? 1 : 0;
  while (position < text.length) {
    const start = position;
    const first = skipSpace(text, position);
    const isStatement = first < text.length && !/[#\r\n]/.test(text.charAt(first));
    let end = isStatement ? first : lineEnd(text, first);
    if (isStatement && text[first] === '[') {
      const isRepeated = text[first + 1] === '[';
      const name = { start: first + (isRepeated ? 2 : 1), end: endOfKey(text, first + (isRepeated ? 2 : 1), ']') };
      table = keyPath(text.slice(name.start, name.end));
      if (isRepeated) repeated.push(table);
      end = lineEnd(text, name.end);
      found.push({
        kind: isRepeated ? 'tables' : 'table',
        path: table,
        table,
        isRepeated: isBelow(table, repeated),
        start,
        end,
        line,
        value: { start: end, end },
      });
    } else if (isStatement) {
      const equals = endOfKey(text, first, '=');
      const path = [...table, ...keyPath(text.slice(first, equals))];
      const value = { start: skipSpace(text, equals + 1), end: 0 };
      value.end = endOfValue(text, value.start);
      end = lineEnd(text, value.end);
      found.push({ kind: 'pair', path, table, isRepeated: isBelow(table, repeated), start, end, line, value });
    }
    line += text.slice(start, end).split('\n').length - 1;
    position = end;
  }
  return found;
}

/** Returns the places of the items of an array, which begins at `[`. */
export function arrayItems(text: string, array: { start: number; end: number }): { start: number; end: number }[] {
  const items: { start: number; end: number }[] = [];
  let position = array.start + 1;
  while (position < array.end - 1) {
    const character = text.charAt(position);
    if (character === '#') position = lineEnd(text, position);
    else if (/[\s,]/.test(character)) position += 1;
    else {
      const end = endOfValue(text, position);
      items.push({ start: position, end });
      position = end;
    }
  }
  return items;
}

export function startsWith(path: readonly string[], beginning: readonly string[]): boolean {
  return beginning.length <= path.length && beginning.every((part, index) => part === path[index]);
}

function isBelow(table: readonly string[], repeated: readonly string[][]): boolean {
  return repeated.some((each) => startsWith(table, each));
}

/** Lets the parser read a key, with its quotes and escapes. */
function keyPath(key: string): string[] {
  const path: string[] = [];
  let value: unknown = parse(`${key.trim()} = 0`);
  while (typeof value === 'object' && value !== null) {
    const [entry] = Object.entries(value);
    if (!entry) break;
    path.push(entry[0]);
    value = entry[1];
  }
  return path;
}

function skipSpace(text: string, from: number): number {
  let position = from;
  while (text[position] === ' ' || text[position] === '\t') position += 1;
  return position;
}

/** Returns the position after the next line break, or the end of the text. */
function lineEnd(text: string, from: number): number {
  const found = text.indexOf('\n', from);
  return found === -1 ? text.length : found + 1;
}

/** Returns the position of the sign that ends a key, which may contain it in quotes. */
function endOfKey(text: string, from: number, sign: ']' | '='): number {
  let position = from;
  while (position < text.length && text[position] !== sign) {
    position = isQuote(text[position]) ? endOfString(text, position) : position + 1;
  }
  return within(text, position);
}

function endOfValue(text: string, from: number): number {
  const sign = text[from];
  if (isQuote(sign)) return endOfString(text, from);
  if (sign === '[' || sign === '{') return endOfBrackets(text, from);
  let position = from;
  while (position < text.length && !/[,\]}#\r\n]/.test(text.charAt(position))) position += 1;
  while (/[ \t]/.test(text.charAt(position - 1))) position -= 1;
  return position;
}

function endOfBrackets(text: string, from: number): number {
  let depth = 0;
  let position = from;
  while (position < text.length) {
    const sign = text.charAt(position);
    if (isQuote(sign)) position = endOfString(text, position);
    else if (sign === '#') position = lineEnd(text, position);
    else {
      if (/[[{]/.test(sign)) depth += 1;
      if (/[\]}]/.test(sign)) depth -= 1;
      position += 1;
      if (depth === 0) return position;
    }
  }
  throw new RangeError('a bracket is not closed');
}

function endOfString(text: string, from: number): number {
  const quote = text.charAt(from);
  const isLong = text.startsWith(quote.repeat(3), from);
  const closing = isLong ? quote.repeat(3) : quote;
  let position = from + closing.length;
  while (position < text.length && !text.startsWith(closing, position))
    position += quote === '"' && text[position] === '\\' ? 2 : 1;
  position += closing.length;
  // Up to two quotes may stand before the three that end a long string.
  for (let more = 0; isLong && more < 2 && text[position] === quote; more += 1) position += 1;
  return within(text, position - 1) + 1;
}

function isQuote(sign: string | undefined): boolean {
  return sign === '"' || sign === "'";
}

function within(text: string, position: number): number {
  if (position < text.length) return position;
  throw new RangeError('the text ends too early');
}
