import { expect, test } from 'vitest';
import { toolParameters } from './tool-parameters.ts';

const read = (parameters: unknown) => toolParameters(parameters, 'tools/a.lua');
const property = (schema: unknown) => ({ type: 'object', properties: { x: schema } });

test.each<[string, unknown, string]>([
  ['a type that is none', property({ type: 'strin' }), 'x.type: must be one of string,'],
  ['a property that is no schema', property('string'), 'x: must be a schema'],
  ['an enum that is no list', property({ enum: 'a' }), 'x.enum: must be a list'],
  ['an empty enum', [{ name: 'x', enum: {} }], 'x.enum: must be a list with at least one entry'],
  ['names that are no list', { type: 'object', required: 'x' }, 'required: must be a list'],
  ['names that are no texts', { type: 'object', required: [1] }, 'required: must be a list of names'],
  ['properties in a list', { type: 'object', properties: [{ name: 'x' }] }, 'properties: must be a table'],
  ['a pattern that is none', property({ type: 'string', pattern: '(' }), 'x.pattern: is not a regular expression'],
  ['a pattern that looks ahead', property({ type: 'string', pattern: '(?=a)' }), 'x.pattern: uses lookahead'],
  ['a cycle', property({ anyOf: [{ $ref: '#/properties/x' }] }), 'x: refers to itself'],
  ['a count below zero', [{ name: 'x', minLength: -1 }], 'x.minLength: must be a whole number'],
  ['a reference to elsewhere', property({ $ref: 'http://host.example/a' }), 'x.$ref: must point into this schema'],
  ['a reference to nothing', property({ $ref: '#/$defs/none' }), 'x.$ref: must point into this schema'],
  ['a default of another type', [{ name: 'x', default: 5 }], 'x.default: does not match its schema'],
  ['a fault deep inside', property({ type: 'array', items: { anyOf: [{ type: 'no' }] } }), 'x.items.anyOf[0].type: '],
])('%s is refused when the script is read', (_, parameters, rule) => {
  expect(() => read(parameters)).toThrow(`tools/a.lua: tool.parameters: ${rule}`);
});

test('schemas nested without end are refused', () => {
  let deep: object = { type: 'string' };
  for (let depth = 0; depth < 40; depth += 1) deep = { type: 'array', items: deep };
  expect(() => read(property(deep))).toThrow(/nested more than 30 deep/);
});

test('empty Lua tables become lists wherever the schema needs a list', () => {
  const inner = { type: 'object', properties: {}, required: {} };
  expect(read({ type: 'object', properties: { inner }, required: {} }).schema).toEqual({
    type: 'object',
    properties: { inner: { type: 'object', properties: {}, required: [] } },
    required: [],
  });
});

test('a schema with references, or with a property named like a keyword, is kept unchanged', () => {
  const schema = {
    type: 'object',
    $defs: { level: { enum: ['low', 'high'] } },
    properties: { level: { $ref: '#/$defs/level', default: 'low' }, required: {}, type: { type: ['string', 'null'] } },
    required: ['level'],
    additionalProperties: false,
  };
  expect(read(schema)).toEqual({ schema, defaults: { level: 'low' } });
});
