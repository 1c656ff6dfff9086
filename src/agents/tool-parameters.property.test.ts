import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HubError } from '../base/hub-error.ts';
import { type JsonSchemaDefinition, ToolInputSchema } from './tool-parameters.ts';
import { compileParameters, readJsonSchema, toJsonSchema } from './tool-schema.ts';

const runs = { numRuns: 400 };
/** Few names and values, so that schemas and values meet. */
const name = fc.constantFrom('a', 'b', 'items', 'properties', 'type', 'toString', '$id', 'ö/~ %#');
const word = fc.constantFrom('', 'a', 'ab', 'abc', '👍', '👍👍', '{a}', '$&');
const number = fc.constantFrom(-2, -1.5, 0, 1, 1.5, 2, 3, 1e300);
const whole = fc.constantFrom(-2, 0, 1, 2, 3);
const annotations = { title: fc.string({ maxLength: 10 }), description: fc.string({ maxLength: 10 }) };
const between = (values: fc.Arbitrary<number>, least: string, most: string) =>
  fc.tuple(values, values, fc.integer({ min: 0, max: 3 })).map(([one, other, which]) => ({
    ...(which % 2 === 1 && { [least]: Math.min(one, other) }),
    ...(which >= 2 && { [most]: Math.max(one, other) }),
  }));
const lengths = fc.integer({ min: 0, max: 3 });
const some = <T>(values: fc.Arbitrary<T>) => fc.uniqueArray(values, { minLength: 1, maxLength: 4 });

/** Any schema that fits; a draw that contradicts itself (a default beyond its limits) is left to the schema to refuse. */
const { schema: anySchema } = fc.letrec<{ schema: unknown; object: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    mix(
      fc.record(
        { type: fc.constant('string'), ...annotations, enum: some(word), examples: fc.array(word), default: word },
        { requiredKeys: ['type'] },
      ),
      between(lengths, 'minLength', 'maxLength'),
    ),
    mix(
      fc.record(
        {
          type: fc.constant('number'),
          ...annotations,
          enum: some(number),
          examples: fc.array(number),
          default: number,
        },
        { requiredKeys: ['type'] },
      ),
      between(number, 'minimum', 'maximum'),
    ),
    mix(
      fc.record(
        { type: fc.constant('integer'), ...annotations, enum: some(whole), examples: fc.array(whole), default: whole },
        { requiredKeys: ['type'] },
      ),
      between(number, 'minimum', 'maximum'),
    ),
    fc.record({ type: fc.constant('boolean'), ...annotations, default: fc.boolean() }, { requiredKeys: ['type'] }),
    mix(
      fc.record(
        {
          type: fc.constant('array'),
          ...annotations,
          items: fc.oneof(tie('schema'), fc.array(tie('schema'), { minLength: 1, maxLength: 3 })),
          uniqueItems: fc.boolean(),
        },
        { requiredKeys: ['type', 'items'] },
      ),
      between(lengths, 'minItems', 'maxItems'),
    ),
    tie('object'),
  ),
  object: mix(
    fc
      .record(
        {
          type: fc.constant('object'),
          ...annotations,
          properties: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
          required: fc.uniqueArray(name, { maxLength: 2 }),
          additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
        },
        { requiredKeys: ['type'] },
      )
      .map(({ required, ...rest }) => ({
        ...rest,
        ...(required && { required: required.filter((each) => Object.hasOwn(rest.properties ?? {}, each)) }),
      })),
    between(lengths, 'minProperties', 'maxProperties'),
  ),
}));
const anyParameters = fc
  .record({ type: fc.constant('object'), properties: fc.dictionary(name, anySchema, { minKeys: 1, maxKeys: 3 }) })
  .map((value) => ToolInputSchema.safeParse(value))
  .filter((result) => result.success)
  .map((result) => result.data);

function mix(one: fc.Arbitrary<object>, other: fc.Arbitrary<object>): fc.Arbitrary<object> {
  return fc.tuple(one, other).map(([first, second]) => ({ ...first, ...second }));
}

it('any schema goes out as 2020-12 and comes back the same, also through text', () => {
  fc.assert(
    fc.property(anyParameters, (parameters) => {
      const out = toJsonSchema(parameters);
      expect(readJsonSchema(JSON.parse(JSON.stringify(out)))).toEqual(parameters);
      expect(toJsonSchema(readJsonSchema(out))).toEqual(out);
    }),
    runs,
  );
});

