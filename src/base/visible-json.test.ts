import { expect, it } from 'vitest';
import { visibleJson, visibleText } from './visible-json.ts';

it.each([
  ['plain text', { to: 'bob' }, '{\n  "to": "bob"\n}'],
  ['line breaks, which JSON escapes', 'a\nb', '"a\\nb"'],
  ['text that runs backwards', 'a\u202eb', '"a\\u202eb"'],
  ['zero-width and tag characters', '\u200b\u{e0041}', '"\\u200b\\udb40\\udc41"'],
  ['nothing', undefined, 'null'],
])('shows %s', (_, value, shown) => {
  expect(visibleJson(value)).toBe(shown);
});

it('shows text with its line breaks, and escapes what cannot be seen', () => {
  expect(visibleText('a\n\tb\u202ec\r')).toBe('a\n\tb\\u202ec\\u000d');
});

it('stays the same value', () => {
  const value = { text: 'Grüße\u200d\u2028 🦊', list: [1, null] };
  expect(JSON.parse(visibleJson(value))).toEqual(value);
});
