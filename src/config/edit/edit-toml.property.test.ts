import fc from 'fast-check';
import { parse } from 'smol-toml';
import { expect, it } from 'vitest';
import { HubError } from '../../base/hub-error.ts';
import { isRecord } from '../../base/is-record.ts';
import { editToml, type TomlEdit, type TomlValue } from './edit-toml.ts';

const names = ['log', 'events', 'a', 'b', 'keep_days', 'x y', 'ü', 'p.q'];
const name = fc.constantFrom(...names);
const keyText = (part: string) => (/^[\w-]+$/.test(part) ? part : JSON.stringify(part));
const comment = fc.constantFrom('', ' # a comment', '  # [log] keep_days = 1', "# '''", ' # "quoted', ' #');

/** The text of a value, as a person may write it. */
const written = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom('1_000', '0x1F', '1.5e3', 'true', '2026-01-02T03:04:05Z', '12:30:00', 'inf'),
  fc.string().map((text) => JSON.stringify(text).replaceAll('\u007f', '')),
  fc.constantFrom(
    "'literal # not a comment'",
    '"""\nlong\n[log]\nkeep_days = 9 # no\n"""',
    "'''\nraw \\ ''\n'''",
    '""',
  ),
  fc
    .array(fc.constantFrom('"one"', "'two'", '"th]ree"', '"#4"'), { maxLength: 4 })
    .map((items) => `[${items.join(', ')}]`),
  fc
    .array(fc.constantFrom('"one", # first', "'two',", '"th]ree", # ]'), { minLength: 1, maxLength: 4 })
    .map((items) => `[\n${items.map((item) => `  ${item}`).join('\n')}\n]`),
  fc.constantFrom('{ a = 1, b = [2, { c = "}" }] }', '{}', '[[1, 2], ["a"]]', '[{ a = 1 }]'),
);

const pair = fc
  .tuple(fc.constantFrom('', '  ', '\t'), fc.array(name, { minLength: 1, maxLength: 2 }), written, comment)
  .map(([indent, path, value, note]) => `${indent}${path.map(keyText).join('.')} = ${value}${note}\n`);
const nothing = fc.constantFrom('\n', '# a line of its own\n', '  # [events]\n', '   \n');
const body = fc.array(fc.oneof(pair, nothing), { maxLength: 5 }).map((lines) => lines.join(''));
const header = fc
  .tuple(fc.array(name, { minLength: 1, maxLength: 3 }), fc.boolean(), comment)
  .map(([path, isList, note]) => {
    const inner = path.map(keyText).join(' . ');
    return `${isList && path.length === 1 ? `[[${inner}]]` : `[${inner}]`}${note}\n`;
  });

const document = fc
  .tuple(body, fc.array(fc.tuple(header, body), { maxLength: 5 }), fc.boolean(), fc.boolean(), fc.boolean())
  .map(([root, tables, isWindows, hasMark, isOpen]) => {
    const text = `${root}${tables.flat().join('')}`;
    const ended = isOpen ? text.replace(/\n$/, '') : text;
    return `${hasMark ? '\ufeff' : ''}${isWindows ? ended.replaceAll('\n', '\r\n') : ended}`;
  })
  .filter((text) => parsed(text) !== undefined);

const path = fc.array(name, { minLength: 1, maxLength: 3 });
const value: fc.Arbitrary<TomlValue> = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  fc.boolean(),
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.constantFrom('one', 'two', 'th]ree', '#4', 'new', 'newer'), { maxLength: 4 }),
);
const edit: fc.Arbitrary<TomlEdit> = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), path, value }),
  fc.record({ kind: fc.constant('unset' as const), path }),
);

it('a change has its effect and no other, and touches no other line', () => {
  let changed = 0;
  fc.assert(
    fc.property(document, edit, (text, change) => {
      let after: string;
      try {
        after = editToml(text, [change], 'zoo.toml');
      } catch (error) {
        expect(error).toBeInstanceOf(HubError);
        return;
      }
      changed += 1;
      expect(withoutEmpty(parsed(after))).toEqual(withoutEmpty(expected(parsed(text), change)));
      const [before, now] = [linesOf(text), linesOf(after)];
      expect(now.filter(isComment)).toEqual(before.filter(isComment));
      // Every line but those of the changed value is still there, in the same order.
      if (change.kind === 'unset') expect(isSubsequence(now, before)).toBe(true);
      else expect(isSubsequence(untouched(text, after), now)).toBe(true);
      expect(after.startsWith('\ufeff')).toBe(text.startsWith('\ufeff'));
      if (text.includes('\r\n') && !/[^\r]\n/.test(text)) expect(after).not.toMatch(/[^\r]\n/);
    }),
    { numRuns: 3_000 },
  );
  expect(changed).toBeGreaterThan(1_000);
});

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return parse(text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n'));
  } catch {
    return undefined;
  }
}

/** Written without the code under test: sets or deletes a key in a copy. */
function expected(before: Record<string, unknown> | undefined, change: TomlEdit): unknown {
  const copy = structuredClone(JSON.parse(JSON.stringify(before ?? {}, keepNumbers)));
  if (change.kind === 'append') return copy;
  const last = change.path.at(-1) ?? '';
  const table = change.path.slice(0, -1).reduce((each, key) => {
    each[key] ??= {};
    return each[key];
  }, copy);
  if (change.kind === 'set') table[last] = JSON.parse(JSON.stringify(change.value, keepNumbers));
  else delete table[last];
  return copy;
}

function keepNumbers(_key: string, each: unknown): unknown {
  return typeof each === 'number' && !Number.isFinite(each) ? String(each) : each;
}

/** Whether a table without values has a header does not matter. */
function withoutEmpty(value: unknown): unknown {
  const json = JSON.parse(JSON.stringify(value, keepNumbers));
  const clean = (each: unknown): unknown => {
    if (!isRecord(each)) return each;
    const entries = Object.entries(each).map(([key, inner]): [string, unknown] => [key, clean(inner)]);
    return Object.fromEntries(entries.filter(([, inner]) => !isRecord(inner) || Object.keys(inner).length > 0));
  };
  return clean(json);
}

function linesOf(text: string): string[] {
  return text.replace(/^\ufeff/, '').split(/\r?\n/);
}

function isComment(line: string): boolean {
  return /^\s*#/.test(line);
}

function isSubsequence(short: readonly string[], long: readonly string[]): boolean {
  let at = 0;
  for (const line of long) if (line === short[at]) at += 1;
  // A last line without an end is followed by nothing.
  return at >= short.length - (short.at(-1) === '' ? 1 : 0);
}

/** Returns the lines outside the one stretch of text that was replaced. That stretch contains no comment of its own and no header. */
function untouched(text: string, after: string): string[] {
  const shorter = Math.min(text.length, after.length);
  let start = 0;
  while (start < shorter && text[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && text.at(-1 - end) === after.at(-1 - end)) end += 1;
  const first = text.lastIndexOf('\n', start - 1) + 1;
  const last = text.indexOf('\n', text.length - end);
  return linesOf(`${text.slice(0, first)}${last === -1 ? '' : text.slice(last + 1)}`);
}
