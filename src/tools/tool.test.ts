import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from './tool.ts';

function withSchema(properties: object) {
  return defineTool({
    name: 'a',
    description: '',
    input: { jsonSchema: { type: 'object', properties } },
    run: () => ({}),
  });
}

it.each([
  [{ x: { pattern: '(?<=a)b' } }, 'properties.x.pattern: uses lookbehind, which is not supported'],
  [{ x: { $ref: '#/$defs/none' } }, 'properties.x.$ref: this schema has nothing at "#/$defs/none"'],
  [{ x: { type: 'text' } }, 'properties.x.type: must be string'],
])('a tool with the JSON Schema %j is rejected when it is defined', (properties, message) => {
  expect(() => withSchema(properties)).toThrow(`The input schema of tool "a" cannot be used: ${message}`);
});

it.each([
  ['x'.repeat(16_385), '16,385'],
  ['é'.repeat(8_193), '16,386'],
])('a tool with a description over 16 KB is rejected when it is defined', (description, bytes) => {
  const define = (text: string) =>
    defineTool({ name: 'a', description: text, input: { jsonSchema: { type: 'object' } }, run: () => ({}) });
  expect(() => define(description)).toThrow(
    `Tool "a" cannot be used. Its description has ${bytes} bytes; at most 16,384 are accepted.`,
  );
  expect(define(description.slice(1)).description).toHaveLength(description.length - 1);
});

it("a tool's input is checked by its JSON Schema, and the schema is listed unchanged", () => {
  const properties = { x: { anyOf: [{ const: 1 }, { type: 'string', pattern: '^a+$' }], 'x-note': [1] } };
  const tool = withSchema(properties);
  expect(tool.inputSchema).toEqual({ type: 'object', properties });
  expect(tool.parse({ x: 'aa' })).toEqual({ x: 'aa' });
  expect(() => tool.parse({ x: 'b' })).toThrow('x: must fit one of 2 alternatives');
});

it.each<[string, { input: z.ZodType; output?: z.ZodType }]>([
  ['input', { input: z.string() }],
  ['output', { input: z.object({}), output: z.string() }],
])('a tool whose zod %s does not describe an object is rejected when it is defined', (_part, schemas) => {
  expect(() => defineTool({ name: 'a', description: '', ...schemas, run: () => ({}) })).toThrow(
    'The schemas of tool "a" must describe an object.',
  );
});

it('the schemas of a built-in tool are converted once somebody reads them', () => {
  let conversions = 0;
  const input = z.object({ x: z.string() }).meta({
    get title() {
      conversions += 1;
      return 'Text';
    },
  });
  const tool = defineTool({ name: 'a', description: '', origin: 'built-in', input, run: () => ({}) });
  const before = conversions;
  const schema = { type: 'object', title: 'Text', properties: { x: { type: 'string' } }, required: ['x'] };
  expect(tool.inputSchema).toMatchObject(schema);
  expect(conversions).toBeGreaterThan(before);
  const after = conversions;
  expect(tool.inputSchema).toMatchObject(schema);
  expect(conversions).toBe(after);
});
