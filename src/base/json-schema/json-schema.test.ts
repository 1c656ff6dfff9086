import { describe, expect, it } from 'vitest';
import { HubError } from '../hub-error.ts';
import { compileJsonSchema, type JsonSchema } from './json-schema.ts';
import { schemaFaults } from './schema-faults.ts';

function problemOf(schema: JsonSchema, value: unknown): string {
  try {
    compileJsonSchema(schema)(value);
    return '';
  } catch (error) {
    if (error instanceof HubError && error.code === 'INVALID_ARGUMENTS') return error.message;
    throw error;
  }
}

describe('a broken rule is reported with the path of the value', () => {
  const tree = {
    $ref: '#/$defs/tree',
    $defs: { tree: { properties: { next: { $ref: '#/$defs/tree' } }, required: ['id'] } },
  };
  const either = JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}');
  it.each<[schema: JsonSchema, value: unknown, message: string]>([
    [{ type: 'string' }, 5, 'must be a string, not a whole number'],
    [{ type: ['integer', 'null'] }, 1.5, 'must be a whole number or null, not a number'],
    [{ type: 'integer' }, true, 'must be a whole number, not a boolean'],
    [{ type: 'object' }, [], 'must be an object, not an array'],
    [{ const: { a: [1] } }, { a: [2] }, 'must be {"a":[1]}'],
    [{ enum: ['a', 1, null] }, 'b', 'must be one of "a", 1, null'],
    [{ minLength: 2 }, '👍', 'must have at least 2 characters; it has 1'],
    [{ maxLength: 1 }, 'ab', 'must have at most 1 character; it has 2'],
    [{ pattern: '^[a-z]+$' }, 'A', 'must match the pattern ^[a-z]+$'],
    [{ format: 'date' }, '2026-02-30', 'must be a date such as 2026-11-17 (format "date")'],
    [{ minimum: 2 }, 1, 'must be at least 2'],
    [{ maximum: 2 }, 3, 'must be at most 2'],
    [{ exclusiveMinimum: 2 }, 2, 'must be more than 2'],
    [{ exclusiveMaximum: 2 }, 2, 'must be less than 2'],
    [{ multipleOf: 0.1 }, 0.35, 'must be a multiple of 0.1'],
    [{ required: ['a', 'b'] }, {}, 'a: is required; b: is required'],
    [
      { properties: { a: { properties: { b: { type: 'null' } } } } },
      { a: { b: 1 } },
      'a.b: must be null, not a whole number',
    ],
    [{ additionalProperties: false, properties: { a: true } }, { a: 1, b: 2 }, 'b: is not a known property'],
    [{ additionalProperties: { type: 'string' } }, { b: 2 }, 'b: must be a string, not a whole number'],
    [
      { patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false },
      { 'x-a': 1 },
      'x-a: must be a string',
    ],
    [
      { propertyNames: { maxLength: 2 } },
      { abc: 1 },
      'abc: is not an accepted name: it must have at most 2 characters',
    ],
    [{ minProperties: 1 }, {}, 'must have at least 1 property; it has 0'],
    [{ maxProperties: 1 }, { a: 1, b: 2 }, 'must have at most 1 property; it has 2'],
    [{ dependentRequired: { card: ['address'] } }, { card: 1 }, 'address: is required when "card" is given'],
    [{ dependentSchemas: { card: { required: ['address'] } } }, { card: 1 }, 'address: is required'],
    [{ dependencies: { card: ['address'] } }, { card: 1 }, 'address: is required when "card" is given'],
    [{ items: { type: 'string' } }, ['a', 1], '1: must be a string, not a whole number'],
    [
      { prefixItems: [{ type: 'string' }], items: false },
      ['a', 1],
      '1: is one item too many; at most 1 item is accepted',
    ],
    [{ items: [{ type: 'string' }], additionalItems: { type: 'integer' } }, ['a', 'b'], '1: must be a whole number'],
    [{ minItems: 2 }, [1], 'must have at least 2 items; it has 1'],
    [{ maxItems: 1 }, [1, 2], 'must have at most 1 item; it has 2'],
    [
      { uniqueItems: true },
      [1, { a: 1, b: 2 }, { b: 2, a: 1 }],
      'must not contain an item twice; items 1 and 2 are equal',
    ],
    [{ contains: { type: 'string' } }, [1], 'must have at least 1 item matching "contains"; it has 0'],
    [{ contains: true, maxContains: 1 }, [1, 2], 'must have at most 1 item matching "contains"; it has 2'],
    [{ allOf: [{ minimum: 2 }, { multipleOf: 2 }] }, 1, 'must be at least 2; must be a multiple of 2'],
    [
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      1,
      'must fit one of 2 alternatives; the closest needs: must be a string, not',
    ],
    [
      { anyOf: [{ type: 'string' }, { required: ['a'] }] },
      {},
      'must fit one of 2 alternatives; the closest needs: a is required',
    ],
    [
      { oneOf: [{ minimum: 1 }, { minimum: 2 }, { const: 0 }] },
      3,
      'must fit exactly one of 3 alternatives, but fits 1 and 2',
    ],
    [{ not: { type: 'string' } }, 'a', 'must not fit the schema of "not"'],
    [either, { a: 1 }, 'b: is required'],
    [either, {}, 'c: is required'],
    [
      { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      { a: 1, b: 2 },
      'b: is not a known property',
    ],
    [{ prefixItems: [true], unevaluatedItems: { type: 'string' } }, [1, 2], '1: must be a string'],
    [{ properties: { a: false } }, { a: 1 }, 'a: is not accepted'],
    [tree, { id: 1, next: { id: 2, next: {} } }, 'next.next.id: is required'],
    [
      { properties: { 'a/b': { $ref: '#/$defs/x~1y' } }, $defs: { 'x/y': { type: 'null' } } },
      { 'a/b': 1 },
      'a/b: must be null',
    ],
    [{ required: ['toString', '__proto__'] }, {}, 'toString: is required; __proto__: is required'],
  ])('%j rejects %j', (schema, value, message) => {
    expect(problemOf(schema, value)).toContain(message);
  });
});

