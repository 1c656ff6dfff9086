import { z } from 'zod';
import { canonicalJson } from '../../base/json.ts';
import { judgeWithin } from '../../base/json-schema/json-schema.ts';
import { childSchemas, isRecord } from '../../base/json-schema/schema-document.ts';
import {
  findSchemaFaults,
  isSchemaKeyword,
  type SchemaFault,
  schemaKeywordNames,
} from '../../base/json-schema/schema-faults.ts';
import { describeType, isOfType } from '../../base/json-schema/schema-keywords.ts';
import { nearest } from '../../base/nearest.ts';
import { text } from '../text-fields.ts';

/** JSON Schema 2020-12 for the parameters of a tool. What it says beyond the keywords that are named here is kept as it is. */

export type SchemaType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';
export type SubSchema = boolean | JsonSchemaDefinition;

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
  /** A list is the older word for `prefixItems`, and goes out under the new one. */
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

/** What MCP asks of the root: an object. */
export type ToolInputSchema = ObjectSchema;

// `parameterProblems` refuses everything that is not of this type, and the value itself goes on untouched.
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
  /** Schemas in one tool, counted at every level. */
  schemas: 1_000,
  /** Of the whole as JSON. */
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

/** What is wrong with the name of a property; undefined for one that a template can name. */
export function nameProblem(name: string): string | undefined {
  if (isPrototypeKey(name)) return 'is a word of JavaScript and no name for a property';
  if (name === '') return 'must not be empty';
  if (name.length > parameterLimits.name) return `must have at most ${parameterLimits.name} characters`;
  return /[{}\p{Cc}\p{Cs}]/u.test(name) ? 'must not contain { } or control characters' : undefined;
}

/** Everything that keeps a value from being the schema of a tool's parameters, with its place. */
export function parameterProblems(schema: unknown): Problem[] {
  if (schema === undefined) return [{ path: [], message: 'is required' }];
  if (!isRecord(schema)) return [{ path: [], message: 'must be an object such as {"type": "object"}' }];
  const size = sizeProblem(schema);
  if (size) return [size];
  if (schema.type !== 'object')
    return [{ path: ['type'], message: 'must be "object": a tool takes its parameters by name' }];
  const faults = findSchemaFaults(schema);
  const isSound = faults.length === 0;
  const judge = isSound ? judgeWithin(schema) : undefined;
  for (const { path, schema: each } of allSchemas(schema)) {
    faults.push(...ownProblems(each).map((problem) => ({ ...problem, path: [...path, ...problem.path] })));
    const wrong = judge && Object.hasOwn(each, 'default') ? judge(each, each.default) : undefined;
    if (wrong)
      faults.push({
        path: [...path, 'default'],
        message: wrong.path ? `${wrong.path} ${wrong.message}` : wrong.message,
      });
    if (faults.length >= maxProblems) break;
  }
  return faults.slice(0, maxProblems);
}

/** What one schema says that cannot be meant, whatever stands around it. */
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

/** A keyword that nobody knows is somebody's own and kept; one that is almost a known one is a mistake. */
function unknownKeywords(schema: JsonSchemaDefinition): Problem[] {
  return Object.keys(schema).flatMap((key) => {
    if (isSchemaKeyword(key) || /^x-/i.test(key)) return [];
    if (key === '__proto__') return [{ path: [], message: '"__proto__" is not accepted' }];
    const near = nearest(key, schemaKeywordNames);
    return near === undefined
      ? []
      : [{ path: [], message: `not known here: "${key.slice(0, 80)}"; did you mean "${near}"?` }];
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

/** Keywords by which properties may come from elsewhere. */
const otherSources = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'dependentSchemas'];

function wrongRequired(schema: JsonSchemaDefinition): Problem[] {
  const { required, properties, type, additionalProperties: others } = schema;
  if (!Array.isArray(required)) return [];
  const names = Object.keys(isRecord(properties) ? properties : {});
  // A part of a whole may ask for what another part describes; an object that describes itself has all of its names.
  const isWhole =
    type === 'object' && !otherSources.some((key) => key in schema) && (others === undefined || others === false);
  const seen = new Set<unknown>();
  return required.flatMap((name, index) => {
    const isTwice = seen.has(name);
    seen.add(name);
    if (isTwice) return [{ path: ['required', index], message: `"${name}" is there twice` }];
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
    const most = key === 'enum' ? parameterLimits.enum : parameterLimits.examples;
    if (list.length > most) problems.push({ path: [key], message: `must have at most ${most} values` });
    for (const [index, value] of list.slice(0, most).entries()) {
      if (types.length === 0 || types.some((each) => isOfType(value, each))) continue;
      problems.push({ path: [key, index], message: `must be ${types.map(describeType).join(' or ')}, as "type" says` });
    }
  }
  if (Array.isArray(allowed)) {
    if (allowed.length === 0) problems.push({ path: ['enum'], message: 'must hold at least one value' });
    if (new Set(allowed.map(canonicalJson)).size < allowed.length) {
      problems.push({ path: ['enum'], message: 'must not hold a value twice' });
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
  return orders.flatMap(([least, most]) => {
    const [low, high] = [schema[least], schema[most]];
    if (typeof low !== 'number' || typeof high !== 'number' || low <= high) return [];
    return [{ path: [least], message: `must not be more than "${most}" (${high})` }];
  });
}

const texts = { title: text(200), description: text(4_000) };

function wrongTexts(schema: JsonSchemaDefinition): Problem[] {
  return Object.entries(texts).flatMap(([key, rule]) => {
    if (typeof schema[key] !== 'string') return [];
    const result = rule.safeParse(schema[key]);
    return result.success ? [] : [{ path: [key], message: result.error.issues[0]?.message ?? 'is not accepted' }];
  });
}

/** All schemas in it, the outermost first; those are all once `sizeProblem` found none. */
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
        message: `holds more than ${parameterLimits.schemas} schemas, which is all that are accepted`,
      };
    }
  }
  const length = lengthOf(schema);
  if (length <= parameterLimits.characters) return undefined;
  return { path: [], message: `has ${length} characters; at most ${parameterLimits.characters} are accepted` };
}

/** Values inside `const` or a keyword of somebody's own may be nested without end. */
function lengthOf(schema: JsonSchemaDefinition): number {
  try {
    return JSON.stringify(schema).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
