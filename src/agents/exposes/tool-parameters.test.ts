import { describe, expect, it } from 'vitest';
import { HubError } from '../../base/hub-error.ts';
import { parseWith } from '../../base/validate.ts';
import { ToolInputSchema } from './tool-parameters.ts';
import { compileParameters, readJsonSchema, toJsonSchema } from './tool-schema.ts';

const withX = (x: unknown) => ({ type: 'object', properties: { x } });

describe('parameters of a tool', () => {
  it('of the book_flight tool are accepted', () => {
    const parameters = {
      type: 'object',
      properties: {
        destination: { type: 'string', description: "The destination city and country (e.g., 'Paris, France')." },
        departure_date: { type: 'string', description: 'The desired date of departure, in YYYY-MM-DD format.' },
      },
      required: ['destination', 'departure_date'],
    };
    expect(ToolInputSchema.parse(parameters)).toEqual(parameters);
    expect(toJsonSchema(ToolInputSchema.parse(parameters))).toEqual(parameters);
  });

  it('keep every keyword of every type', () => {
    const everything = {
      type: 'object',
      title: 'T',
      description: 'D',
      properties: {
        text: {
          type: 'string',
          title: 'T',
          description: 'D',
          enum: ['ab', 'cd'],
          default: 'ab',
          examples: ['cd'],
          minLength: 1,
          maxLength: 3,
        },
        number: { type: 'number', enum: [1.5, 2], default: 2, examples: [1.5], minimum: 1, maximum: 3 },
        whole: { type: 'integer', enum: [1, 2], default: 2, examples: [1], minimum: 1, maximum: 3 },
        flag: { type: 'boolean', title: 'T', description: 'D', default: false },
        list: {
          type: 'array',
          items: { type: 'array', items: { type: 'string' } },
          minItems: 1,
          maxItems: 4,
          uniqueItems: true,
        },
        pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] },
        map: {
          type: 'object',
          additionalProperties: { type: 'object', properties: {} },
          minProperties: 1,
          maxProperties: 3,
        },
        closed: { type: 'object', additionalProperties: false },
      },
      required: ['text'],
    };
    expect(ToolInputSchema.parse(everything)).toEqual(everything);
  });

  it.each<[string, unknown, string]>([
    [
      'a keyword nobody knows',
      withX({ type: 'string', minLenght: 2 }),
      'properties.x: unknown keyword: "minLenght"; did you mean "minLength"?',
    ],
    [
      'a pattern that looks ahead',
      withX({ type: 'string', pattern: '^(?=.*[0-9]).+$' }),
      'properties.x.pattern: uses lookahead, which is not supported: it cannot be matched in bounded time',
    ],
    [
      'a pattern with a back reference',
      withX({ type: 'object', patternProperties: { '(a)\\1': true } }),
      'properties.x.patternProperties.(a)\\1: uses a back reference',
    ],
    ['a pattern that is none', withX({ pattern: '(' }), 'properties.x.pattern: is not a regular expression'],
    [
      'a reference to nothing',
      withX({ $ref: '#/$defs/none' }),
      'properties.x.$ref: this schema has nothing at "#/$defs/none"',
    ],
    [
      'a reference to the network',
      withX({ $ref: 'https://example.com/s.json' }),
      'properties.x.$ref: this schema has nothing at',
    ],
    [
      'a reference in a cycle',
      withX({ anyOf: [{ type: 'string' }, { $ref: '#/properties/x' }] }),
      'properties.x: refers to itself, so checking a value would never end',
    ],
    [
      'an alternative that is none',
      withX({ oneOf: [{ type: 'strin' }] }),
      'properties.x.oneOf[0].type: must be string',
    ],
    ['no alternatives', withX({ anyOf: [] }), 'properties.x.anyOf: must be a list of at least one schema'],
    [
      'a step of nothing',
      withX({ type: 'number', multipleOf: 0 }),
      'properties.x.multipleOf: must be a number above 0',
    ],
    [
      'a default that breaks a rule of an alternative',
      withX({ oneOf: [{ type: 'string' }, { type: 'null' }], default: 3 }),
      'properties.x.default: must fit one of 2 alternatives',
    ],
    [
      'a default by a reference',
      { type: 'object', properties: { x: { $ref: '#/$defs/w', default: '' } }, $defs: { w: { minLength: 1 } } },
      'properties.x.default: must have at least 1 character',
    ],
    [
      'a name in a definition',
      { type: 'object', $defs: { d: { properties: { 'a{': true } } } },
      '$defs.d.properties.a{',
    ],
    ['an unknown type', withX({ type: 'text' }), 'properties.x.type: must be string, number, integer, boolean, array'],
    [
      'a mistyped keyword in a list of lists',
      withX({ type: 'array', items: { type: 'array', items: { type: 'string', tilte: 'x' } } }),
      'properties.x.items.items: unknown keyword: "tilte"; did you mean "title"?',
    ],
    [
      'an unknown type in a place',
      withX({ type: 'array', items: [{ type: 'string' }, { type: 'strin' }] }),
      'properties.x.items[1].type: must be string',
    ],
    ['an empty list of places', withX({ type: 'array', items: [] }), 'properties.x.items'],
    ['items that are no schema', withX({ type: 'array', items: 7 }), 'properties.x.items: must be a schema'],
    [
      'additional properties that are no schema',
      withX({ type: 'object', additionalProperties: 'no' }),
      'properties.x.additionalProperties: must be a schema',
    ],
    [
      'a wrong schema for additional properties',
      withX({ type: 'object', additionalProperties: { type: 'number', minimum: '1' } }),
      'properties.x.additionalProperties',
    ],
    ['a default of another type', withX({ type: 'string', default: 1 }), 'properties.x.default'],
    [
      'a default outside of enum',
      withX({ type: 'string', enum: ['a'], default: 'b' }),
      'properties.x.default: must be one of "a"',
    ],
    [
      'a default that is too short',
      withX({ type: 'string', minLength: 2, default: '👍' }),
      'properties.x.default: must have at least 2 characters; it has 1',
    ],
    [
      'a default that is too long',
      withX({ type: 'string', maxLength: 1, default: 'ab' }),
      'properties.x.default: must have at most 1 character',
    ],
    [
      'a default that is too small',
      withX({ type: 'number', minimum: 1, default: 0 }),
      'properties.x.default: must be at least 1',
    ],
    [
      'a default that is too large',
      withX({ type: 'number', maximum: 1, default: 2 }),
      'properties.x.default: must be at most 1',
    ],
    [
      'a default that is no whole number',
      withX({ type: 'integer', default: 1.5 }),
      'properties.x.default: must be a whole number',
    ],
    ['a number that is none', withX({ type: 'number', minimum: Number.POSITIVE_INFINITY }), 'properties.x.minimum'],
    ['an enum of another type', withX({ type: 'number', enum: ['1'] }), 'properties.x.enum[0]'],
    [
      'an enum with halves of a whole type',
      withX({ type: 'integer', enum: [1, 1.5] }),
      'properties.x.enum[1]: must be a whole number',
    ],
    ['an empty enum', withX({ type: 'string', enum: [] }), 'properties.x.enum'],
    [
      'an enum with a value twice',
      withX({ type: 'string', enum: ['a', 'a'] }),
      'properties.x.enum: must not contain a value twice',
    ],
    ['examples of another type', withX({ type: 'string', examples: [1] }), 'properties.x.examples[0]'],
    [
      'halves as examples of a whole type',
      withX({ type: 'integer', examples: [0.5] }),
      'properties.x.examples[0]: must be a whole',
    ],
    [
      'lengths in the wrong order',
      withX({ type: 'string', minLength: 3, maxLength: 2 }),
      'properties.x.minLength: must not be more than "maxLength" (2)',
    ],
    [
      'limits in the wrong order',
      withX({ type: 'number', minimum: 3, maximum: 2 }),
      'properties.x.minimum: must not be',
    ],
    [
      'counts of items in the wrong order',
      withX({ type: 'array', items: { type: 'string' }, minItems: 3, maxItems: 2 }),
      'properties.x.minItems: must not be',
    ],
    [
      'counts of properties in the wrong order',
      withX({ type: 'object', minProperties: 3, maxProperties: 2 }),
      'properties.x.minProperties: must not be',
    ],
    ['a negative length', withX({ type: 'string', minLength: -1 }), 'properties.x.minLength'],
    ['half a length', withX({ type: 'string', minLength: 0.5 }), 'properties.x.minLength'],
    [
      'a required name that is no property',
      { type: 'object', properties: { city: { type: 'string' } }, required: ['cty'] },
      'required[0]: there is no property "cty"; did you mean "city"?',
    ],
    [
      'a required name twice',
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a', 'a'] },
      'required[1]: "a" is listed twice',
    ],
    [
      'a name of a prototype',
      { type: 'object', properties: { constructor: { type: 'string' } } },
      'properties.constructor: is reserved by JavaScript',
    ],
    ['a required name of a prototype', { type: 'object', required: ['toString'] }, 'required[0]: there is no property'],
    ['a name with a brace', { type: 'object', properties: { 'a{b': { type: 'string' } } }, 'must not contain { }'],
    ['an empty name', { type: 'object', properties: { '': { type: 'string' } } }, 'properties.'],
    ['a root that is no object', { type: 'string' }, 'type'],
    ['a title with a NUL', withX({ type: 'string', title: '\0' }), 'properties.x.title: must not contain a NUL'],
  ])('%s is rejected with path and rule', (_name, value, message) => {
    expect(() => parseWith(ToolInputSchema, value)).toThrowError(message);
  });

  it('are at most 16 levels deep and of a limited size', () => {
    const nested = (levels: number): unknown =>
      levels === 1 ? { type: 'object' } : { type: 'object', properties: { a: nested(levels - 1) } };
    const many = (count: number) => ({
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'boolean' }])),
    });
    const wordy = { type: 'string', description: 'x'.repeat(4_000) };
    const large = {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`p${i}`, wordy])),
    };
    expect(ToolInputSchema.safeParse(nested(16)).success).toBe(true);
    expect(() => parseWith(ToolInputSchema, nested(17))).toThrowError('is nested deeper than 16 levels');
    expect(() => parseWith(ToolInputSchema, withX({ type: 'array', items: [nested(15)] }))).toThrowError(
      'nested deeper',
    );
    expect(() => readJsonSchema(nested(5_000))).toThrowError('is nested deeper than 16 levels');
    expect(ToolInputSchema.safeParse(many(999)).success).toBe(true);
    expect(() => parseWith(ToolInputSchema, many(1_000))).toThrowError('has more than 1000 schemas');
    expect(() => parseWith(ToolInputSchema, large)).toThrowError('characters; at most 200000');
  });

  it('a schema that reads __proto__ is rejected, and no prototype changes', () => {
    const hostile = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}');
    expect(() => readJsonSchema(hostile)).toThrowError('__proto__');
    expect(() => parseWith(ToolInputSchema, hostile)).toThrowError('__proto__');
    expect(({} as { type?: string }).type).toBeUndefined();
  });
});

