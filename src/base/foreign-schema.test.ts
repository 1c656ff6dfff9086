import { expect, it } from 'vitest';
import { compileForeignSchema } from './foreign-schema.ts';
import type { JsonSchema } from './json-schema.ts';

function read(text: string): JsonSchema {
  return JSON.parse(text);
}

it('checks as the schema says, and leaves the schema as it was', () => {
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
])('of a schema with %s only "an object" is left', (_name, text) => {
  const check = compileForeignSchema(read(text));
  expect(() => check({ a: { b: 1 } })).not.toThrow();
  expect(() => check([])).toThrow('must be an object');
  expect(() => check('text')).toThrow('must be an object');
});

it('a pattern that may take forever is left to the server', () => {
  const text = `${'a'.repeat(50)}!`;
  const hostile = { type: 'string', pattern: '^(a+)+$', minLength: 3 };
  const check = compileForeignSchema({
    type: 'object',
    properties: { a: hostile, b: { type: 'string', pattern: '^[a-z]+$' } },
    additionalProperties: false,
    patternProperties: { '^(a+)+$': { type: 'integer' } },
  });
  expect(() => check({ a: text, [text]: 'any' })).not.toThrow();
  expect(() => check({ a: 'a' })).toThrow(/a: /);
  expect(() => check({ b: 'B' })).toThrow(/b: /);
});

it('references that double at each step end soon', () => {
  const names = Array.from({ length: 60 }, (_each, index) => index);
  const definitions = Object.fromEntries(
    names.map((index) => [
      `d${index}`,
      { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
    ]),
  );
  const check = compileForeignSchema({ type: 'object', $ref: '#/$defs/d0', $defs: { ...definitions, d60: {} } });
  const begun = performance.now();
  expect(() => check({})).not.toThrow();
  expect(performance.now() - begun).toBeLessThan(2_000);
});

it('names that objects have by birth are properties like others', () => {
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

it('says what is wrong in a few words, however much the schema allows', () => {
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
  expect(message).toMatch(/text: Instance does not match any of .*…/);
  expect(message.length).toBeLessThan(1_000);
});

it('one input that the check itself cannot read does not end the check of all others', () => {
  const rest = { type: 'number' };
  const check = compileForeignSchema({
    type: 'object',
    properties: { text: { type: 'string' } },
    additionalProperties: rest,
  });
  check({ '\ud800': 1 });
  expect(() => check({ text: 5 })).toThrow(/text/);
});
