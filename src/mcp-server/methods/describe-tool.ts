import type { JsonSchema } from '../../base/json-schema/json-schema.ts';
import { assumedAnnotations, isReadableHint } from '../../tools/assumed-annotations.ts';
import type { ToolContent } from '../../tools/content.ts';
import type { Tool, ToolAnnotations, ToolIcon } from '../../tools/tool.ts';
import type { Peer } from '../protocol/exchange.ts';
import { isCompilable } from './compilable-schema.ts';

type Era = Peer['era'];

/**
 * A tool as `tools/list` shows it. Clients check the whole list at once, so one field that their revision does not know
 * would cost them every tool: whatever a tool says of itself leaves here in a form that all of them can read. A definition
 * without oddities leaves as it is.
 */
export function describeTool(tool: Tool, era: Era): object {
  const { name, title, description, inputSchema, annotations, version } = tool;
  const outputSchema = shownOutput(tool, era);
  const icons = tool.icons?.map(readableIcon);
  // What clients assume anyway is left out: a thousand tools make a long list.
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
    // MCP has no field for it.
    ...(version !== undefined && { _meta: { 'agent-zoo/version': version } }),
  };
}

/** Content and structured content of a result. Revisions with sessions allow only objects as structured content. */
export function describeResult(tool: Tool, { content, structuredContent, isError }: ToolContent, era: Era): object {
  if (structuredContent === undefined || era === 'stateless' || !isWrapped(tool, structuredContent)) {
    return { content, ...(structuredContent !== undefined && { structuredContent }), ...(isError && { isError }) };
  }
  // A client of such a revision may show the text alone.
  const text = content.length > 0 ? content : [{ type: 'text', text: JSON.stringify(structuredContent) }];
  return { content: text, structuredContent: { result: structuredContent }, ...(isError && { isError }) };
}

function isWrapped(tool: Tool, value: unknown): boolean {
  if (!isRecord(value)) return true;
  return tool.outputSchema !== undefined && tool.outputSchema.type !== 'object' && isCompilable(tool.outputSchema);
}

/** Undefined where clients could not use it; the tool itself stays. */
function shownOutput({ outputSchema }: Tool, era: Era): JsonSchema | undefined {
  if (!isRecord(outputSchema)) return undefined;
  const readable = outputSchema.type === 'object' ? readableObject(outputSchema) : outputSchema;
  if (!isCompilable(readable)) return undefined;
  // Clients keep a schema by its id, and would take it for another tool's.
  const { $id: _, ...anonymous } = readable;
  const own = '$id' in readable ? anonymous : readable;
  return own.type === 'object' || era === 'stateless' ? own : wrap(own);
}

/** As SDKs do it for revisions whose output is always an object. */
function wrap(schema: JsonSchema): JsonSchema {
  return { type: 'object', properties: { result: moveReferences(schema) }, required: ['result'] };
}

const data = new Set(['const', 'enum', 'default', 'examples']);
const byName = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/** The schema lies deeper in the document now, and so does everything its references mean. */
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

/** Kept, so that one tool is described with one object, whose properties others remember by it. */
const readableCopies = new WeakMap<JsonSchema, JsonSchema>();

/** Properties are objects, what is required is a list of names. The same object where that is so. */
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

/** What a boolean schema means: anything, or nothing. */
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
