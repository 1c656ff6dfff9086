import fc from 'fast-check';
import { type SubSchema, ToolInputSchema } from '../../../src/agents/exposes/tool-parameters.ts';

/** Few names and values, so that schemas and values often match. */
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

/** Any valid schema. A contradictory one (a default beyond its limits) is rejected by the schema. */
const { schema: anySchema } = fc.letrec<{ schema: unknown; object: unknown; combined: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    mix(
      fc.record(
        {
          type: fc.constant('string'),
          ...annotations,
          enum: some(word),
          examples: fc.array(word),
          default: word,
          pattern: fc.constantFrom('^a', 'b$', '^(a|b)*$', '👍', '^.{2}$'),
          format: fc.constantFrom('uuid', 'color'),
          'x-widget': fc.constantFrom('area', { rows: 3 }),
        },
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
          exclusiveMinimum: number,
          exclusiveMaximum: number,
          multipleOf: fc.constantFrom(0.5, 1, 1.5),
          const: number,
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
          items: fc.oneof(tie('schema'), fc.boolean()),
          prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
          uniqueItems: fc.boolean(),
          contains: tie('schema'),
        },
        { requiredKeys: ['type'] },
      ),
      between(lengths, 'minItems', 'maxItems'),
    ),
    tie('object'),
    tie('combined'),
    fc.constantFrom(
      { $ref: '#/$defs/word' },
      { $ref: '#/$defs/tree', title: 'Tree' },
      { type: ['string', 'null'] },
      {},
    ),
  ),
  combined: fc.oneof(
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ description: fc.constant('One'), oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ not: tie('schema') }),
    fc.record({ const: fc.oneof(word, number, fc.constant({ a: [1] }), fc.constant(null)) }),
    fc.record(Object.fromEntries(['if', 'then', 'else'].map((key) => [key, tie('schema')])), { requiredKeys: ['if'] }),
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
          patternProperties: fc.dictionary(fc.constantFrom('^a', '^[a-z]+$'), tie('schema'), { maxKeys: 1 }),
          propertyNames: fc.constantFrom({ maxLength: 4 }, { pattern: '^[^t]' }),
          dependentRequired: fc.constantFrom({ a: ['b'] }, {}),
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
const $defs = {
  word: { type: 'string', minLength: 1 },
  tree: {
    type: 'object',
    properties: { a: { $ref: '#/$defs/tree' }, b: { type: 'integer' } },
    additionalProperties: false,
  },
};
export const anyParameters = fc
  .record({ type: fc.constant('object'), properties: fc.dictionary(name, anySchema, { minKeys: 1, maxKeys: 3 }) })
  .map((value) => ToolInputSchema.safeParse({ ...value, $defs }))
  .filter((result) => result.success)
  .map((result) => result.data);

function mix(one: fc.Arbitrary<object>, other: fc.Arbitrary<object>): fc.Arbitrary<object> {
  return fc.tuple(one, other).map(([first, second]) => ({ ...first, ...second }));
}

/** Values that often match, and often narrowly fail. */
export function valueFor(schema: SubSchema | undefined): fc.Arbitrary<unknown> {
  const other = fc.oneof(
    word,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(whole, { maxLength: 2 }),
    fc.constant({}),
    fc.constant({ a: [1] }),
    fc.constant({ a: { b: 1 } }),
  );
  return fc.oneof({ weight: 12, arbitrary: nearValue(schema, other) }, { weight: 1, arbitrary: other });
}

function nearValue(schema: SubSchema | undefined, other: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  if (typeof schema !== 'object') return other;
  const parts = [schema.anyOf, schema.oneOf, schema.allOf, [schema.then, schema.else]].flatMap((list) =>
    Array.isArray(list) ? (list as (SubSchema | undefined)[]) : [],
  );
  if (parts.length > 0) return fc.oneof(...parts.map(valueFor));
  if ('const' in schema) return fc.oneof(fc.constant(schema.const), other);
  switch ([schema.type].flat()[0]) {
    case 'string':
      return word;
    case 'number':
    case 'integer':
      return number;
    case 'boolean':
      return fc.boolean();
    case 'array': {
      const { items, prefixItems } = schema;
      if (!prefixItems) return fc.array(valueFor(Array.isArray(items) ? items[0] : items), { maxLength: 4 });
      return fc
        .tuple(...prefixItems.map(valueFor))
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
    default:
      return other;
  }
}
