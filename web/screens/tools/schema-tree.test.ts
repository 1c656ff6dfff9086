import { expect, it } from 'vitest';
import { describeSchema } from './schema-tree.ts';

it('a schema becomes properties with types, limits, choices, defaults and nested properties', () => {
  const nodes = describeSchema({
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 1, maxLength: 200, description: 'What to find' },
      mode: { enum: ['keyword', 'hybrid'], default: 'hybrid' },
      limit: { type: ['integer', 'null'], minimum: 1, maximum: 20 },
      filters: {
        type: 'object',
        properties: { tags: { type: 'array', items: { type: 'string', maxLength: 9 }, maxItems: 5 } },
        required: ['tags'],
      },
      points: { type: 'array', items: { $ref: '#/$defs/point' } },
      either: { anyOf: [{ type: 'string' }, { type: 'number', exclusiveMinimum: 0 }] },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
    },
    required: ['query'],
    $defs: { point: { type: 'object', properties: { x: { type: 'number' }, next: { $ref: '#/$defs/point' } } } },
  });
  const plain = (list: typeof nodes, indent = ''): string[] =>
    list.flatMap((node) => [
      `${indent}${node.name}${node.isRequired ? '!' : ''}: ${node.type} (${node.facts.join('; ')})`,
      ...plain(node.children, `${indent}  `),
    ]);
  expect(nodes[0]?.description).toBe('What to find');
  expect(plain(nodes)).toEqual([
    'query!: string (1–200 characters)',
    'mode: string (one of: keyword, hybrid; default "hybrid")',
    'limit: integer | null (1–20)',
    'filters: object ()',
    '  tags!: string[] (each at most 9 characters; at most 5 entries)',
    'points: object[] ()',
    '  x: number ()',
    '  next: object ()',
    'either: string | number ()',
    'labels: object ()',
    '  any other key: string ()',
  ]);
});
