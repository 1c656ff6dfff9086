import { expect, it } from 'vitest';
import { canonicalJson } from './same-json.ts';

it('gives equal values one text, whatever the order of their keys', () => {
  const one = { name: 'send', inputSchema: { type: 'object', properties: { b: { minimum: -0 }, a: {} } } };
  const other = { inputSchema: { properties: { a: {}, b: { minimum: 0.0 } }, type: 'object' }, name: 'send' };
  expect(canonicalJson(one)).toBe(
    '{"inputSchema":{"properties":{"a":{},"b":{"minimum":0}},"type":"object"},"name":"send"}',
  );
  expect(canonicalJson(other)).toBe(canonicalJson(one));
});

it('treats what JSON cannot say as JSON does', () => {
  expect(canonicalJson({ a: undefined, b: [undefined, null] })).toBe('{"b":[null,null]}');
});

it('tells a number too large for JSON from null', () => {
  expect(canonicalJson(JSON.parse('[1e999]'))).not.toBe(canonicalJson([null]));
});
