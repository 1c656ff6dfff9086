import { isDeepStrictEqual } from 'node:util';
import { parse } from 'smol-toml';
import { tomlKey, tomlValue } from '../../base/entry-text.ts';
import { HubError } from '../../base/hub-error.ts';
import { isRecord } from '../../base/is-record.ts';
import { parseToml, type RawConfig } from '../read-config.ts';
import { editArray } from './edit-array.ts';
import { startsWith, type TomlStatement, tomlStatements } from './toml-statements.ts';

export type TomlValue = string | number | boolean | readonly string[];

/** One change to a TOML file. */
export type TomlEdit =
  /** Changes or adds a value. The table it belongs to is added if it is missing. */
  | { kind: 'set'; path: readonly string[]; value: TomlValue }
  /** Removes a value, or a table with everything in it. */
  | { kind: 'unset'; path: readonly string[] }
  /** Appends a text that begins with a header. */
  | { kind: 'append'; section: string };

/**
 * Applies changes to the text of a TOML file. Comments, order, quotes and line endings of everything else stay the same, byte for byte. Throws
 * INVALID_CONFIG if a change cannot be made without touching anything else; `shown` names the file.
 */
export function editToml(text: string, edits: readonly TomlEdit[], shown: string): string {
  return edits.reduce((before, edit) => editOnce(before, edit, shown), text);
}

function editOnce(text: string, edit: TomlEdit, shown: string): string {
  const before = parseToml(text, shown);
  const after = edited(text, edit, shown);
  const expected = applied(before, edit, shown);
  // The statements were found without the parser, so the parser decides whether the result is right.
  if (expected !== undefined && isDeepStrictEqual(parsed(after, edit), pruned(plain(expected), edit))) return after;
  throw refusal(shown, edit);
}

function edited(text: string, edit: TomlEdit, shown: string): string {
  if (edit.kind === 'append') return append(text, edit.section);
  try {
    const statements = tomlStatements(text);
    checkReach(statements, edit, { text, shown });
    return edit.kind === 'unset' ? remove(text, statements, edit.path) : set(text, statements, edit);
  } catch (error) {
    if (error instanceof RangeError) throw refusal(shown, edit);
    throw error;
  }
}

/** Throws if the value is inside another value, or in one of several tables with the same name. */
function checkReach(
  statements: readonly TomlStatement[],
  { path }: { path: readonly string[] },
  { text, shown }: { text: string; shown: string },
): void {
  const around = statements.find(
    (each) =>
      (each.kind === 'pair' && each.path.length < path.length && startsWith(path, each.path)) ||
      (each.isRepeated && (startsWith(path, each.path) || startsWith(each.path, path))),
  );
  if (!around) return;
  const isInline = around.kind === 'pair' && text[around.value.start] === '{';
  const what = isInline ? 'an inline table' : around.kind === 'pair' ? 'another value' : 'a list of tables';
  throw new HubError(
    'INVALID_CONFIG',
    `${shown}:${around.line}: ${keyText(path)} is in ${what} (${keyText(around.path)}), which can only be edited by hand. The file was not changed.`,
    { details: { file: shown, line: around.line } },
  );
}

function set(
  text: string,
  statements: readonly TomlStatement[],
  { path, value }: { path: readonly string[]; value: TomlValue },
): string {
  const pair = statements.find((each) => each.kind === 'pair' && isSame(each.path, path));
  if (pair) {
    const array = isList(value) && text[pair.value.start] === '[' ? editArray(text, pair.value, value) : undefined;
    return array ?? splice(text, pair.value, tomlValue(value));
  }
  const parent = path.slice(0, -1);
  const newLine = lineBreak(text);
  const header = statements.find((each) => each.kind === 'table' && isSame(each.path, parent));
  // A table that was made with dotted keys cannot also have a header.
  const dotted = statements.findLast(
    (each) => each.kind === 'pair' && each.table.length < parent.length && startsWith(each.path, parent),
  );
  const neighbours = statements.filter((each) => each.kind === 'pair' && isSame(each.table, parent));
  const last = neighbours.at(-1) ?? header ?? dotted;
  if (last) {
    const indent = last.kind === 'pair' ? (/^[ \t]*/.exec(text.slice(last.start))?.[0] ?? '') : '';
    const key = keyText(path.slice(last.table.length));
    return insertAfter(text, last.end, `${indent}${key} = ${tomlValue(value)}${newLine}`);
  }
  const line = `${keyText(path.slice(-1))} = ${tomlValue(value)}${newLine}`;
  if (parent.length > 0) return append(text, `[${keyText(parent)}]${newLine}${line}`);
  // Before the first header, and before the comment that belongs to it.
  const start = text.startsWith('\ufeff') ? 1 : 0;
  return `${text.slice(0, start)}${line}${text.slice(start)}`;
}

