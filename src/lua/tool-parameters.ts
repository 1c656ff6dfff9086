import { z } from 'zod';
import { HubError } from '../base/hub-error.ts';
import { isRecord } from '../base/is-record.ts';
import { compileJsonSchema, type JsonSchema } from '../base/json-schema/json-schema.ts';
import { LinearPattern } from '../base/json-schema/linear-pattern.ts';
import { PatternFault } from '../base/json-schema/read-pattern.ts';
import { schemaFaults } from '../base/json-schema/schema-faults.ts';
import { fieldIssues } from '../base/validate.ts';

/** One entry of `tool.parameters` in the format of Context Harness. Other JSON Schema keys are passed on. */
const Parameter = z.looseObject({
  name: z
    .string()
    .regex(
      /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/,
      'must be 1–64 characters from A–Z a–z 0–9 _ - and begin with a letter or _',
    ),
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array', 'object']).default('string'),
  description: z.string().optional(),
  required: z.boolean().default(false),
});

export interface ToolParameters {
  schema: JsonSchema;
  /** The values of parameters that a call leaves out. */
  defaults: Record<string, unknown>;
}

/** Reads `tool.parameters` of a script: a list of parameters, or a JSON Schema. Throws TOOL_ERROR with key and rule. */
export function toolParameters(value: unknown, shown: string): ToolParameters {
  const refuse = (rule: string): never => {
    throw new HubError('TOOL_ERROR', `${shown}: tool.parameters${rule}`);
  };
  const parameters = value === undefined || isEmpty(value) ? [] : value;
  if (Array.isArray(parameters)) return fromList(parameters, refuse);
  if (!isRecord(parameters) || parameters.type !== 'object') {
    return refuse(
      ' must be a list such as { { name = "title", type = "string" } }, or a JSON Schema of type "object".',
    );
  }
  const schema = checked({ properties: {}, ...parameters }, refuse);
  return { schema, defaults: defaultsOf(schema) };
}

function fromList(list: readonly unknown[], refuse: (rule: string) => never): ToolParameters {
  const result = z.array(Parameter).max(100).safeParse(list);
  if (!result.success) {
    return refuse(
      fieldIssues(result.error)
        .map(({ path, message }) => `${path}: ${message}`)
        .join('; '),
    );
  }
  const names = result.data.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return refuse(`: "${twice}" is defined twice.`);
  const properties = Object.fromEntries(result.data.map(({ name, required: _, ...rest }) => [name, rest]));
  const required = result.data.filter((each) => each.required).map(({ name }) => name);
  // Parameters that the script does not declare reach it, as in Context Harness.
  const schema = checked({ type: 'object', properties, required }, refuse);
  return { schema, defaults: defaultsOf(schema) };
}

/** Rejects an invalid schema on loading, rather than at the first call. */
function checked(raw: Record<string, unknown>, refuse: (rule: string) => never): JsonSchema {
  try {
    const schema = tidySchema(raw);
    checkDefaults(schema);
    return schema;
  } catch (error) {
    if (!(error instanceof SchemaFault)) throw error;
    return refuse(`: ${error.path.replace(/^properties\./, '')}: ${error.message}`);
  }
}

function defaultsOf({ properties }: JsonSchema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, schema]) =>
      isRecord(schema) && schema.default !== undefined ? [[name, schema.default]] : [],
    ),
  );
}

function isEmpty(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}

/** An invalid schema: the path of the key, and the rule that it breaks. `path` is '' for the schema itself. */
class SchemaFault extends Error {
  readonly path: string;

  constructor(path: string, rule: string) {
    super(rule);
    this.path = path;
  }
}

type Rule = (value: unknown, path: string) => unknown;

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
const maxDepth = 30;

/**
 * Validates a schema from a script, because clients reject the whole list of tools for one invalid schema. Turns empty Lua
 * tables back into lists where the schema needs a list.
 */
function tidySchema(raw: Record<string, unknown>): JsonSchema {
  const schema = tidy(raw, '', 0);
  checkReferences(schema, schema, '');
  const [fault] = schemaFaults(schema);
  if (fault) throw new SchemaFault(fault.path, fault.message);
  // `tidy` turns a table into a table.
  return schema as JsonSchema;
}