it.each<[schema: JsonSchema, value: unknown]>([
  [{ type: 'integer' }, 1.0],
  [{ multipleOf: 0.01 }, 19.99],
  [{ multipleOf: 1e-8 }, 12391239123],
  [{ const: 1 }, 1.0],
  [{ enum: [{ a: 1, b: [] }] }, { b: [], a: 1 }],
  [{ pattern: '^é' }, 'école'],
  [{ format: 'color' }, 'anything'],
  [{ format: 'email' }, 5],
  [{ oneOf: [{ type: 'string' }, { type: 'number' }] }, 1],
  [
    { anyOf: [{ properties: { a: true } }, { properties: { b: true } }], unevaluatedProperties: false },
    { a: 1, b: 2 },
  ],
  [{ 'x-own': { type: 'nonsense' }, title: 'Any' }, 1],
  [{ properties: { constructor: { type: 'string' } }, additionalProperties: false }, { constructor: 'a' }],
])('%j accepts %j', (schema, value) => {
  expect(problemOf(schema, value)).toBe('');
});

it.each<[schema: unknown, message: string]>([
  [{ type: 'text' }, 'type: must be string, number, integer, boolean, array, object or null'],
  [{ properties: { a: { $ref: '#/$defs/none' } } }, 'properties.a.$ref: this schema has nothing at "#/$defs/none"'],
  [
    { $ref: 'https://example.com/x.json' },
    '$ref: this schema has nothing at "https://example.com/x.json", and other documents are not fetched',
  ],
  [{ allOf: [{ $ref: '#' }] }, 'refers to itself, so checking a value would never end'],
  [{ $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ $ref: '#/$defs/a' }] } } }, '$defs.a: refers to itself'],
  [{ properties: { a: { pattern: '(?=a)' } } }, 'properties.a.pattern: uses lookahead, which is not supported'],
  [{ patternProperties: { '(a)\\1': {} } }, 'uses a back reference'],
  [{ items: 'string' }, 'items: must be a schema such as {"type": "string"}'],
  [{ required: 'a' }, 'required: must be a list of names'],
  [{ minLength: -1 }, 'minLength: must be a whole number, 0 or more'],
  [{ multipleOf: 0 }, 'multipleOf: must be a number above 0'],
  [JSON.parse(`${'{"not":'.repeat(400)}{}${'}'.repeat(400)}`), 'is nested deeper than 256 levels'],
  [{ $id: `https://example.com/${'a'.repeat(5_000)}` }, 'has an "$id" longer than 4096 characters'],
  [
    JSON.parse(`${`{"$id":"${'a'.repeat(100)}/","not":`.repeat(50)}{}${'}'.repeat(50)}`),
    'has an "$id" longer than 4096 characters',
  ],
  [{ $ref: `#/$defs/${'a'.repeat(5_000)}` }, '$ref: must not be longer than 4096 characters'],
])('the schema %.80j is rejected', (schema, message) => {
  expect(() => compileJsonSchema(schema as JsonSchema)).toThrow(/^The schema cannot be used: /);
  expect(() => compileJsonSchema(schema as JsonSchema)).toThrow(message);
});

