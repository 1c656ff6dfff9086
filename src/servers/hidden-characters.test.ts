import { expect, it } from 'vitest';
import { noteOnHidden } from './hidden-characters.ts';

it.each([
  ['escape sequences', '\u001b[8mhidden\u001b[0m', 'U+001B'],
  ['zero width', 'read\u200bme', 'U+200B'],
  ['bidi', 'abc\u202edef', 'U+202E'],
  ['tags', 'hello\u{e0041}', 'U+E0041'],
  ['selectors that carry bytes', 'x\u{e0101}', 'U+E0101'],
  ['fillers', 'a\u3164b', 'U+3164'],
  ['a joiner between letters', 'a\u200db', 'U+200D'],
])('%s are reported', (_what, text, code) => {
  expect(noteOnHidden({ name: 'x', description: text })).toContain(code);
  expect(noteOnHidden({ name: 'x', inputSchema: { properties: { a: { description: text } } } })).toContain(code);
  expect(noteOnHidden({ name: 'x', inputSchema: { properties: { [text]: {} } } })).toContain(code);
});

it.each(['Lines\nand\ttabs\r\n', 'Grüße, 日本語, עברית, العربية', '⚠️ 👩‍💻 👩🏽‍🚀 🇩🇪'])(
  'visible text is no reason to hold a tool: %s',
  (text) => {
    expect(noteOnHidden({ name: 'x', description: text })).toBeNull();
  },
);
