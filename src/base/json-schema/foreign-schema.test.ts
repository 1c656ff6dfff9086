import { expect, it, vi } from 'vitest';
import { compileForeignSchema, type JsonSchema } from './json-schema.ts';

function read(text: string): JsonSchema {
  return JSON.parse(text);
}

it('checks by the schema and leaves the schema unchanged', () => {
  const schema = Object.freeze({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] });
  const check = compileForeignSchema(schema);
  expect(() => check({ city: 'Oslo' })).not.toThrow();
  expect(() => check({})).toThrow('city: is required');
  expect(() => check({ city: 5 })).toThrow(/^city: /);
  expect(Object.getOwnPropertyNames(schema)).toEqual(['type', 'properties', 'required']);
});

it.each([
  ['a reference to nowhere', '{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}'],
  ['a reference to the network', '{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:9/x.json"}}}'],
  ['a reference to itself', '{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}'],
  ['a reference that is none', '{"type":"object","properties":{"a":{"$ref":"http://["}}}'],
  ['rules that are none', '{"type":"object","properties":{"a":{"required":5}},"required":7}'],
  ['two schemas of one name', '{"type":"object","$id":"x:y","properties":{"a":{"$id":"x:y"}}}'],
  ['no end', `${'{"type":"object","properties":{"a":'.repeat(2_000)}{}${'}}'.repeat(2_000)}`],
])('a schema with %s only requires an object', (_name, text) => {
  const check = compileForeignSchema(read(text));
  expect(() => check({ a: { b: 1 } })).not.toThrow();
  expect(() => check([])).toThrow('must be an object');
  expect(() => check('text')).toThrow('must be an object');
});

it('leaves patterns, and everything that depends on them, to the server', () => {
  const check = compileForeignSchema({
    type: 'object',
    properties: {
      code: { type: 'string', pattern: '^[a-z]+$', minLength: 2 },
      word: { not: { pattern: '^a' } },
      either: { oneOf: [{ type: 'string', pattern: '^a' }, { type: 'string', pattern: 'b$' }, { type: 'integer' }] },
      list: { contains: { pattern: '^a' }, maxContains: 1 },
      trip: read(
        '{"if":{"properties":{"kind":{"pattern":"^air"}}},"then":{"required":["airline"]},"else":{"required":["station"]},"unevaluatedProperties":false}',
      ),
    },
    additionalProperties: false,
    patternProperties: { '^x-': { type: 'integer' } },
  });
  for (const fine of [
    { code: 'AB' },
    { word: 'a' },
    { either: 'ab' },
    { either: 5 },
    { list: ['a', 'ab'] },
    { trip: { kind: 'air', station: 'x' } },
    { 'x-size': 'large', other: 1 },
  ]) {
    expect(() => check(fine)).not.toThrow();
  }
  // Everything that does not depend on a pattern is still checked.
  expect(() => check({ code: 'A' })).toThrow('code: must have at least 2 characters');
  expect(() => check({ either: [], code: 5 })).toThrow('code: must be a string');
  expect(() => check({ list: 'a', trip: 1, code: null })).toThrow('code: must be a string');
});

it('a reference to another document accepts anything, and the rest is checked', () => {
  const check = compileForeignSchema({
    type: 'object',
    properties: { a: { $ref: 'https://example.com/a.json' }, b: { type: 'integer' }, c: { required: 5, minLength: 2 } },
    required: ['b'],
  });
  expect(() => check({ a: 1, b: 2, c: 'ok' })).not.toThrow();
  expect(() => check({ a: 1 })).toThrow('b: is required');
  expect(() => check({ b: 1, c: 'x' })).toThrow('c: must have at least 2 characters; it has 1');
});

it('in draft-07, keywords beside a reference are ignored', () => {
  const check = compileForeignSchema({
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { a: { $ref: '#/definitions/a', maxLength: 2 } },
    definitions: { a: { type: 'string' } },
  });
  expect(() => check({ a: 'long enough' })).not.toThrow();
  expect(() => check({ a: 1 })).toThrow('a: must be a string');
});

