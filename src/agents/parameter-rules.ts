import { z } from 'zod';
import { nearest } from '../base/nearest.ts';
import type { JsonSchemaDefinition } from './tool-parameters.ts';

/** What zod's shapes cannot say of the schemas in `tool-parameters.ts`, and the words for what they say. */

const prototypeKeys = new Set(['__proto__', 'constructor', 'prototype']);

export function isPrototypeKey(name: string): boolean {
  return prototypeKeys.has(name);
}

export function uniqueList<T extends z.ZodType<string> | z.ZodType<number>>(value: T, most: number) {
  return z
    .array(value)
    .min(1)
    .max(most)
    .refine((list) => new Set(list).size === list.length, 'must not hold a value twice');
}

interface Limits {
  least: [name: string, value: number | undefined];
  most: [name: string, value: number | undefined];
}

function checkOrder({ least, most }: Limits, context: z.RefinementCtx): void {
  if (least[1] === undefined || most[1] === undefined || least[1] <= most[1]) return;
  report(context, [least[0]], `must not be more than "${most[0]}" (${most[1]})`);
}

interface StringRules {
  enum?: string[];
  default?: string;
  minLength?: number;
  maxLength?: number;
}

export function checkString(schema: StringRules, context: z.RefinementCtx): void {
  checkOrder({ least: ['minLength', schema.minLength], most: ['maxLength', schema.maxLength] }, context);
  const { default: value } = schema;
  if (value === undefined) return;
  const length = [...value].length;
  if (schema.enum && !schema.enum.includes(value)) report(context, ['default'], 'must be one of "enum"');
  if (length < (schema.minLength ?? 0)) report(context, ['default'], 'is shorter than "minLength"');
  if (length > (schema.maxLength ?? Infinity)) report(context, ['default'], 'is longer than "maxLength"');
}

interface NumericRules {
  type: 'number' | 'integer';
  enum?: number[];
  default?: number;
  examples?: number[];
  minimum?: number;
  maximum?: number;
}

export function checkNumeric(schema: NumericRules, context: z.RefinementCtx): void {
  checkOrder({ least: ['minimum', schema.minimum], most: ['maximum', schema.maximum] }, context);
  if (schema.type === 'integer') checkIntegers(schema, context);
  const { default: value } = schema;
  if (value === undefined) return;
  if (schema.enum && !schema.enum.includes(value)) report(context, ['default'], 'must be one of "enum"');
  if (value < (schema.minimum ?? -Infinity)) report(context, ['default'], 'is less than "minimum"');
  if (value > (schema.maximum ?? Infinity)) report(context, ['default'], 'is more than "maximum"');
}

function checkIntegers(schema: NumericRules, context: z.RefinementCtx): void {
  const rule = 'must be a whole number, as "type" says';
  if (schema.default !== undefined && !Number.isInteger(schema.default)) report(context, ['default'], rule);
  for (const key of ['enum', 'examples'] as const) {
    for (const [index, value] of (schema[key] ?? []).entries()) {
      if (!Number.isInteger(value)) report(context, [key, index], rule);
    }
  }
}

interface ArrayRules {
  minItems?: number;
  maxItems?: number;
}

export function checkArray(schema: ArrayRules, context: z.RefinementCtx): void {
  checkOrder({ least: ['minItems', schema.minItems], most: ['maxItems', schema.maxItems] }, context);
}

interface ObjectRules {
  properties?: Record<string, unknown>;
  required?: string[];
  minProperties?: number;
  maxProperties?: number;
}

export function checkObject(schema: ObjectRules, context: z.RefinementCtx): void {
  checkOrder(
    { least: ['minProperties', schema.minProperties], most: ['maxProperties', schema.maxProperties] },
    context,
  );
  const names = Object.keys(schema.properties ?? {});
  const seen = new Set<string>();
  for (const [index, name] of (schema.required ?? []).entries()) {
    if (seen.has(name)) report(context, ['required', index], `"${name}" is there twice`);
    else if (!names.includes(name))
      report(context, ['required', index], `there is no property "${name}"${hint(name, names)}`);
    seen.add(name);
  }
}

/** How deep a schema is nested, and how many there are in it. */
export function measure(schema: JsonSchemaDefinition): { depth: number; schemas: number } {
  const inner = childrenOf(schema).map(measure);
  return {
    depth: 1 + Math.max(0, ...inner.map((each) => each.depth)),
    schemas: 1 + inner.reduce((sum, each) => sum + each.schemas, 0),
  };
}

function childrenOf(schema: JsonSchemaDefinition): JsonSchemaDefinition[] {
  if (schema.type === 'array') return Array.isArray(schema.items) ? schema.items : [schema.items];
  if (schema.type !== 'object') return [];
  const { properties = {}, additionalProperties: rest } = schema;
  return [...Object.values(properties), ...(typeof rest === 'object' ? [rest] : [])];
}

/** Names the key that nobody knows, where zod would say "unrecognized". */
export function unknownKeyword(known: readonly string[]): z.core.$ZodErrorMap {
  return (issue) => {
    if (issue.code !== 'unrecognized_keys') return undefined;
    const keys = (issue.keys as string[]).map((key) => `"${key.slice(0, 80)}"${hint(key, known)}`);
    return `not known here: ${keys.join(', ')}`;
  };
}

export const unknownType: z.core.$ZodErrorMap = (issue) =>
  issue.code === 'invalid_union' ? 'must be string, number, integer, boolean, array or object' : undefined;

/** Of two shapes, the one that was meant says what is wrong. */
export const innermost: z.core.$ZodErrorMap = (issue) => {
  if (issue.code !== 'invalid_union') return undefined;
  if (issue.input === undefined) return 'is required';
  const branches = issue.errors as z.core.$ZodIssue[][];
  const meant = branches.find((found) => !(found[0]?.code === 'invalid_type' && found[0].path.length === 0));
  const first = meant?.[0];
  if (!first) return 'must be a schema such as {"type": "string"}';
  const path = first.path.map(String).join('.');
  return path === '' ? first.message : `${path}: ${first.message}`;
};

export const badName: z.core.$ZodErrorMap = (issue) =>
  issue.code === 'invalid_key' ? (issue.issues as z.core.$ZodIssue[])[0]?.message : undefined;

export function report(context: z.RefinementCtx, path: PropertyKey[], message: string): void {
  context.addIssue({ code: 'custom', path, message });
}

function hint(typed: string, names: readonly string[]): string {
  const near = nearest(typed, names);
  return near === undefined ? '' : `; did you mean "${near}"?`;
}