function tidy(raw: unknown, path: string, depth: number): unknown {
  if (typeof raw === 'boolean') return raw;
  if (!isRecord(raw)) throw new SchemaFault(path, 'must be a schema, such as { type = "string" }');
  if (depth > maxDepth) throw new SchemaFault(path, `is nested more than ${maxDepth} deep`);
  const one: Rule = (value, at) => tidy(value, at, depth + 1);
  const many: Rule = (value, at) => filledList(value, at).map((each, index) => one(each, `${at}[${index}]`));
  const named: Rule = (value, at) =>
    Object.fromEntries(Object.entries(table(value, at)).map(([name, each]) => [name, one(each, `${at}.${name}`)]));
  const rules: Record<string, Rule> = {
    ...Object.fromEntries(subschemas.map((key) => [key, one])),
    ...Object.fromEntries(['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((key) => [key, many])),
    ...Object.fromEntries(['properties', '$defs', 'definitions', 'dependentSchemas'].map((key) => [key, named])),
    ...Object.fromEntries(counts.map((key) => [key, count])),
    ...Object.fromEntries(limits.map((key) => [key, number])),
    ...Object.fromEntries(['title', 'description', 'format', '$ref'].map((key) => [key, text])),
    patternProperties: (value, at) => {
      for (const pattern of Object.keys(table(value, at))) expression(pattern, at);
      return named(value, at);
    },
    type: typeName,
    enum: filledList,
    required: names,
    pattern: expression,
  };
  const tidied = Object.fromEntries(
    Object.entries(raw).map(([key, value]) => {
      const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
      return [key, rule ? rule(value, path ? `${path}.${key}` : key) : value];
    }),
  );
  return tidied;
}

const subschemas = [
  ...['items', 'additionalProperties', 'unevaluatedProperties', 'unevaluatedItems', 'propertyNames', 'contains'],
  ...['not', 'if', 'then', 'else'],
];
const counts = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];
const limits = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];

function table(value: unknown, path: string): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw new SchemaFault(path, 'must be a table of schemas by name');
}

function list(value: unknown, path: string): unknown[] {
  if (Array.isArray(value)) return value;
  if (isRecord(value) && Object.keys(value).length === 0) return [];
  throw new SchemaFault(path, 'must be a list');
}

function filledList(value: unknown, path: string): unknown[] {
  const values = list(value, path);
  if (values.length === 0) throw new SchemaFault(path, 'must be a list with at least one entry');
  return values;
}

function names(value: unknown, path: string): unknown[] {
  const values = list(value, path);
  if (values.some((each) => typeof each !== 'string')) throw new SchemaFault(path, 'must be a list of names');
  return values;
}

function typeName(value: unknown, path: string): unknown {
  const all = Array.isArray(value) ? value : [value];
  if (all.length > 0 && all.every((each) => types.includes(each))) return value;
  throw new SchemaFault(path, `must be one of ${types.join(', ')}`);
}

function text(value: unknown, path: string): unknown {
  if (typeof value !== 'string') throw new SchemaFault(path, 'must be a string');
  return value;
}

function number(value: unknown, path: string): unknown {
  if (typeof value !== 'number') throw new SchemaFault(path, 'must be a number');
  return value;
}

function count(value: unknown, path: string): unknown {
  if (!Number.isInteger(value) || Number(value) < 0) throw new SchemaFault(path, 'must be a whole number, 0 or more');
  return value;
}

function expression(value: unknown, path: string): unknown {
  try {
    new LinearPattern(String(text(value, path)));
    return value;
  } catch (error) {
    if (error instanceof PatternFault) throw new SchemaFault(path, error.message);
    throw error;
  }
}

/** References must point into the schema itself, because nothing is fetched. */
function checkReferences(value: unknown, root: unknown, path: string): void {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) checkReferences(each, root, `${path}[${index}]`);
  } else if (isRecord(value)) {
    const { $ref } = value;
    if (typeof $ref === 'string' && !pointsInto(root, $ref)) {
      throw new SchemaFault(path ? `${path}.$ref` : '$ref', 'must point into this schema, such as "#/$defs/name"');
    }
    for (const [key, each] of Object.entries(value)) checkReferences(each, root, path ? `${path}.${key}` : key);
  }
}

function pointsInto(root: unknown, reference: string): boolean {
  const [start, ...keys] = reference.split('/');
  if (start !== '#') return false;
  let found: unknown = root;
  for (const key of keys) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return false;
    found = Reflect.get(found, name);
  }
  return isRecord(found) || typeof found === 'boolean';
}

/** Checks default values against their schemas, because they reach the script without validation. */
function checkDefaults(schema: JsonSchema): void {
  const { $defs = {}, definitions = {}, properties = {} } = schema;
  const check = compileJsonSchema({ $defs, definitions, properties });
  for (const [name, property] of Object.entries(isRecord(properties) ? properties : {})) {
    if (!isRecord(property) || property.default === undefined) continue;
    try {
      check({ [name]: property.default });
    } catch {
      throw new SchemaFault(`properties.${name}.default`, 'does not match its schema');
    }
  }
}
