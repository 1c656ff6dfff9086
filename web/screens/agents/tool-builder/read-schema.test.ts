import { expect, it } from 'vitest';
import { readSchemaText } from './read-schema.ts';

it.each<[text: string, problem: RegExp]>([
  ['', /^Not valid JSON: the text is empty\.$/],
  ['{"type": "object",\n"properties": {', /^Not valid JSON: [^"]*line 2, column 1[56]\.$/],
  ['{"type": "object"', /^Not valid JSON: .*line 1, column 1[78]\.$/],
  [
    '{"type": "object", "properties": {"a": {"type": "text"}}}',
    /^properties\.a\.type: must be string, number, integer/,
  ],
  ['{"type": "object", "properties": {"a": {"type": "string", "minlength": 2}}}', /did you mean "minLength"/],
  [
    '{"type": "object", "properties": {"__proto__": {"type": "string"}}}',
    /^properties\.__proto__: is reserved by JavaScript/,
  ],
  ['{"type": "object", "properties": {"a": {"pattern": "(?!a)"}}}', /^properties\.a\.pattern: uses lookahead/],
  [
    '{"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}}',
    /^properties\.a\.\$ref: this schema has nothing at/,
  ],
  ['{"type": "array", "items": {"type": "string"}}', /type/],
  ['[]', /^must be an object such as/],
])('%s is rejected with the position of the error', (text, problem) => {
  expect(readSchemaText(text)).toEqual({ problem: expect.stringMatching(problem) });
});

it('positional items are read as prefixItems and as an items array', () => {
  const items = '[{"type": "string"}]';
  const list = (word: string) =>
    readSchemaText(`{"type": "object", "properties": {"a": {"type": "array", "${word}": ${items}}}}`);
  expect(list('prefixItems')).toEqual(list('items'));
  expect(list('items')).toMatchObject({ schema: { properties: { a: { prefixItems: [{ type: 'string' }] } } } });
});
