import { expect, test } from 'vitest';
import { z } from 'zod';
import { fieldIssues, parseWith } from './validate.ts';

const Shape = z.object({ name: z.string(), list: z.array(z.object({ size: z.number() })).optional() });

test.each<[unknown, string]>([
  [{}, 'name: is required'],
  [{ name: null }, 'name: must be text, not null'],
  [{ name: 'x', list: [{}] }, 'list[0].size: is required'],
])('%j fails with "%s"', (value, message) => {
  expect(() => parseWith(Shape, value)).toThrow(message);
});

test('a missing value is reported in the same way', () => {
  expect(() => parseWith(Shape, undefined, { what: 'The body' })).toThrow('The body: is required');
});

test.each<[rule: string, schema: z.ZodType, value: unknown, message: string]>([
  ['a short text', z.string().min(8), 'short', 'must have at least 8 characters'],
  ['an empty text', z.string().min(1), '', 'must not be empty'],
  ['a long text', z.string().max(1), 'ab', 'must have at most 1 character'],
  ['a very long text', z.string().max(10_000), 'a'.repeat(10_001), 'must have at most 10,000 characters'],
  ['a text of another length', z.string().length(2), 'a', 'must have exactly 2 characters'],
  ['a small number', z.number().min(0), -1, 'must be at least 0'],
  ['a number at its limit', z.number().positive(), 0, 'must be more than 0'],
  ['a large number', z.number().max(3_650), 4_000, 'must be at most 3,650'],
  ['a fraction', z.int(), 1.5, 'must be a whole number'],
  ['no multiple', z.number().multipleOf(5), 7, 'must be a multiple of 5'],
  ['an empty list', z.array(z.string()).min(1), [], 'must not be empty'],
  ['a long list', z.array(z.string()).max(2), ['a', 'b', 'c'], 'must have at most 2 entries'],
  ['a wrong type', z.array(z.string()), 'a', 'must be a list, not text'],
  ['a number as text', z.number(), '5', 'must be a number, not text'],
  ['no number', z.number(), Number.NaN, 'must be a number'],
  ['a text as boolean', z.boolean(), 'true', 'must be true or false, not text'],
  ['a boolean as text', z.string(), true, 'must be text, not true or false'],
  ['an unknown choice', z.enum(['hour', 'day']), 'week', 'must be one of: hour, day'],
  ['another literal', z.literal('on'), 'off', 'must be on'],
  ['a wrong pattern', z.string().regex(/^[a-z]+$/), 'A', 'must match the pattern /^[a-z]+$/'],
  ['no address', z.url(), 'x', 'must be an address such as https://example.com'],
  ['no time', z.iso.datetime(), 'x', 'must be a date and time such as 2026-01-31T08:00:00Z'],
  ['a wrong start', z.string().startsWith('zoo_'), 'x', 'must start with "zoo_"'],
  ['an unknown field', z.strictObject({}), { port: 1 }, 'unknown field "port"'],
  ['unknown fields', z.strictObject({}), { a: 1, b: 2 }, 'unknown fields "a", "b"'],
  [
    'a wrong name',
    z.record(z.string().max(2), z.string()),
    { abc: 'x' },
    'abc: is not an accepted name: it must have at most 2 characters',
  ],
  ['neither alternative', z.union([z.string(), z.number()]), null, 'must be text or a number'],
  [
    'an alternative with a fault',
    z.union([z.string(), z.object({ a: z.object({ b: z.string() }) })]),
    { a: {} },
    'a.b: is required',
  ],
  [
    'an unknown kind',
    z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })]),
    { kind: 'c' },
    'kind: must be one of: a, b',
  ],
  ['a check without words', z.string().refine(() => false), 'x', 'is not accepted'],
  ['a check with words', z.string().refine(() => false, 'must not contain spaces'), 'x', 'must not contain spaces'],
  ['a limit with words', z.string().min(8, 'is too short for a key'), 'x', 'is too short for a key'],
])('%s breaks its rule in plain words', (_, schema, value, message) => {
  const { error } = schema.safeParse(value);
  if (!error) return expect.fail();
  expect(fieldIssues(error).map((issue) => (issue.path ? `${issue.path}: ${issue.message}` : issue.message))).toEqual([
    message,
  ]);
});