describe('JSON Schema 2020-12', () => {
  it('uses prefixItems for tuples at every level, and is read back', () => {
    const parameters = ToolInputSchema.parse({
      type: 'object',
      properties: {
        prefixItems: { type: 'array', items: [{ type: 'string' }, { type: 'array', items: [{ type: 'integer' }] }] },
        map: { type: 'object', additionalProperties: { type: 'array', items: [{ type: 'boolean' }] } },
      },
    });
    const converted = toJsonSchema(parameters);
    expect(converted).toEqual({
      type: 'object',
      properties: {
        prefixItems: {
          type: 'array',
          prefixItems: [{ type: 'string' }, { type: 'array', prefixItems: [{ type: 'integer' }] }],
        },
        map: { type: 'object', additionalProperties: { type: 'array', prefixItems: [{ type: 'boolean' }] } },
      },
    });
    expect(readJsonSchema(parameters)).toEqual(converted);
    expect(readJsonSchema({ ...converted, $schema: 'https://json-schema.org/draft/2020-12/schema' })).toEqual(
      converted,
    );
  });

  it('keeps every keyword and their order', () => {
    const whole = JSON.parse(`{
      "$comment": "kept", "type": "object", "$defs": {"point": {"required": ["x"], "properties": {"x": {"type": "number", "exclusiveMinimum": 0}}}},
      "properties": {
        "kind": {"const": "trip", "deprecated": true, "nullable": true},
        "at": {"anyOf": [{"$ref": "#/$defs/point"}, {"type": "null"}], "ui:widget": {"map": [1, 2]}},
        "code": {"pattern": "^[A-Z]{3}$", "type": "string", "format": "iata", "x-order": 3},
        "steps": {"type": "array", "prefixItems": [true], "items": {"multipleOf": 0.5}, "contains": {"const": 1}, "maxContains": 2}
      },
      "if": {"properties": {"kind": {"const": "trip"}}}, "then": {"required": ["at"]}, "else": false,
      "dependentSchemas": {"code": {"required": ["kind"]}}, "unevaluatedProperties": false
    }`);
    const parsed = ToolInputSchema.parse(whole);
    expect(JSON.stringify(toJsonSchema(parsed))).toBe(JSON.stringify(whole));
    expect(JSON.stringify(readJsonSchema(whole))).toBe(JSON.stringify(whole));
    const check = compileParameters(parsed);
    check({ kind: 'trip', at: { x: 1 }, code: 'OSL', steps: ['any', 1, 2.5] });
    expect(() => check({ kind: 'trip' })).toThrowError('at: is required');
    expect(() => check({ kind: 'trip', at: { x: 0 } })).toThrowError(
      'at: must fit one of 2 alternatives; the closest needs: at.x must be more than 0',
    );
    expect(() => check({ kind: 'trip', at: null, code: 'osl' })).toThrowError(
      'code: must match the pattern ^[A-Z]{3}$',
    );
    expect(() => check({ kind: 'trip', at: null, other: 1 })).toThrowError('other: is not a known property');
  });

  it.each([
    ['text', 'object', 'JSON Schema'],
    ['nothing', null, 'JSON Schema'],
  ])('%s cannot be read', (_name, value, message) => {
    expect(() => readJsonSchema(value)).toThrowError(message);
  });
});

