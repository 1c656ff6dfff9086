import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../src/base/json-schema/json-schema.ts';
import { fieldOf, type SchemaField } from './schema-fields.ts';

const object = (properties: JsonSchema, rest: JsonSchema = {}): JsonSchema => ({ type: 'object', properties, ...rest });

function property(schema: JsonSchema, name: string): SchemaField {
  const field = fieldOf(schema);
  const found = field.kind === 'object' ? field.properties.find((each) => each.name === name)?.field : undefined;
  if (!found) throw new Error(`no field ${name}`);
  return found;
}

describe('the fields of a schema', () => {
  it.each<[string, JsonSchema, string]>([
    ['a string', { type: 'string' }, 'text'],
    ['a number', { type: 'number' }, 'number'],
    ['an integer', { type: 'integer' }, 'number'],
    ['a boolean', { type: 'boolean' }, 'boolean'],
    ['an enum', { enum: ['a', 'b'] }, 'choice'],
    ['a const', { const: 4 }, 'choice'],
    ['alternatives that are one value each', { oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] }, 'choice'],
    ['an array of one kind', { type: 'array', items: { type: 'string' } }, 'list'],
    ['an object with properties', object({ a: {} }), 'object'],
    ['properties without a type', { properties: { a: {} } }, 'object'],
    ['alternatives', { anyOf: [{ type: 'string' }, { type: 'number' }] }, 'variants'],
    ['several types', { type: ['string', 'number'] }, 'variants'],
    ['a tuple', { type: 'array', items: { type: 'string' }, prefixItems: [{}] }, 'json'],
    ['an array of anything', { type: 'array' }, 'json'],
    ['a map', { type: 'object', additionalProperties: { type: 'string' } }, 'json'],
    ['nothing said', {}, 'json'],
    ['a reference to nowhere', { $ref: '#/$defs/none' }, 'json'],
    ['a reference to another document', { $ref: 'https://example.com/schema.json' }, 'json'],
  ])('%s', (_, schema, kind) => {
    expect(property(object({ it: schema }), 'it').kind).toBe(kind);
  });

  it('an input without properties is an empty object, not a JSON field', () => {
    expect(fieldOf({ type: 'object' })).toMatchObject({ kind: 'object', properties: [] });
  });

  it('include required flags, titles, descriptions, limits and defaults', () => {
    const schema = object(
      { size: { type: 'integer', title: 'Size', description: 'In metres', minimum: 1, maximum: 9, default: 3 } },
      { required: ['size'] },
    );
    expect(fieldOf(schema)).toMatchObject({
      kind: 'object',
      properties: [
        {
          name: 'size',
          isRequired: true,
          field: {
            kind: 'number',
            isWhole: true,
            title: 'Size',
            description: 'In metres',
            defaultValue: 3,
            limits: { min: 1, max: 9 },
          },
        },
      ],
    });
  });

  it.each<[string, JsonSchema, boolean]>([
    ['content', { type: 'string' }, true],
    ['newText', { type: 'string' }, true],
    ['path', { type: 'string' }, false],
    ['path', { type: 'string', maxLength: 4_000 }, false],
    ['message', { type: 'string', maxLength: 4_000 }, true],
    ['content', { type: 'string', maxLength: 50 }, false],
  ])('text named %s with %j is multi-line: %s', (name, schema, isLong) => {
    expect(property(object({ [name]: schema }), name)).toMatchObject({ isLong });
  });

  it('null beside one type makes it nullable, not a choice of two', () => {
    const schema = object({
      a: { type: ['string', 'null'] },
      b: { anyOf: [{ type: 'number', description: 'inner' }, { type: 'null' }], description: 'outer' },
      c: { enum: ['x', null] },
    });
    expect(property(schema, 'a')).toMatchObject({ kind: 'text', isNullable: true });
    expect(property(schema, 'b')).toMatchObject({ kind: 'number', isNullable: true, description: 'outer' });
    expect(property(schema, 'c')).toMatchObject({
      kind: 'choice',
      isNullable: true,
      options: [{ value: 'x', label: 'x' }],
    });
  });

  it('references are followed, and keywords beside them apply', () => {
    const schema = object(
      { at: { $ref: '#/$defs/point', description: 'Where' } },
      { $defs: { point: object({ x: { $ref: '#/$defs/number~1only' } }), 'number/only': { type: 'number' } } },
    );
    const at = property(schema, 'at');
    expect(at).toMatchObject({ kind: 'object', description: 'Where' });
    expect(at.kind === 'object' && at.properties[0]?.field.kind).toBe('number');
  });

  it('a recursive schema ends in a JSON field', () => {
    const schema = object(
      { tree: { $ref: '#/$defs/node' } },
      {
        $defs: {
          node: object({ name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } }),
        },
      },
    );
    const tree = property(schema, 'tree');
    expect(tree.kind === 'object' && tree.properties.map(({ field }) => field.kind)).toEqual(['text', 'list']);
    const children = tree.kind === 'object' ? tree.properties[1]?.field : undefined;
    expect(children?.kind === 'list' && children.item.kind).toBe('json');
  });

  it('references that expand to millions of fields are cut off', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `d${index}`,
        object({
          a: { $ref: `#/$defs/d${index + 1}` },
          b: { $ref: `#/$defs/d${index + 1}` },
          c: { $ref: `#/$defs/d${index + 1}` },
        }),
      ]),
    );
    expect(fieldOf({ type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs }).kind).toBe('object');
  });

  it('allOf is merged', () => {
    const schema = {
      allOf: [object({ a: { type: 'string' } }, { required: ['a'] }), object({ b: { type: 'number' } })],
      type: 'object',
    };
    const field = fieldOf(schema);
    expect(field.kind === 'object' && field.properties.map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ['a', true],
      ['b', false],
    ]);
  });

  it('alternatives inherit the properties beside them and are named after their discriminator', () => {
    const schema = object(
      { name: { type: 'string' } },
      {
        required: ['name'],
        oneOf: [object({ kind: { const: 'file' }, path: { type: 'string' } }), object({ kind: { const: 'link' } })],
      },
    );
    const field = fieldOf(schema);
    expect(field.kind === 'variants' && field.options.map((option) => option.label)).toEqual([
      'kind: file',
      'kind: link',
    ]);
    const first = field.kind === 'variants' ? field.options[0]?.field : undefined;
    expect(first?.kind === 'object' && first.properties.map(({ name }) => name).toSorted()).toEqual([
      'kind',
      'name',
      'path',
    ]);
  });
});
