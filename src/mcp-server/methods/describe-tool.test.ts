import { AjvJsonSchemaValidator as AjvV2 } from '@modelcontextprotocol/client/validators/ajv';
import { ToolSchema } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator as AjvV1 } from '@modelcontextprotocol/sdk/validation/ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonSchema } from '../../base/json-schema/json-schema.ts';
import { ToolContent } from '../../tools/content.ts';
import { defineTool, type Tool } from '../../tools/tool.ts';
import { describeResult, describeTool } from './describe-tool.ts';

const plain = defineTool({ name: 'x', description: 'x', input: z.strictObject({}), run: () => ({}) });

function shown(outputSchema: unknown, era: 'session' | 'stateless' = 'session'): JsonSchema | undefined {
  const tool: Tool = { ...plain, outputSchema: outputSchema as JsonSchema };
  return (describeTool(tool, era) as { outputSchema?: JsonSchema }).outputSchema;
}

const keywords = [
  ...['type', 'enum', 'const', 'required', 'pattern', 'format', 'uniqueItems', 'multipleOf', 'nullable', 'default'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'minLength', 'maxItems', 'minProperties', 'minContains', 'id', '$id'],
  ...['$ref', '$schema', '$anchor', '$dynamicRef', '$recursiveRef', '$async', 'dependencies', 'dependentRequired'],
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'items', 'prefixItems', 'anyOf'],
  ...['oneOf', 'allOf', 'not', 'if', 'then', 'contains', 'additionalProperties', 'unevaluatedProperties', 'title'],
];
const words = [
  'object',
  'array',
  'string',
  'null',
  'strnig',
  '#',
  '#/$defs/a',
  '#/properties/a',
  '#/none',
  '(',
  '^a+$',
  'date',
  '',
];
const dialects = ['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-04/schema#', 'urn:x'];
const { schema: anySchema } = fc.letrec<{ schema: unknown; value: unknown }>((tie) => ({
  value: fc.oneof(
    { weight: 4, arbitrary: tie('schema') },
    { weight: 3, arbitrary: fc.constantFrom(...words, ...dialects) },
    fc.constantFrom(true, false, null, 0, 1, -1, 1.5),
    fc.array(fc.oneof(tie('schema'), fc.constantFrom(...words)), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '('), tie('schema'), { maxKeys: 2 }),
  ),
  schema: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom<unknown>({}, { type: 'string' }, { type: 'object' }, true),
    fc.dictionary(fc.constantFrom(...keywords), tie('value'), { maxKeys: 4 }),
  ),
}));

describe('an output schema', () => {
  it('that leaves for a client can be read and compiled by it, whatever the tool said', () => {
    let kept = 0;
    fc.assert(
      fc.property(anySchema, (schema) => {
        const session = shown(schema);
        const stateless = shown(schema, 'stateless');
        if (session) {
          kept += 1;
          ToolSchema.parse({ name: 'x', inputSchema: { type: 'object' }, outputSchema: session });
          new AjvV1().getValidator(session);
          new AjvV2().getValidator(session);
        }
        if (stateless) new AjvV2().getValidator(stateless);
      }),
      { numRuns: 2_000 },
    );
    expect(kept).toBeGreaterThan(100);
  });

  it('that is as it should be leaves as the very object that the tool has', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { list: { type: 'array', items: { $ref: '#/$defs/item' } } },
      required: ['list'],
      $defs: { item: { type: ['string', 'null'], pattern: '^a', nullable: true } },
      additionalProperties: false,
    };
    expect(shown(schema)).toBe(schema);
    expect(shown(schema, 'stateless')).toBe(schema);
  });

  it('of another root is wrapped for revisions that allow only objects, and its references still resolve', () => {
    const tree = { $ref: '#/$defs/$ref' };
    const schema = {
      $id: 'urn:tree',
      type: 'array',
      items: tree,
      $defs: { $ref: { type: 'array', items: { $ref: '#' }, default: { $ref: '#' } } },
    };
    const wrapped = shown(schema);
    expect(wrapped).toMatchObject({
      type: 'object',
      required: ['result'],
      properties: { result: { items: { $ref: '#/properties/result/$defs/$ref' } } },
    });
    expect(wrapped).toHaveProperty(['properties', 'result', '$defs', '$ref', 'default'], { $ref: '#' });
    const check = new AjvV1().getValidator(wrapped ?? {});
    expect(check({ result: [[[[]]]] }).valid).toBe(true);
    expect(check({ result: [[1]] }).valid).toBe(false);
    const { $id: _, ...anonymous } = schema;
    expect(shown(schema, 'stateless')).toEqual(anonymous);
  });
});

describe('structured content', () => {
  const list = { type: 'array' };
  it.each<[unknown, JsonSchema | undefined, unknown]>([
    [{ a: 1 }, undefined, { a: 1 }],
    [{ a: 1 }, { type: 'object' }, { a: 1 }],
    [[1], undefined, { result: [1] }],
    [[1], list, { result: [1] }],
    [{ a: 1 }, { oneOf: [{ type: 'object' }] }, { result: { a: 1 } }],
    // The client was shown no schema for it.
    [{ a: 1 }, { oneOf: 'none' }, { a: 1 }],
    [0, undefined, { result: 0 }],
    [null, { type: 'null' }, { result: null }],
  ])('%j by %j is %j in revisions with sessions', (structuredContent, outputSchema, expected) => {
    const tool: Tool = { ...plain, outputSchema };
    const content = new ToolContent([], { structuredContent: structuredContent as never });
    expect(describeResult(tool, content, 'session')).toHaveProperty('structuredContent', expected);
    expect(describeResult(tool, content, 'stateless')).toHaveProperty('structuredContent', structuredContent);
  });
});

it('a chain of references is followed once, not again from each of its links', () => {
  const links = Array.from({ length: 200 }, (_, index) => [`a${index}`, { $ref: `#/$defs/a${index + 1}` }]);
  const definitions = { ...Object.fromEntries(links), a200: { type: 'string' } };
  let lookups = 0;
  const schema = {
    type: 'object',
    get $defs() {
      lookups += 1;
      return definitions;
    },
  };
  expect(shown(schema)).toBeDefined();
  expect(lookups).toBeLessThan(1_000);
});

it('a schema that had to be made readable is made so once', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: 'a' };
  expect(shown(schema)).toEqual({ type: 'object', properties: { a: { type: 'string' } } });
  expect(shown(schema)).toBe(shown(schema));
});
