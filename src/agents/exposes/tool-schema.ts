import { HubError } from '../../base/hub-error.ts';
import { isRecord } from '../../base/is-record.ts';
import { compileJsonSchema, type JsonSchema, type ObjectJsonSchema } from '../../base/json-schema/json-schema.ts';
import { schemaKeywords, schemaListKeywords, schemaMapKeywords } from '../../base/json-schema/schema-document.ts';
import { parseWith } from '../../base/validate.ts';
import { parameterLimits, ToolInputSchema } from './tool-parameters.ts';

/** Returns the JSON Schema 2020-12 that MCP sends: the same schema, with a list of `items` renamed to `prefixItems`. */
export function toJsonSchema(parameters: ToolInputSchema): ObjectJsonSchema {
  return { ...withPrefixItems(parameters), type: 'object' };
}

/** Reads such a schema, without `$schema` at the root. Throws INVALID_ARGUMENTS that names path and rule. */
export function readJsonSchema(value: unknown): ToolInputSchema {
  if (!isRecord(value)) return parseWith(ToolInputSchema, value ?? null, { what: 'JSON Schema' });
  const { $schema: _, ...root } = value;
  return parseWith(ToolInputSchema, withPrefixItems(root), { what: 'JSON Schema' });
}

/** Returns a function that checks the arguments of calls. It throws INVALID_ARGUMENTS that names path and rule. */
export function compileParameters(parameters: ToolInputSchema): (value: unknown) => void {
  return compileJsonSchema(toJsonSchema(parameters));
}

function withPrefixItems(schema: JsonSchema, depth = 1): JsonSchema {
  if (depth > parameterLimits.depth) {
    throw new HubError('INVALID_ARGUMENTS', `JSON Schema: is nested deeper than ${parameterLimits.depth} levels`);
  }
  const inner = (each: unknown) => (isRecord(each) ? withPrefixItems(each, depth + 1) : each);
  const hasItemList = Array.isArray(schema.items) && !Object.hasOwn(schema, 'prefixItems');
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]): [string, unknown] => {
      if (key === 'items' && hasItemList) return ['prefixItems', Array.isArray(value) ? value.map(inner) : value];
      if (key === 'additionalItems' && hasItemList) return ['items', inner(value)];
      if (schemaListKeywords.has(key)) return [key, Array.isArray(value) ? value.map(inner) : value];
      if (schemaMapKeywords.has(key) && isRecord(value)) return [key, mapValues(value, inner)];
      return [key, schemaKeywords.has(key) ? inner(value) : value];
    }),
  );
}

function mapValues(record: JsonSchema, change: (value: unknown) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
