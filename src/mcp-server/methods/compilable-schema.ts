import { isRecord } from '../../base/is-record.ts';
import type { JsonSchema } from '../../base/json-schema/json-schema.ts';

const isWhole = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;
const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value);
const isText = (value: unknown) => typeof value === 'string';
const isFlag = (value: unknown) => typeof value === 'boolean';
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const never = () => false;

const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const dialect = /^https?:\/\/json-schema\.org\/(?:draft\/20(?:20-12|19-09)\/schema|draft-0[67]\/schema)#?$/;

/** Keywords whose value is one schema, a list of them, or schemas by name. */
const single = new Set([
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'items',
  'additionalItems',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const listed = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const named = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

const data = new Set(['const', 'default', 'enum', 'examples']);
/** Keywords that name a schema or refer to one. */
const naming = ['id', '$id', '$ref', '$anchor', '$dynamicAnchor'];

const rules: Record<string, (value: unknown) => boolean> = {
  type: (value) => (Array.isArray(value) ? value.length > 0 && value.every(isType) : isType(value)),
  enum: (value) => Array.isArray(value) && value.length > 0,
  required: isTexts,
  pattern: isPattern,
  format: isText,
  uniqueItems: isFlag,
  multipleOf: (value) => isNumber(value) && Number(value) > 0,
  dependentRequired: (value) => isRecord(value) && Object.values(value).every(isTexts),
  ...Object.fromEntries(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((key) => [key, isNumber])),
  ...Object.fromEntries(
    [
      'minLength',
      'maxLength',
      'minItems',
      'maxItems',
      'minProperties',
      'maxProperties',
      'minContains',
      'maxContains',
    ].map((key) => [key, isWhole]),
  ),
  // Validators handle these differently, or keep them beyond the current schema.
  ...Object.fromEntries(
    [
      'id',
      '$id',
      '$async',
      '$anchor',
      '$dynamicAnchor',
      '$dynamicRef',
      '$recursiveRef',
      '$recursiveAnchor',
      '$vocabulary',
      '$data',
      'dependencies',
      'discriminator',
    ].map((key) => [key, never]),
  ),
};

const known = new WeakMap<JsonSchema, boolean>();

/**
 * Whether the validators of MCP clients can compile a schema. The most common client compiles all output schemas when it
 * lists tools, and fails on the whole list if one does not compile. Returns false for schemas that only some validators accept.
 */
export function isCompilable(schema: JsonSchema): boolean {
  let answer = known.get(schema);
  if (answer === undefined) {
    const { $id: _, ...root } = schema;
    answer = isSchema(root, { schema, ending: new Set() });
    known.set(schema, answer);
  }
  return answer;
}

interface Root {
  schema: JsonSchema;
  /** References that are known to lead to a schema, so that each chain is followed only once. */
  ending: Set<string>;
}

function isSchema(schema: unknown, root: Root): boolean {
  if (typeof schema === 'boolean') return true;
  if (!isRecord(schema)) return false;
  return Object.entries(schema).every(([keyword, value]) => {
    if (keyword === '$ref') return isReference(value, root);
    if (keyword === '$schema') return isText(value) && dialect.test(String(value));
    // The most common validator allows it only together with `type`.
    if (keyword === 'nullable') return isFlag(value) && schema.type !== undefined;
    if (single.has(keyword)) return isSchema(value, root);
    if (listed.has(keyword))
      return Array.isArray(value) && value.length > 0 && value.every((each) => isSchema(each, root));
    if (named.has(keyword)) {
      if (!isRecord(value) || (keyword === 'patternProperties' && !Object.keys(value).every(isPattern))) return false;
      return Object.values(value).every((each) => isSchema(each, root));
    }
    return Object.hasOwn(rules, keyword) ? (rules[keyword]?.(value) ?? true) : data.has(keyword) || !hasName(value);
  });
}

/** Validators look for names even inside unknown keywords. */
function hasName(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return naming.some((name) => Object.hasOwn(value, name)) || Object.values(value).some(hasName);
}

/** Whether a reference leads to a schema without a cycle. */
function isReference(reference: unknown, { schema, ending }: Root): boolean {
  const seen = new Set<string>();
  for (let next = reference; next !== undefined; ) {
    if (typeof next !== 'string' || seen.has(next)) return false;
    if (ending.has(next)) break;
    seen.add(next);
    const found = find(schema, next);
    if (found === undefined) return false;
    next = isRecord(found) ? found.$ref : undefined;
  }
  for (const each of seen) ending.add(each);
  return true;
}

/** Resolves a reference inside the document. Follows only paths through schemas, because data was not checked. */
function find(root: JsonSchema, reference: string): JsonSchema | boolean | undefined {
  if (reference === '#') return root;
  if (!/^#(?:\/[A-Za-z0-9_$.-]+)+$/.test(reference)) return undefined;
  let found: unknown = root;
  let isName = false;
  for (const step of reference.slice(2).split('/')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined;
    if (!isName && !single.has(step) && !listed.has(step) && !named.has(step)) return undefined;
    isName = !isName && !single.has(step);
    found = (found as JsonSchema)[step];
  }
  return !isName && (isRecord(found) || typeof found === 'boolean') ? found : undefined;
}

function isType(value: unknown): boolean {
  return typeof value === 'string' && types.has(value);
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
