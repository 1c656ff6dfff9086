import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseWith } from './validate.ts';

const Shape = z.object({ name: z.string(), list: z.array(z.object({ size: z.number() })).optional() });

test.each<[unknown, string]>([
  [{}, 'name: is required'],
  [{ name: null }, 'name: Invalid input: expected string, received null'],
  [{ name: 'x', list: [{}] }, 'list[0].size: is required'],
])('%j fails with "%s"', (value, message) => {
  expect(() => parseWith(Shape, value)).toThrow(message);
});

test('a missing value is reported in the same way', () => {
  expect(() => parseWith(Shape, undefined, { what: 'The body' })).toThrow('The body: is required');
});