describe('up to draft-07, keywords beside a reference are ignored', () => {
  const beside = { $ref: '#/definitions/text', minLength: 5, definitions: { text: { type: 'string' } } };
  it.each([
    'http://json-schema.org/draft-07/schema#',
    'http://json-schema.org/draft-07/schema',
    'https://json-schema.org/draft-07/schema#',
    'http://json-schema.org/draft-06/schema#',
    'http://json-schema.org/draft-04/schema#',
  ])('in %s', ($schema) => {
    expect(problemOf({ $schema, ...beside }, 'abc')).toBe('');
    expect(problemOf({ $schema, ...beside }, 1)).toContain('must be a string');
    // If `$id` counted, the reference would lead elsewhere.
    expect(problemOf({ $schema, ...beside, $id: 'https://example.com/', definitions: { text: {} } }, 1)).toBe('');
    const moved = { $id: 'elsewhere/', $ref: '#/definitions/text', maxLength: 1 };
    expect(problemOf({ $schema, items: moved, definitions: beside.definitions }, ['abc'])).toBe('');
    // A reference that would never end if it counted.
    expect(problemOf({ $schema, ...beside, allOf: [{ $ref: '#' }] }, 'abc')).toBe('');
  });

  it.each(['https://json-schema.org/draft/2020-12/schema', 'https://json-schema.org/draft/2019-09/schema', undefined])(
    'and counts in %s',
    ($schema) => {
      const schema = { ...($schema !== undefined && { $schema }), ...beside };
      expect(problemOf(schema, 'abc')).toContain('must have at least 5 characters');
    },
  );

  it('an $id that is a fragment means the same as $anchor', () => {
    const schema = { items: { $ref: '#text' }, definitions: { text: { $id: '#text', type: 'string' } } };
    const $schema = 'http://json-schema.org/draft-07/schema#';
    expect(problemOf({ $schema, ...schema }, [1])).toContain('must be a string');
    expect(problemOf({ $schema, ...schema }, ['a'])).toBe('');
    expect(problemOf(schema, ['a'])).toContain('this schema has nothing at "#text"');
  });

  it('a schema inside another one may name its own draft', () => {
    const newer = { $id: 'inner', properties: { a: beside }, definitions: beside.definitions };
    const older = { ...newer, $schema: 'http://json-schema.org/draft-07/schema#' };
    const problemWith = (inner: object) =>
      problemOf(structuredClone({ allOf: [{ $ref: 'inner' }], $defs: { inner } }), { a: 'abc' });
    expect(problemWith(older)).toBe('');
    expect(problemWith(newer)).toContain('a: must have at least 5 characters');
  });
});