/** Each keyword of each type in JSON Schema 2020-12: the schema, valid values, invalid values. */
const meanings: [string, unknown, unknown[], unknown[]][] = [
  ['type string', { type: 'string' }, ['', 'a', '1'], [1, true, null, [], {}]],
  ['type number', { type: 'number' }, [0, -1.5, 1e308], ['1', true, null, [], {}]],
  ['type integer', { type: 'integer' }, [0, -3, 1.0, 1e20], [1.5, '1', true, null]],
  ['type boolean', { type: 'boolean' }, [true, false], [0, 1, 'true', null, '']],
  ['type array', { type: 'array', items: { type: 'string' } }, [[], ['a']], [{}, 'a', null, { 0: 'a', length: 1 }]],
  ['type object', { type: 'object' }, [{}, { a: null }], [[], 'a', null]],
  [
    'minLength counts characters, not units',
    { type: 'string', minLength: 2 },
    ['ab', '👍👍', 'a\u0301'],
    ['👍', '', 'a'],
  ],
  ['maxLength counts characters, not units', { type: 'string', maxLength: 2 }, ['👍👍', '', '👩‍'], ['abc', '👍👍👍']],
  ['enum of strings', { type: 'string', enum: ['a', ''] }, ['a', ''], ['A', 'b', 'a ']],
  ['enum of numbers', { type: 'number', enum: [1, 2.5] }, [1, 1.0, 2.5], ['1', 2, true]],
  ['minimum includes itself', { type: 'number', minimum: 1.1 }, [1.1, 2], [0.6, 1.0999]],
  ['minimum below zero', { type: 'integer', minimum: -2 }, [-2, 0], [-3]],
  ['maximum includes itself', { type: 'number', maximum: 3 }, [3, 2.6, -9], [3.0001]],
  ['items', { type: 'array', items: { type: 'integer' } }, [[], [1, 2]], [[1, 'x'], [null]]],
  [
    'a list of items is for places; others are free',
    { type: 'array', items: [{ type: 'integer' }, { type: 'string' }] },
    [[], [1], [1, 'a'], [1, 'a', true, null]],
    [
      ['a', 1],
      [1, 2],
    ],
  ],
  ['minItems', { type: 'array', items: { type: 'integer' }, minItems: 1 }, [[1], [1, 2]], [[]]],
  ['maxItems', { type: 'array', items: { type: 'integer' }, maxItems: 1 }, [[], [1]], [[1, 2]]],
  [
    'uniqueItems of scalars',
    { type: 'array', items: { type: 'number' }, uniqueItems: true },
    [[], [1, 2], [0, 1]],
    [
      [1, 1.0],
      [1, 2, 1],
      [0, -0],
    ],
  ],
  [
    'uniqueItems looks into objects, in any order of keys',
    { type: 'array', items: { type: 'object' }, uniqueItems: true },
    [
      [{ a: 1 }, { a: '1' }],
      [{ a: { b: 1 } }, { a: { b: 2 } }],
      [{ a: false }, { a: 0 }],
      [{ a: 1 }, {}],
    ],
    [
      [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
      [{ a: { b: { c: 1 } } }, { a: { b: { c: 1 } } }],
    ],
  ],
  [
    'uniqueItems looks into lists',
    { type: 'array', items: { type: 'array', items: [{ type: 'integer' }] }, uniqueItems: true },
    [
      [[1], [2]],
      [
        [1, 2],
        [2, 1],
      ],
      [[1], [1, 1]],
    ],
    [[[1], [2], [1]]],
  ],
  ['uniqueItems false allows', { type: 'array', items: { type: 'integer' }, uniqueItems: false }, [[1, 1]], []],
  [
    'uniqueItems of places',
    { type: 'array', items: [{ type: 'boolean' }, { type: 'boolean' }], uniqueItems: true },
    [
      [true, false],
      [false, true, 'x'],
    ],
    [
      [true, true],
      [true, false, 'x', 'x'],
    ],
  ],
  [
    'properties',
    { type: 'object', properties: { a: { type: 'integer' } } },
    [{}, { a: 1 }, { b: 'x' }],
    [{ a: 'x' }, { a: null }],
  ],
  [
    'required',
    {
      type: 'object',
      properties: { a: { type: 'string' }, toString: { type: 'string' } },
      required: ['a', 'toString'],
    },
    [{ a: '', toString: '' }],
    [{}, { a: '' }],
  ],
  [
    'additionalProperties false',
    { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
    [{}, { a: 'x' }],
    [{ b: 1 }, { a: 'x', b: 1 }, { toString: 1 }],
  ],
  ['additionalProperties true', { type: 'object', additionalProperties: true }, [{ b: 1 }], []],
  [
    'additionalProperties as a schema',
    { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'integer' } },
    [{ a: 'x', b: 1 }],
    [{ a: 'x', b: 'y' }, { a: 1 }],
  ],
  ['minProperties', { type: 'object', minProperties: 1 }, [{ a: 1 }], [{}]],
  ['maxProperties', { type: 'object', maxProperties: 1 }, [{}, { a: 1 }], [{ a: 1, b: 2 }]],
  ['maxProperties zero', { type: 'object', maxProperties: 0 }, [{}], [{ a: 1 }]],
  [
    'default, examples, title and description check nothing',
    { type: 'string', default: 'a', examples: ['b'], title: 'c', description: 'd' },
    ['e'],
    [],
  ],
];

describe('arguments of a call', () => {
  it.each(meanings)('%s', (_name, schema, fits, breaks) => {
    const check = compileParameters(ToolInputSchema.parse({ type: 'object', properties: { x: schema } }));
    for (const value of fits) expect(accepts(check, { x: value }), JSON.stringify(value)).toBe(true);
    for (const value of breaks) expect(accepts(check, { x: value }), JSON.stringify(value)).toBe(false);
  });

  it('an error names path and rule', () => {
    const check = compileParameters(
      ToolInputSchema.parse({
        type: 'object',
        properties: {
          trip: {
            type: 'object',
            properties: {
              stops: { type: 'array', items: { type: 'string', minLength: 2 }, uniqueItems: true },
              größe: { type: 'number' },
              'a/b': { type: 'number' },
            },
            maxProperties: 2,
            required: ['stops'],
          },
        },
        required: ['trip'],
      }),
    );
    expect(() => check({})).toThrowError('trip: is required');
    expect(() => check({ trip: {} })).toThrowError('trip.stops: is required');
    expect(() => check({ trip: { stops: ['Rome', 'X'] } })).toThrowError(
      'trip.stops.1: must have at least 2 characters; it has 1',
    );
    expect(() => check({ trip: { stops: ['Rome', 'Ulm', 'Rome'] } })).toThrowError(
      'trip.stops: must not contain an item twice; items 0 and 2 are equal',
    );
    expect(() => check({ trip: { stops: [], größe: 'x' } })).toThrowError('trip.größe: must be a number, not a string');
    expect(() => check({ trip: { stops: [], 'a/b': 'x' } })).toThrowError('trip.a/b: must be a number, not a string');
    expect(() => check({ trip: { stops: [], c: 1, d: 2 } })).toThrowError(
      'trip: must have at most 2 properties; it has 3',
    );
  });

  it('a name with half a surrogate pair is a caller error', () => {
    const check = compileParameters({ type: 'object', additionalProperties: { type: 'string' } });
    expect(accepts(check, { '\ud800': 1 })).toBe(false);
  });

  it('the last of many items is compared with the first', () => {
    const check = compileParameters({
      type: 'object',
      properties: { x: { type: 'array', items: { type: 'integer' }, uniqueItems: true } },
    });
    const long = Array.from({ length: 20_000 }, (_, index) => index);
    expect(accepts(check, { x: long })).toBe(true);
    expect(accepts(check, { x: [...long, 0] })).toBe(false);
  });
});

function accepts(check: (value: unknown) => void, value: unknown): boolean {
  try {
    check(value);
    return true;
  } catch (error) {
    if (error instanceof HubError && error.code === 'INVALID_ARGUMENTS') return false;
    throw error;
  }
}
