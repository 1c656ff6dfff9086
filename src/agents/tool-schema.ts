import { HubError } from '../base/hub-error.ts';
import { compileJsonSchema, type JsonSchema, type ObjectJsonSchema } from '../base/json-schema.ts';
import { parseWith } from '../base/validate.ts';
import { type JsonSchemaDefinition, parameterLimits, ToolInputSchema } from './tool-parameters.ts';

/** JSON Schema 2020-12, as MCP sends it. Only a list of `items` has another word there. */
export function toJsonSchema(parameters: ToolInputSchema): ObjectJsonSchema {
  return { ...definitionOut(parameters), type: 'object' };
}

function definitionOut(schema: JsonSchemaDefinition): JsonSchema {
  if (schema.type === 'array') {
    const { items, ...rest } = schema;
    return Array.isArray(items)
      ? { ...rest, prefixItems: items.map(definitionOut) }
      : { ...rest, items: definitionOut(items) };
  }
  if (schema.type !== 'object') return { ...schema };
  const { type, title, description, properties, additionalProperties: others, ...rest } = schema;
  return {
    type,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(properties && { properties: mapValues(properties, definitionOut) }),
    ...rest,
    ...(others !== undefined && { additionalProperties: typeof others === 'boolean' ? others : definitionOut(others) }),
  };
}

/** The way back; `$schema` at the root is dropped. Throws INVALID_ARGUMENTS that names path and rule. */
export function readJsonSchema(value: unknown): ToolInputSchema {
  const { $schema: _, ...root } = isRecord(value) ? value : {};
  return parseWith(ToolInputSchema, isRecord(value) ? definitionIn(root, 1) : value, { what: 'JSON Schema' });
}

/** What is no schema stays as it is, for the check that follows to name it. */
function definitionIn(schema: unknown, depth: number): unknown {
  if (!isRecord(schema)) return schema;
  if (depth > parameterLimits.depth) {
    throw new HubError('INVALID_ARGUMENTS', `JSON Schema: is nested deeper than ${parameterLimits.depth} levels`);
  }
  const inner = (each: unknown) => definitionIn(each, depth + 1);
  const { prefixItems, ...rest } = schema;
  // Both at once, items after the places, is more than a list can say.
  const hasPlaces = Array.isArray(prefixItems) && !Object.hasOwn(schema, 'items');
  const known: Record<string, unknown> = hasPlaces ? { ...rest, items: prefixItems } : { ...schema };
  if (Array.isArray(known.items)) known.items = known.items.map(inner);
  else if ('items' in known) known.items = inner(known.items);
  if (isRecord(known.properties)) {
    // zod leaves it out without a word.
    if (Object.hasOwn(known.properties, '__proto__')) {
      throw new HubError('INVALID_ARGUMENTS', 'JSON Schema: "__proto__" is not accepted as the name of a property');
    }
    known.properties = mapValues(known.properties, inner);
  }
  if ('additionalProperties' in known) known.additionalProperties = inner(known.additionalProperties);
  return known;
}

/** Checks the arguments of calls. What it returns throws INVALID_ARGUMENTS that names path and rule. */
export function compileParameters(parameters: ToolInputSchema): (value: unknown) => void {
  return compileJsonSchema(toJsonSchema(parameters));
}

function mapValues<In, Out>(record: Record<string, In>, change: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