it('an address that is too long leaves the check to the server', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 2_000 }, (_each, index) => [`p${index}`, { $ref: '#/$defs/a' }]),
  );
  const $id = `https://example.com/${'a'.repeat(1_000_000)}`;
  const check = compileForeignSchema({ type: 'object', $id, properties, $defs: { a: { type: 'string' } } });
  expect(() => check(Object.fromEntries(Object.keys(properties).map((name) => [name, 1])))).not.toThrow();
});

it('references that double at each step stop soon', () => {
  const names = Array.from({ length: 60 }, (_each, index) => index);
  const definitions = Object.fromEntries(
    names.map((index) => [
      `d${index}`,
      { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
    ]),
  );
  const check = compileForeignSchema({ type: 'object', $ref: '#/$defs/d0', $defs: { ...definitions, d60: {} } });
  // Following all of them would never end.
  expect(() => check({})).not.toThrow();
});

it('names from Object.prototype are ordinary properties', () => {
  const check = compileForeignSchema(
    read(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"},"toString":{"type":"integer"}},"required":["toString"],"additionalProperties":false}',
    ),
  );
  expect(() => check({})).toThrow('toString: is required');
  expect(() => check(read('{"toString":1,"constructor":"x","__proto__":"y"}'))).not.toThrow();
  expect(() => check(read('{"toString":1,"__proto__":5}'))).toThrow(/__proto__: /);
  expect(() => check(read('{"toString":1,"hasOwnProperty":5}'))).toThrow(/hasOwnProperty/);
});

it.each(['constructor', 'hasOwnProperty', 'url', 'none'])('the format "%s" is left to the server', (format) => {
  const check = compileForeignSchema({ type: 'object', properties: { a: { type: 'string', format } } });
  expect(() => check({ a: `http://${'a'.repeat(40)}!` })).not.toThrow();
});

it('error messages are short, however many alternatives the schema has', () => {
  const check = compileForeignSchema({
    type: 'object',
    properties: { text: { enum: Array.from({ length: 100_000 }, (_, value) => ({ value })) } },
  });
  let message = '';
  try {
    check({ text: 'other' });
  } catch (error) {
    message = String(error);
  }
  expect(message).toMatch(/text: must be one of \{"value":0\}, .*…/);
  expect(message.length).toBeLessThan(1_000);
});

it('an input that cannot be checked does not affect later checks', () => {
  const rest = { type: 'number' };
  const check = compileForeignSchema({
    type: 'object',
    properties: { text: { type: 'string' } },
    additionalProperties: rest,
  });
  check({ '\ud800': 1 });
  expect(() => check({ text: 5 })).toThrow(/text/);
});

it('a type that is listed several times counts once', () => {
  const check = compileForeignSchema({ type: 'object', properties: { a: { type: ['string', 'string', 'null'] } } });
  expect(() => check({ a: 5 })).toThrow('a: must be a string or null, not a whole number');
});

it.each(['const', 'enum'])('the message of %s is composed once, and only when it is needed', (keyword) => {
  const long = Array.from({ length: 10 }, (_, index) => index);
  const written = vi.spyOn(JSON, 'stringify');
  const times = () => written.mock.calls.filter(([value]) => value === long).length;
  const rule = { [keyword]: keyword === 'enum' ? [long] : long };
  const many = Array.from({ length: 50 }, () => ({ $ref: '#/$defs/rule' }));
  try {
    compileForeignSchema({ type: 'object', $defs: { rule }, not: { anyOf: many } })({ a: 1 });
    expect(times()).toBe(0);
    const check = compileForeignSchema({ type: 'object', $defs: { rule }, anyOf: many });
    expect(() => check({ a: 1 })).toThrow('must fit one of 50 alternatives');
    expect(times()).toBe(1);
  } finally {
    written.mockRestore();
  }
});
