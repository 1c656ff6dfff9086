import { z } from 'zod';
import { isRecord } from '../../base/is-record.ts';
import { canonicalJson } from '../../base/json.ts';
import { compileSubschemas } from '../../base/json-schema/json-schema.ts';
import { childSchemas } from '../../base/json-schema/schema-document.ts';
import {
  findSchemaFaults,
  isSchemaKeyword,
  type SchemaFault,
  schemaKeywordNames,
} from '../../base/json-schema/schema-faults.ts';
import { describeType, isOfType } from '../../base/json-schema/schema-keywords.ts';
import { nearest } from '../../base/nearest.ts';
import { fieldIssues } from '../../base/validate.ts';
import { text } from '../text-fields.ts';

export type SchemaType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';
export type SubSchema = boolean | JsonSchemaDefinition;

/** JSON Schema 2020-12 for the parameters of a tool. Other keywords are kept unchanged. */
export interface JsonSchemaDefinition {
  type?: SchemaType | SchemaType[];
  title?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  /** A list is the older form of `prefixItems` and is sent as such. */
  items?: SubSchema | SubSchema[];
  prefixItems?: SubSchema[];
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  properties?: Record<string, SubSchema>;
  required?: string[];
  additionalProperties?: SubSchema;
  minProperties?: number;
  maxProperties?: number;
  [keyword: string]: unknown;
}

export type StringSchema = JsonSchemaDefinition & { type: 'string' };
export type NumericSchema = JsonSchemaDefinition & { type: 'number' | 'integer' };
export type BooleanSchema = JsonSchemaDefinition & { type: 'boolean' };
export type ArraySchema = JsonSchemaDefinition & { type: 'array' };
export type ObjectSchema = JsonSchemaDefinition & { type: 'object' };

/** MCP requires an object at the root. */
export type ToolInputSchema = ObjectSchema;

// `parameterProblems` rejects everything that is not of this type; the value stays unchanged.
export const ToolInputSchema = z
  .unknown()
  .superRefine((schema, context) => {
    for (const { path, message } of parameterProblems(schema)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  })
  .meta({ type: 'object', description: 'JSON Schema 2020-12 with "type": "object"' }) as unknown as z.ZodType<
  ToolInputSchema,
  ToolInputSchema
>;

export const parameterLimits = {
  depth: 16,
  /** The number of schemas in one tool, at all levels. */
  schemas: 1_000,
  /** The length of the schema as JSON. */
  characters: 200_000,
  name: 128,
  enum: 1_000,
  examples: 100,
} as const;

type Path = readonly (string | number)[];
type Problem = SchemaFault;

const prototypeKeys = new Set(['__proto__', 'constructor', 'prototype']);
const maxProblems = 20;

function isPrototypeKey(name: string): boolean {
  return prototypeKeys.has(name);
}

/** Returns what is wrong with a property's name, or undefined if a template can refer to it. */
export function nameProblem(name: string): string | undefined {
  if (isPrototypeKey(name)) return 'is reserved by JavaScript and cannot be a property name';
  if (name === '') return 'must not be empty';
  if (name.length > parameterLimits.name) return `must have at most ${parameterLimits.name} characters`;
  return /[{}\p{Cc}\p{Cs}]/u.test(name) ? 'must not contain { } or control characters' : undefined;
}

/** Returns the problems that keep a value from being a schema for parameters, each with its path. */
export function parameterProblems(schema: unknown): Problem[] {
  if (schema === undefined) return [{ path: [], message: 'is required' }];
  if (!isRecord(schema)) return [{ path: [], message: 'must be an object such as {"type": "object"}' }];
  const size = sizeProblem(schema);
  if (size) return [size];
  if (schema.type !== 'object')
    return [{ path: ['type'], message: 'must be "object": a tool takes its parameters by name' }];
  const faults = findSchemaFaults(schema);
  const isSound = faults.length === 0;
  const checkDefault = isSound ? compileSubschemas(schema) : undefined;
  for (const { path, schema: each } of allSchemas(schema)) {
    faults.push(...ownProblems(each).map((problem) => ({ ...problem, path: [...path, ...problem.path] })));
    const wrong = checkDefault && Object.hasOwn(each, 'default') ? checkDefault(each, each.default) : undefined;
    if (wrong)
      faults.push({
        path: [...path, 'default'],
        message: wrong.path ? `${wrong.path} ${wrong.message}` : wrong.message,
      });
    if (faults.length >= maxProblems) break;
  }
  return faults.slice(0, maxProblems);
}

/** Returns the problems of one schema, independently of its context. */
function ownProblems(schema: JsonSchemaDefinition): Problem[] {
  return [
    ...unknownKeywords(schema),
    ...wrongNames(schema),
    ...wrongRequired(schema),
    ...wrongValues(schema),
    ...wrongOrder(schema),
    ...wrongTexts(schema),
  ];
}

/** Unknown keywords are extensions and are kept. One that is almost a known keyword is reported as a typo. */
function unknownKeywords(schema: JsonSchemaDefinition): Problem[] {
  return Object.keys(schema).flatMap((key) => {
    if (isSchemaKeyword(key) || /^x-/i.test(key)) return [];
    if (key === '__proto__') return [{ path: [], message: '"__proto__" is not accepted' }];
    const near = nearest(key, schemaKeywordNames);
    return near === undefined
      ? []
      : [{ path: [], message: `unknown keyword: "${key.slice(0, 80)}"; did you mean "${near}"?` }];
  });
}

function wrongNames({ properties, $defs, patternProperties }: JsonSchemaDefinition): Problem[] {
  const named = Object.keys(isRecord(properties) ? properties : {}).flatMap((name) => {
    const message = nameProblem(name);
    return message === undefined ? [] : [{ path: ['properties', name], message }];
  });
  const others = Object.entries({ $defs, patternProperties }).flatMap(([key, value]) =>
    isRecord(value) && Object.hasOwn(value, '__proto__')
      ? [{ path: [key], message: '"__proto__" is not accepted as a name' }]
      : [],
  );
  return [...named, ...others];
}

/** Keywords through which properties may come from other schemas. */
const otherSources = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'dependentSchemas'];

