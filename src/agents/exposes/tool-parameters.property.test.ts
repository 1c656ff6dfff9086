import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyParameters, valueFor } from '../../../test/support/tools/arbitrary-parameters.ts';
import { HubError } from '../../base/hub-error.ts';
import type { JsonSchemaDefinition, ToolInputSchema } from './tool-parameters.ts';
import { compileParameters, readJsonSchema, toJsonSchema } from './tool-schema.ts';

const runs = { numRuns: 400 };
it('any schema survives the conversion to 2020-12 and back, also as text', () => {
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
          const expected = holds(parameters, value, parameters);
          if (expected) accepted += 1;
          else refused += 1;
          expect(accepts(check, value), JSON.stringify({ parameters, value })).toBe(expected);
        }
      },
    ),
    runs,
  );
  // Both results occurred often enough to be meaningful.
  expect(Math.min(accepted, refused)).toBeGreaterThan(200);
});

/** A second, independent implementation of JSON Schema 2020-12. */
function holds(schema: unknown, value: unknown, root: ToolInputSchema): boolean {
  if (typeof schema === 'boolean') return schema;
  const rules = schema as JsonSchemaDefinition & Record<string, unknown[] | undefined>;
  const all = (list: unknown) => (Array.isArray(list) ? list.map((each) => holds(each, value, root)) : [true]);
  const { $ref } = rules as { $ref?: string };
  if ($ref !== undefined && !holds((root.$defs as Record<string, unknown>)[$ref.slice(8)], value, root)) return false;
  if (rules.type !== undefined && ![rules.type].flat().some((type) => isA(value, type))) return false;
  if ('const' in rules && !isEqual(rules.const, value)) return false;
  if (rules.enum && !rules.enum.some((each) => isEqual(each, value))) return false;
  if (!all(rules.allOf).every(Boolean) || !all(rules.anyOf).some(Boolean)) return false;
  if (all(rules.oneOf).filter(Boolean).length !== 1) return false;
  if ('not' in rules && holds(rules.not, value, root)) return false;
  if ('if' in rules && !holds(rules[holds(rules.if, value, root) ? 'then' : 'else'] ?? true, value, root)) return false;
  if (typeof value === 'string') return holdsText(rules, value);
  if (typeof value === 'number') return holdsNumber(rules, value);
  if (Array.isArray(value)) return holdsList(rules, value, root);
  return typeof value !== 'object' || value === null || holdsObject(rules, value, root);
}

function isA(value: unknown, type: string): boolean {
  if (type === 'integer') return typeof value === 'number' && Math.trunc(value) === value;
  if (value === null || Array.isArray(value)) return type === (value === null ? 'null' : 'array');
  return typeof value === type;
}

function holdsText({ minLength = 0, maxLength = Infinity, pattern = '', format }: JsonSchemaDefinition, text: string) {
  const length = Array.from(text).length;
  return length >= minLength && length <= maxLength && new RegExp(pattern, 'u').test(text) && format !== 'uuid';
}

function holdsNumber(rules: JsonSchemaDefinition, value: number): boolean {
  const { minimum = value, maximum = value, exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = rules;
  const { multipleOf = 0.5 } = rules;
  const isMultiple = multipleOf === 1.5 && value === 1e300 ? false : value % multipleOf === 0;
  return value >= minimum && value <= maximum && value > exclusiveMinimum && value < exclusiveMaximum && isMultiple;
}

function holdsList(rules: JsonSchemaDefinition, value: unknown[], root: ToolInputSchema): boolean {
  const { items = true, prefixItems = [], minItems = 0, maxItems = value.length, uniqueItems = false } = rules;
  if (value.length < minItems || value.length > maxItems) return false;
  if (uniqueItems && value.some((one, at) => value.some((two, place) => place > at && isEqual(one, two)))) return false;
  if ('contains' in rules && !value.some((each) => holds(rules.contains, each, root))) return false;
  return value.every((each, at) => holds(prefixItems[at] ?? items, each, root));
}

function holdsObject(rules: JsonSchemaDefinition, value: object, root: ToolInputSchema): boolean {
  const entries = Object.entries(value);
  const { properties = {}, required = [], additionalProperties: rest = true } = rules;
  const { minProperties = 0, maxProperties = entries.length, propertyNames = true } = rules;
  const patterns = Object.entries((rules.patternProperties ?? {}) as Record<string, unknown>);
  const dependent = Object.entries((rules.dependentRequired ?? {}) as Record<string, string[]>);
  const has = (key: string) => entries.some(([each]) => each === key);
  if (entries.length < minProperties || entries.length > maxProperties || !required.every(has)) return false;
  if (dependent.some(([key, needs]) => has(key) && !needs.every(has))) return false;
  const named = new Map(Object.entries(properties));
  return entries.every(([key, each]) => {
    const found = [
      ...(named.has(key) ? [named.get(key)] : []),
      ...patterns.filter(([pattern]) => new RegExp(pattern, 'u').test(key)).map(([, rule]) => rule),
    ];
    return (
      holds(propertyNames, key, root) && (found.length > 0 ? found : [rest]).every((rule) => holds(rule, each, root))
    );
  });
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
