import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyParameters, valueFor } from '../../test/support/arbitrary-parameters.ts';
import { HubError } from '../base/hub-error.ts';
import type { JsonSchemaDefinition } from './tool-parameters.ts';
import { compileParameters, readJsonSchema, toJsonSchema } from './tool-schema.ts';

const runs = { numRuns: 400 };
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