describe('every check ends, for any schema', () => {
  const list = (length: number) => Array.from({ length }, (_, index) => index);
  const doubling = Object.fromEntries(
    list(60).map((index) => [
      `d${index}`,
      { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
    ]),
  );
  const nested = (depth: number): unknown => JSON.parse(`${'{"next":'.repeat(depth)}1${'}'.repeat(depth)}`);
  it.each<[name: string, schema: JsonSchema, value: unknown, message: RegExp]>([
    [
      'references that double at each step',
      { $ref: '#/$defs/d0', $defs: { ...doubling, d60: {} } },
      {},
      /takes more than .* steps/,
    ],
    [
      'alternatives inside of alternatives',
      {
        $ref: '#/$defs/x',
        $defs: {
          x: {
            anyOf: [1, 2, 3, 4].map(() => ({ properties: { next: { $ref: '#/$defs/x' } } })),
            unevaluatedProperties: false,
          },
        },
      },
      nested(60),
      /takes more than .* steps/,
    ],
    [
      'a pattern of ten thousand states on a long text',
      { pattern: '(a{1,70}){1,70}b' },
      `${'a'.repeat(1_000_000)}!`,
      /takes more than .* steps/,
    ],
    [
      'values inside of values without end',
      { $ref: '#/$defs/x', $defs: { x: { properties: { next: { $ref: '#/$defs/x' } } } } },
      nested(5_000),
      /takes more than 512 nested schemas|nested too deep/,
    ],
    ['a value too deep to compare', { enum: [1] }, nested(100_000), /nested too deep/],
  ])('%s', (_name, schema, value, message) => {
    expect(problemOf(schema, value)).toMatch(message);
  });

  const names = list(15_000).map((index) => `n${index}`);
  const wide = Object.fromEntries(names.map((name) => [name, 1]));
  const anything = Object.fromEntries(names.map((name) => [name, true]));
  const deep = (depth: number): unknown => (depth === 0 ? {} : { [names[depth] ?? '']: deep(depth - 1) });
  it.each<[rule: string, schema: JsonSchema, value: unknown]>([
    ['required', { required: names }, {}],
    ['dependentRequired', { dependentRequired: { q: names } }, { q: 1 }],
    ['dependentRequired by name', { dependentRequired: Object.fromEntries(names.map((name) => [name, []])) }, { q: 1 }],
    ['dependentSchemas', { dependentSchemas: anything }, { q: 1 }],
    ['dependencies', { dependencies: { q: names } }, { q: 1 }],
    ['minProperties', { minProperties: 1 }, wide],
    ['properties', { properties: { q: true } }, wide],
    ['patternProperties', { patternProperties: { '^x': true } }, wide],
    ['additionalProperties', { additionalProperties: false }, wide],
    ['items', { items: false }, names],
    ['prefixItems', { prefixItems: names.map(() => true) }, names],
    ['unevaluatedItems', { contains: true, unevaluatedItems: false }, names],
    ['enum', { enum: [1] }, names],
    ['uniqueItems', { uniqueItems: true }, names],
    ['a pattern on no text', { properties: { q: { pattern: `^(?:${list(4_000).fill(1).join('|')})$` } } }, { q: '' }],
  ])('the work of %s counts', (_rule, schema, value) => {
    const times = (name: string) => list(50).map(() => ({ $ref: `#/$defs/${name}` }));
    const repeated = { $defs: { rule: schema, few: { allOf: times('rule') }, many: { allOf: times('few') } } };
    expect(problemOf({ ...repeated, $ref: '#/$defs/many' }, value)).toMatch(/takes more than .* steps/);
  });

  it.each<[name: string, schema: JsonSchema, value: unknown]>([
    ['a long list', { items: { type: 'number', minimum: 0 } }, Array.from({ length: 340_000 }, () => 1)],
    ['a long text', { pattern: '^[A-Za-z0-9+/]*={0,2}$' }, 'x'.repeat(2_000_000)],
  ])('%s gets more steps for its size', (_name, schema, value) => {
    expect(problemOf(schema, value)).toBe('');
  });

  it('schemas that accept anything count towards the limit', () => {
    const anything = Array.from({ length: 200_000 }, () => true);
    expect(problemOf({ anyOf: anything }, {})).toBe('The schema cannot be used: has more than 20000 schemas in it');
  });

  it('the search for cycles visits a shared schema once', () => {
    let reads = 0;
    const shared = {
      get allOf() {
        reads += 1;
        return list(10).map((minimum) => ({ minimum }));
      },
    };
    const referring = Object.fromEntries(list(200).map((index) => [`r${index}`, { $ref: '#/$defs/shared' }]));
    compileJsonSchema({ $defs: { shared, ...referring } });
    expect(reads).toBeLessThan(10);
  });

  it('reports every schema in a cycle, but none that only leads to one', () => {
    const to = (name: string) => ({ $ref: `#/$defs/${name}` });
    const faults = schemaFaults({
      $defs: {
        leads: { allOf: [to('a'), to('alone')] },
        a: { anyOf: [to('fine'), to('b')] },
        b: { not: to('a') },
        alone: to('alone'),
        fine: { properties: { again: to('fine') } },
        between: { allOf: [to('a')], properties: { x: to('between') } },
      },
    });
    const circular = faults.filter(({ message }) => message.startsWith('refers to itself'));
    expect(circular.map(({ path }) => path)).toEqual([
      '$defs.a',
      '$defs.a.anyOf.1',
      '$defs.b',
      '$defs.b.not',
      '$defs.alone',
    ]);
  });

  it('the work of writing paths counts', () => {
    const value = deep(200);
    const below = (depth: number): JsonSchema =>
      depth === 0 ? { anyOf: list(5_000).map(() => ({ type: 'string' })) } : { additionalProperties: below(depth - 1) };
    const schema = { allOf: list(20).map(() => ({ $ref: '#/$defs/x' })), $defs: { x: below(200) } };
    expect(problemOf(schema, value)).toMatch(/takes more than .* steps/);
  });

  it('the cost of long lists and choices is linear', () => {
    const many = list(50_000);
    expect(problemOf({ uniqueItems: true }, many)).toBe('');
    expect(problemOf({ uniqueItems: true }, [...many, 7])).toContain('items 7 and 50000 are equal');
    expect(problemOf({ items: { enum: many } }, many)).toBe('');
    expect(problemOf({ items: { type: 'integer', minimum: 0, maximum: 50_000 } }, many)).toBe('');
  });

  it('a tree of the maximum JSON depth is checked completely', () => {
    const schema = {
      $ref: '#/$defs/x',
      $defs: { x: { anyOf: [{ type: 'integer' }, { properties: { next: { $ref: '#/$defs/x' } } }] } },
    };
    expect(problemOf(schema, nested(64))).toBe('');
  });

  it('a simple pattern matches a text of a million characters', () => {
    expect(problemOf({ pattern: '^[a-z]+$' }, 'a'.repeat(1_000_000))).toBe('');
  });
});

it('a dynamic reference resolves to the outermost dynamic anchor', () => {
  const schema = {
    $id: 'https://example.com/strings',
    $ref: 'list',
    $defs: {
      own: { $dynamicAnchor: 'item', type: 'string' },
      list: { $id: 'list', items: { $dynamicRef: '#item' }, $defs: { any: { $dynamicAnchor: 'item' } } },
    },
  };
  expect(problemOf(schema, ['a'])).toBe('');
  expect(problemOf(schema, [1])).toBe('0: must be a string, not a whole number');
});
