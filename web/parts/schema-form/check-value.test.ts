import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../src/base/json-schema/json-schema.ts';
import { checkValue, normalPath } from './check-value.ts';
import { UnreadText } from './form-value.ts';
import { fieldOf } from './schema-fields.ts';

describe('checking a value', () => {
  it.each<[JsonSchema, unknown, string | undefined]>([
    [{ type: 'string' }, '', undefined],
    [{ type: 'string' }, 3, 'must be text'],
    [{ type: 'string', minLength: 1 }, '', 'must not be empty'],
    [{ type: 'string', minLength: 3 }, 'ab', 'must have at least 3 characters'],
    [{ type: 'string', maxLength: 1 }, '🦓', undefined],
    [{ type: 'string', maxLength: 1 }, 'ab', 'must have at most 1 character'],
    [{ type: 'number' }, new UnreadText('1,5'), 'must be a number'],
    [{ type: 'integer' }, 1.5, 'must be a whole number'],
    [{ type: 'number', minimum: 2 }, 1, 'must be at least 2'],
    [{ type: 'number', maximum: 2 }, 3, 'must be at most 2'],
    [{ type: 'number', exclusiveMinimum: 0 }, 0, 'must be more than 0'],
    [{ type: 'number', exclusiveMaximum: 1 }, 1, 'must be less than 1'],
    [{ type: 'number', multipleOf: 0.1 }, 0.3, undefined],
    [{ type: 'number', multipleOf: 5 }, 7, 'must be a multiple of 5'],
    [{ type: 'boolean' }, 'true', 'must be true or false'],
    [{ enum: ['a', 'b'] }, 'c', 'must be one of: a, b'],
    [{ type: ['string', 'null'] }, null, undefined],
    [{ type: 'string' }, null, 'must be text'],
    [{ type: 'array', items: { type: 'string' }, minItems: 1 }, [], 'must have at least 1 item'],
    [{ type: 'array', items: { type: 'string' }, maxItems: 1 }, ['a', 'b'], 'must have at most 1 item'],
    [{}, new UnreadText('{'), 'is not valid JSON'],
    [{ type: 'object', properties: { a: {} } }, [], 'must be an object'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 3, undefined],
    [{ anyOf: [{ type: 'string' }, { type: 'number', minimum: 5 }] }, true, 'must be text'],
  ])('%j rejects %j: %s', (schema, value, message) => {
    expect(checkValue(fieldOf(schema), value).map((issue) => issue.message)).toEqual(message ? [message] : []);
  });

  it('names a wrong field at any depth', () => {
    const field = fieldOf({
      type: 'object',
      properties: {
        filters: {
          type: 'object',
          properties: {
            tags: {
              type: 'array',
              items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
            },
          },
        },
        count: { type: 'integer' },
        needed: { type: 'string' },
      },
      required: ['needed'],
    });
    expect(checkValue(field, { filters: { tags: [{ name: 'x' }, {}, null] }, count: 1.5 })).toEqual([
      { path: 'filters.tags.1.name', message: 'is required' },
      { path: 'filters.tags.2', message: 'is required' },
      { path: 'count', message: 'must be a whole number' },
      { path: 'needed', message: 'is required' },
    ]);
  });

  it('reports the issues of the closest alternative', () => {
    const field = fieldOf({
      oneOf: [{ type: 'string' }, { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }],
    });
    expect(checkValue(field, {})).toEqual([{ path: 'a', message: 'is required' }]);
  });

  it.each([
    ['tags[0].name', 'tags.0.name'],
    ['[2]', '2'],
    ['a.b', 'a.b'],
  ])('converts the hub path %s to %s', (path, normal) => {
    expect(normalPath(path)).toBe(normal);
  });
});