function remove(text: string, statements: readonly TomlStatement[], path: readonly string[]): string {
  return statements
    .filter((each) => startsWith(each.path, path) || (each.kind === 'pair' && startsWith(each.table, path)))
    .reduceRight((rest, { start, end }) => splice(rest, { start, end }, ''), text);
}

function append(text: string, section: string): string {
  const newLine = lineBreak(text);
  const own = section.replaceAll(/\r?\n/g, newLine);
  const isEmpty = text.trim() === '';
  return insertAfter(text, text.length, isEmpty ? own : `${newLine}${own}`);
}

function insertAfter(text: string, position: number, line: string): string {
  const isOpen = position > 0 && text[position - 1] !== '\n' && text.slice(0, position) !== '\ufeff';
  return splice(text, { start: position, end: position }, `${isOpen ? lineBreak(text) : ''}${line}`);
}

function splice(text: string, { start, end }: { start: number; end: number }, inserted: string): string {
  return `${text.slice(0, start)}${inserted}${text.slice(end)}`;
}

function lineBreak(text: string): '\n' | '\r\n' {
  return /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n';
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && startsWith(one, other);
}

/** Writes a key as in TOML: `events.webhooks."my hook"`. */
export function keyText(path: readonly string[]): string {
  return path.map(tomlKey).join('.');
}

function isList(value: TomlValue): value is readonly string[] {
  return Array.isArray(value);
}

/** Returns what the changed file should mean; undefined if that is impossible. */
function applied(before: RawConfig, edit: TomlEdit, shown: string): unknown {
  if (edit.kind === 'append') return merged(before, sectionOf(edit.section, shown));
  const copy = structuredClone(plain(before));
  let table: unknown = copy;
  for (const key of edit.path.slice(0, -1)) {
    if (!isRecord(table)) return undefined;
    if (!Object.hasOwn(table, key)) {
      if (edit.kind === 'unset') return copy;
      table[key] = {};
    }
    table = table[key];
  }
  const last = edit.path.at(-1);
  if (!isRecord(table) || last === undefined) return undefined;
  if (edit.kind === 'unset') delete table[last];
  else if (isRecord(table[last])) return undefined;
  else table[last] = edit.value;
  return copy;
}

function sectionOf(section: string, shown: string): RawConfig {
  try {
    return parseToml(section, 'the new section');
  } catch (error) {
    throw refusal(shown, { kind: 'append', section }, error);
  }
}

function merged(one: unknown, other: unknown): unknown {
  if (!isRecord(one) || !isRecord(other)) return other;
  const both = Object.entries(other).map(([key, value]) => [
    key,
    Object.hasOwn(one, key) ? merged(one[key], value) : value,
  ]);
  return { ...one, ...Object.fromEntries(both) };
}

function parsed(text: string, edit: TomlEdit): unknown {
  try {
    return pruned(plain(parse(text, { integersAsBigInt: 'asNeeded' })), edit);
  } catch {
    return undefined;
  }
}

/** Removes the tables on the way to a removed value if they are empty, because only some of them have headers. */
function pruned(root: unknown, edit: TomlEdit): unknown {
  if (edit.kind !== 'unset') return root;
  for (let depth = edit.path.length - 1; depth > 0; depth -= 1) {
    const path = edit.path.slice(0, depth);
    const parent = path.slice(0, -1).reduce<unknown>((table, key) => (isRecord(table) ? table[key] : undefined), root);
    const last = path.at(-1) ?? '';
    const value = isRecord(parent) ? parent[last] : undefined;
    if (isRecord(parent) && isRecord(value) && Object.keys(value).length === 0) delete parent[last];
  }
  return root;
}

/** Compares values, not classes or prototypes. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Date) return String(value.toJSON());
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}

function refusal(shown: string, edit: TomlEdit, cause?: unknown): HubError {
  if (edit.kind === 'append') {
    const by = `The file was not changed. Add this by hand: ${edit.section.trim()}`;
    return new HubError('INVALID_CONFIG', `A new section cannot be appended to ${shown}. ${by}`, { cause });
  }
  const key = keyText(edit.path);
  const why = `${key} cannot be changed in ${shown} without changing other parts of it.`;
  return new HubError('INVALID_CONFIG', `${why} The file was not changed. Edit ${key} by hand.`, { cause });
}
