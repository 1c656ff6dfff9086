import type { Entry, EntryFields } from '../../base/entry-text.ts';

/** A text that is not valid JSON, even if comments and trailing commas are allowed. */
export class JsonTextError extends Error {
  readonly line: number;

  constructor(text: string, at: number, expected: string) {
    super(`expected ${expected}`);
    this.line = text.slice(0, at).split('\n').length;
  }
}

/** Parses JSON with comments and trailing commas. Throws JsonTextError. */
export function parseJsonText(text: string): unknown {
  return readText(text).value;
}

/**
 * Sets one entry and keeps everything else as it is, comments included. Returns undefined if the section is not an object. Throws
 * JsonTextError.
 */
export function setJsonEntry(text: string, { section, name, fields }: Entry): string | undefined {
  const root = readText(text);
  if (!root.members) return undefined;
  const style = styleOf(text);
  const found = root.members.find(({ key }) => key === section);
  if (!found) return insertMember(text, root, { key: section, value: { [name]: fields } }, style);
  if (!found.node.members) return undefined;
  const entry = found.node.members.find(({ key }) => key === name);
  if (!entry) return insertMember(text, found.node, { key: name, value: fields }, style);
  const { start, end } = entry.node;
  return text.slice(0, start) + written(fields, indentAt(text, entry.start), style) + text.slice(end);
}

interface Node {
  value: unknown;
  start: number;
  /** After the last character. */
  end: number;
  /** Set only for an object. */
  members?: Member[];
  hasTrailingComma?: boolean;
}

interface Member {
  key: string;
  start: number;
  node: Node;
}

interface Style {
  indent: string;
  newline: string;
}

function styleOf(text: string): Style {
  return { indent: /\n([ \t]+)"/.exec(text)?.[1] ?? '  ', newline: text.includes('\r\n') ? '\r\n' : '\n' };
}

function written(value: unknown, indent: string, { indent: step, newline }: Style): string {
  return JSON.stringify(value, null, step).replaceAll('\n', `${newline}${indent}`);
}

/** Returns the indentation of the text at this position; empty if other text precedes it on the line. */
function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))?.[0] ?? '';
}

function insertMember(
  text: string,
  node: Node,
  { key, value }: { key: string; value: EntryFields | Record<string, EntryFields> },
  style: Style,
): string {
  const close = node.end - 1;
  const last = node.members?.at(-1);
  const first = node.members?.[0];
  const isOneLine = first !== undefined && !text.slice(node.start, first.start).includes('\n');
  if (isOneLine) {
    const comma = node.hasTrailingComma ? '' : ', ';
    const at = last?.node.end ?? close;
    const rest = node.hasTrailingComma ? text.slice(at, close).trimEnd() : '';
    return `${text.slice(0, at)}${rest}${comma}${JSON.stringify(key)}: ${JSON.stringify(value)}${text.slice(at + rest.length)}`;
  }
  const outer = indentAt(text, node.start);
  const indent = first ? indentAt(text, first.start) : outer + style.indent;
  const member = `${style.newline}${indent}${JSON.stringify(key)}: ${written(value, indent, style)}${node.hasTrailingComma ? ',' : ''}`;
  // A comment after the last member stays with it.
  const end = text.slice(0, close).trimEnd().length;
  const before =
    last && !node.hasTrailingComma
      ? `${text.slice(0, last.node.end)},${text.slice(last.node.end, end)}`
      : text.slice(0, end);
  const gap = text.slice(end, close);
  return `${before}${member}${gap.includes('\n') ? gap : `${style.newline}${outer}`}${text.slice(close)}`;
}

const maxDepth = 200;

function readText(text: string): Node {
  let at = text.startsWith('\ufeff') ? 1 : 0;
  const fail = (expected: string): never => {
    throw new JsonTextError(text, at, expected);
  };

  function skip(): void {
    // White space, line comments and block comments.
    const space = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
    space.lastIndex = at;
    space.exec(text);
    at = space.lastIndex;
  }

  function take(pattern: RegExp, expected: string): string {
    pattern.lastIndex = at;
    const [token] = pattern.exec(text) ?? fail(expected);
    at += token.length;
    return token;
  }

  function string(): string {
    const start = at;
    const token = take(/"(?:[^"\\\n]|\\.)*"/y, 'a text in quotation marks');
    try {
      return JSON.parse(token);
    } catch {
      at = start;
      return fail('a valid text');
    }
  }

  function list(depth: number): Node {
    const start = at++;
    const value: unknown[] = [];
    for (skip(); text[at] !== ']'; skip()) {
      value.push(node(depth).value);
      skip();
      if (text[at] === ',') at += 1;
      else if (text[at] !== ']') fail('"," or "]"');
    }
    at += 1;
    return { value, start, end: at };
  }

  function object(depth: number): Node {
    const start = at++;
    const members: Member[] = [];
    let hasTrailingComma = false;
    for (skip(); text[at] !== '}'; skip()) {
      const memberStart = at;
      const key = string();
      skip();
      if (text[at] !== ':') fail('":"');
      at += 1;
      skip();
      members.push({ key, start: memberStart, node: node(depth) });
      skip();
      hasTrailingComma = text[at] === ',';
      if (hasTrailingComma) at += 1;
      else if (text[at] !== '}') fail('"," or "}"');
    }
    at += 1;
    // If a key occurs twice, the last one wins, so editing the first would have no effect.
    if (new Set(members.map(({ key }) => key)).size < members.length) fail('no name twice in one object');
    const value = Object.fromEntries(members.map(({ key, node: { value } }) => [key, value]));
    return { value, start, end: at, members, hasTrailingComma };
  }

  function node(depth: number): Node {
    if (depth > maxDepth) fail(`at most ${maxDepth} levels`);
    if (text[at] === '{') return object(depth + 1);
    if (text[at] === '[') return list(depth + 1);
    const start = at;
    const value =
      text[at] === '"'
        ? string()
        : JSON.parse(take(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y, 'a value'));
    return { value, start, end: at };
  }

  skip();
  const root = node(0);
  skip();
  if (at < text.length) fail('nothing after the end');
  return root;
}
