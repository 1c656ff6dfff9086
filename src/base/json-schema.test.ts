import { expect, it } from 'vitest';
import { compileJsonSchema } from './json-schema.ts';

const check = compileJsonSchema({
  type: 'object',
  properties: { city: { type: 'string', minLength: 2 }, legs: { type: 'array', items: { type: 'integer' } } },
  required: ['city'],
  additionalProperties: false,
});

it.each([
  ['a missing field', {}, /city/],
  ['a wrong type inside an array', { city: 'Oslo', legs: [1, 'x'] }, /legs\.1/],
  ['a rule of length', { city: 'O' }, /city/],
  ['a field too many', { city: 'Oslo', other: 1 }, /other/],
])('names %s', (_name, value, message) => {
  expect(() => check(value)).toThrow(message);
});

it('accepts what fits', () => {
  expect(() => check({ city: 'Oslo', legs: [1, 2] })).not.toThrow();
});

it.each([
  [{}, 'text: is required'],
  [{ text: 'x', title: 'y' }, 'title: is not known here'],
  [{ text: 'x', inner: {} }, 'inner.depth: is required'],
])('%j is told as "%s"', (value, message) => {
  const check = compileJsonSchema({
    type: 'object',
    properties: {
      text: { type: 'string' },
      inner: { type: 'object', properties: { depth: { type: 'integer' } }, required: ['depth'] },
    },
    required: ['text'],
    additionalProperties: false,
  });
  expect(() => check(value)).toThrow(message);
});