it('a value is accepted exactly when every keyword of its schema holds', () => {
  let accepted = 0;
  let refused = 0;
  fc.assert(
    fc.property(
      anyParameters.chain((parameters) =>
        fc.tuple(fc.constant(parameters), fc.array(valueFor(parameters), { minLength: 8, maxLength: 8 })),
      ),
      ([parameters, values]) => {
        const check = compileParameters(parameters);
        for (const value of values) {
          const expected = holds(parameters, value);
          if (expected) accepted += 1;
          else refused += 1;
          expect(accepts(check, value), JSON.stringify({ parameters, value })).toBe(expected);
        }
      },
    ),
    runs,
  );
  // Both answers were seen often enough to mean something.
  expect(Math.min(accepted, refused)).toBeGreaterThan(200);
});

/** Values that often fit, and often miss by little. */
function valueFor(schema: JsonSchemaDefinition): fc.Arbitrary<unknown> {
  const other = fc.oneof(
    word,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(whole, { maxLength: 2 }),
    fc.constant({}),
  );
  const near = (): fc.Arbitrary<unknown> => {
    switch (schema.type) {
      case 'string':
        return word;
      case 'number':
      case 'integer':
        return number;
      case 'boolean':
        return fc.boolean();
      case 'array': {
        const { items } = schema;
        if (!Array.isArray(items)) return fc.array(valueFor(items), { maxLength: 4 });
        return fc
          .tuple(...items.map(valueFor))
          .chain((places) => fc.integer({ min: 0, max: places.length }).map((length) => places.slice(0, length)));
      }
      case 'object': {
        const { properties = {}, required = [], additionalProperties: rest } = schema;
        const known = fc.record(
          Object.fromEntries(Object.entries(properties).map(([key, each]) => [key, valueFor(each)])),
          { requiredKeys: required.filter((_, index) => index === 0) },
        );
        const extra = fc.dictionary(name, typeof rest === 'object' ? valueFor(rest) : other, { maxKeys: 2 });
        return fc.tuple(extra, known, fc.boolean()).map(([one, two, both]) => (both ? { ...one, ...two } : { ...two }));
      }
    }
  };
  return fc.oneof({ weight: 12, arbitrary: near() }, { weight: 1, arbitrary: other });
}

/** JSON Schema 2020-12, said once more and in another way. */
function holds(schema: JsonSchemaDefinition, value: unknown): boolean {
  switch (schema.type) {
    case 'string': {
      if (typeof value !== 'string') return false;
      const length = Array.from(value).length;
      const { minLength = 0, maxLength = length } = schema;
      return length >= minLength && length <= maxLength && (schema.enum === undefined || schema.enum.includes(value));
    }
    case 'number':
    case 'integer': {
      if (typeof value !== 'number') return false;
      if (schema.type === 'integer' && Math.trunc(value) !== value) return false;
      const { minimum = value, maximum = value } = schema;
      return value >= minimum && value <= maximum && (schema.enum === undefined || schema.enum.includes(value));
    }
    case 'boolean':
      return value === true || value === false;
    case 'array': {
      if (!Array.isArray(value)) return false;
      const { items, minItems = 0, maxItems = value.length, uniqueItems = false } = schema;
      if (value.length < minItems || value.length > maxItems) return false;
      if (uniqueItems && value.some((one, at) => value.some((two, place) => place > at && isEqual(one, two))))
        return false;
      return value.every((each, at) => {
        const rule = Array.isArray(items) ? items[at] : items;
        return rule === undefined || holds(rule, each);
      });
    }
    case 'object': {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
      const entries = Object.entries(value);
      const { properties = {}, required = [], additionalProperties: rest = true } = schema;
      const { minProperties = 0, maxProperties = entries.length } = schema;
      if (entries.length < minProperties || entries.length > maxProperties) return false;
      if (required.some((key) => entries.every(([each]) => each !== key))) return false;
      const rules = new Map(Object.entries(properties));
      return entries.every(([key, each]) => {
        const rule = rules.get(key) ?? rest;
        return typeof rule === 'boolean' ? rule : holds(rule, each);
      });
    }
  }
}

function isEqual(one: unknown, two: unknown): boolean {
  if (typeof one !== 'object' || typeof two !== 'object' || one === null || two === null) return one === two;
  if (Array.isArray(one) !== Array.isArray(two)) return false;
  const [left, right] = [new Map(Object.entries(one)), new Map(Object.entries(two))];
  return left.size === right.size && [...left].every(([key, each]) => right.has(key) && isEqual(each, right.get(key)));
}

function accepts(check: (value: unknown) => void, value: unknown): boolean {
  try {
    check(value);
    return true;
  } catch (error) {
    if (error instanceof HubError) return false;
    throw error;
  }
}