function wrongRequired(schema: JsonSchemaDefinition): Problem[] {
  const { required, properties, type, additionalProperties: others } = schema;
  if (!Array.isArray(required)) return [];
  const names = Object.keys(isRecord(properties) ? properties : {});
  // A partial schema may require properties that another part describes. A complete object must describe its own.
  const isWhole =
    type === 'object' && !otherSources.some((key) => key in schema) && (others === undefined || others === false);
  const seen = new Set<unknown>();
  return required.flatMap((name, index) => {
    const isTwice = seen.has(name);
    seen.add(name);
    if (isTwice) return [{ path: ['required', index], message: `"${name}" is listed twice` }];
    if (!isWhole || names.includes(name)) return [];
    const near = nearest(name, names);
    const hint = near === undefined ? '' : `; did you mean "${near}"?`;
    return [{ path: ['required', index], message: `there is no property "${name}"${hint}` }];
  });
}

function wrongValues(schema: JsonSchemaDefinition): Problem[] {
  const { type, enum: allowed, examples } = schema;
  const types = [type].flat().filter((each) => each !== undefined);
  const problems: Problem[] = [];
  for (const [key, list] of Object.entries({ enum: allowed, examples })) {
    if (!Array.isArray(list)) continue;
    const maxValues = key === 'enum' ? parameterLimits.enum : parameterLimits.examples;
    if (list.length > maxValues) problems.push({ path: [key], message: `must have at most ${maxValues} values` });
    for (const [index, value] of list.slice(0, maxValues).entries()) {
      if (types.length === 0 || types.some((each) => isOfType(value, each))) continue;
      problems.push({ path: [key, index], message: `must be ${types.map(describeType).join(' or ')}, as "type" says` });
    }
  }
  if (Array.isArray(allowed)) {
    if (allowed.length === 0) problems.push({ path: ['enum'], message: 'must have at least one value' });
    if (new Set(allowed.map(canonicalJson)).size < allowed.length) {
      problems.push({ path: ['enum'], message: 'must not contain a value twice' });
    }
  }
  return problems;
}

const orders = [
  ['minLength', 'maxLength'],
  ['minimum', 'maximum'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
  ['minContains', 'maxContains'],
] as const;

function wrongOrder(schema: JsonSchemaDefinition): Problem[] {
  return orders.flatMap(([minimum, maximum]) => {
    const [low, high] = [schema[minimum], schema[maximum]];
    if (typeof low !== 'number' || typeof high !== 'number' || low <= high) return [];
    return [{ path: [minimum], message: `must not be more than "${maximum}" (${high})` }];
  });
}

const texts = { title: text(200), description: text(4_000) };

function wrongTexts(schema: JsonSchemaDefinition): Problem[] {
  return Object.entries(texts).flatMap(([key, rule]) => {
    if (typeof schema[key] !== 'string') return [];
    const result = rule.safeParse(schema[key]);
    return result.success ? [] : [{ path: [key], message: fieldIssues(result.error)[0]?.message ?? 'is not accepted' }];
  });
}

/** Returns all nested schemas, outermost first. The list is complete if `sizeProblem` found nothing. */
function* allSchemas(
  root: JsonSchemaDefinition,
): Generator<{ path: Path; schema: JsonSchemaDefinition; depth: number }> {
  const open: { path: Path; schema: JsonSchemaDefinition; depth: number }[] = [{ path: [], schema: root, depth: 1 }];
  for (let next = open.shift(); next; next = open.shift()) {
    yield next;
    for (const [step, child] of childSchemas(next.schema)) {
      if (isRecord(child)) open.push({ path: [...next.path, ...step], schema: child, depth: next.depth + 1 });
    }
  }
}

function sizeProblem(schema: JsonSchemaDefinition): Problem | undefined {
  let count = 0;
  for (const { depth } of allSchemas(schema)) {
    count += 1;
    if (depth > parameterLimits.depth)
      return { path: [], message: `is nested deeper than ${parameterLimits.depth} levels` };
    if (count > parameterLimits.schemas) {
      return {
        path: [],
        message: `has more than ${parameterLimits.schemas} schemas, the maximum`,
      };
    }
  }
  const length = lengthOf(schema);
  if (length <= parameterLimits.characters) return undefined;
  return { path: [], message: `has ${length} characters; at most ${parameterLimits.characters} are accepted` };
}

/** Returns Infinity for a schema that JSON cannot write, such as one with an endlessly nested `const`. */
function lengthOf(schema: JsonSchemaDefinition): number {
  try {
    return JSON.stringify(schema).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
