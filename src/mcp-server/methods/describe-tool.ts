import type { JsonSchema } from '../../base/json-schema/json-schema.ts';
import type { ToolContent } from '../../tools/content.ts';
import {
  assumedAnnotations,
  isReadableHint,
  type Tool,
  type ToolAnnotations,
  type ToolIcon,
} from '../../tools/tool.ts';
import type { Peer } from '../protocol/exchange.ts';
import { isCompilable } from './compilable-schema.ts';

type Era = Peer['era'];

/**
 * Describes a tool for `tools/list`. Clients validate the whole list at once, so one malformed field would cost them all
 * tools. Fields that some clients reject are repaired or left out; valid definitions are unchanged.
 */
export function describeTool(tool: Tool, era: Era): object {
  const { name, title, description, inputSchema, annotations, version } = tool;
  const outputSchema = shownOutput(tool, era);
  const icons = tool.icons?.map(readableIcon);
  // Leaves out default values to keep long lists short.
  const hints = Object.entries(annotations).filter(
    ([hint, value]) => assumedAnnotations[hint as keyof ToolAnnotations] !== value && isReadableHint(hint, value),
  );
  return {
    name,
    ...(title !== name && typeof title === 'string' && { title }),
    description: typeof description === 'string' ? description : String(description ?? ''),
    inputSchema: readableObject(inputSchema),
    ...(outputSchema && { outputSchema }),
    ...(hints.length > 0 && { annotations: Object.fromEntries(hints) }),
    ...(icons && { icons }),
    // MCP has no field for the version of a tool.
    ...(version !== undefined && { _meta: { 'agent-zoo/version': version } }),
  };
}

/** Describes a result. Wraps structured content that is not an object for revisions with sessions, which allow only objects. */
export function describeResult(tool: Tool, { content, structuredContent, isError }: ToolContent, era: Era): object {
  if (structuredContent === undefined || era === 'stateless' || !isWrapped(tool, structuredContent)) {
    return { content, ...(structuredContent !== undefined && { structuredContent }), ...(isError && { isError }) };
  }
  // Clients of these revisions may show only the text.
  const text = content.length > 0 ? content : [{ type: 'text', text: JSON.stringify(structuredContent) }];
  return { content: text, structuredContent: { result: structuredContent }, ...(isError && { isError }) };
}

function isWrapped(tool: Tool, value: unknown): boolean {
  if (!isRecord(value)) return true;
  return tool.outputSchema !== undefined && tool.outputSchema.type !== 'object' && isCompilable(tool.outputSchema);
}

/** Returns the output schema for clients; undefined if they could not compile it. */
function shownOutput({ outputSchema }: Tool, era: Era): JsonSchema | undefined {
  if (!isRecord(outputSchema)) return undefined;
  const readable = outputSchema.type === 'object' ? readableObject(outputSchema) : outputSchema;
  if (!isCompilable(readable)) return undefined;
  // Removes the id: clients cache schemas by id and could mix up two tools.
  const { $id: _, ...anonymous } = readable;
  const shown = '$id' in readable ? anonymous : readable;
  return shown.type === 'object' || era === 'stateless' ? shown : wrap(shown);
}

/** Wraps a schema in an object, as SDKs do for revisions whose output is always an object. */
function wrap(schema: JsonSchema): JsonSchema {
  return { type: 'object', properties: { result: moveReferences(schema) }, required: ['result'] };
}

const data = new Set(['const', 'enum', 'default', 'examples']);
const byName = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/** Adjusts the references of a schema that has moved to `properties.result`. */
function moveReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(moveReferences);
  if (!isRecord(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === '$ref') return [keyword, `#/properties/result${String(value).slice(1)}`];
      if (data.has(keyword)) return [keyword, value];
      if (!byName.has(keyword) || !isRecord(value)) return [keyword, moveReferences(value)];
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, moveReferences(each)]))];
    }),
  );
}

/** Caches copies, so that each tool keeps one schema object: other caches use it as their key. */
const readableCopies = new WeakMap<JsonSchema, JsonSchema>();

/** Makes `properties` an object of schemas and `required` a list of names. Returns a valid schema unchanged. */
function readableObject(schema: JsonSchema): JsonSchema {
  const known = readableCopies.get(schema);
  if (known) return known;
  const readable = makeReadable(schema);
  if (readable !== schema) readableCopies.set(schema, readable);
  return readable;
}

function makeReadable(schema: JsonSchema): JsonSchema {
  const { properties, required, $schema } = schema;
  let readable = schema;
  if (properties !== undefined && !(isRecord(properties) && Object.values(properties).every(isObject))) {
    const entries = isRecord(properties) ? Object.entries(properties) : [];
    readable = { ...readable, properties: Object.fromEntries(entries.map(([name, each]) => [name, asObject(each)])) };
  }
  if (required !== undefined && !(Array.isArray(required) && required.every((name) => typeof name === 'string'))) {
    const { required: _, ...rest } = readable;
    readable = rest;
  }
  if ($schema === undefined || typeof $schema === 'string') return readable;
  const { $schema: _, ...rest } = readable;
  return rest;
}

/** Converts a boolean schema to an equivalent object. */
function asObject(schema: unknown): unknown {
  if (isObject(schema)) return schema;
  return schema === false ? { not: {} } : {};
}

const iconFields: Record<string, (value: unknown) => boolean> = {
  mimeType: (value) => typeof value === 'string',
  sizes: (value) => Array.isArray(value) && value.every((size) => typeof size === 'string'),
  theme: (value) => value === 'light' || value === 'dark',
};

function readableIcon(icon: ToolIcon): object {
  return Object.fromEntries(Object.entries(icon).filter(([field, value]) => iconFields[field]?.(value) ?? true));
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function isRecord(value: unknown): value is JsonSchema {
  return isObject(value) && !Array.isArray(value);
}
