import type { JsonSchema, ObjectJsonSchema } from '../base/json-schema/json-schema.ts';
import { descriptionFault } from '../tools/description-fault.ts';
import { assumedAnnotations, type ToolAnnotations } from '../tools/tool.ts';
import type { RemoteTool } from './supervise/server-connection.ts';

/** Returns why nobody can use a server's tool, and what to do about it; undefined if it can be used. */
export function faultOf(tool: RemoteTool): string | undefined {
  const fault = inputSchemaOf(tool)
    ? descriptionFault(descriptionOf(tool))
    : 'Its input schema does not describe an object, so no client can call it.';
  return fault && `${fault} Report this to the author of the server, or exclude the tool in its settings.`;
}

/**
 * Returns the input schema of a server's tool: the server's own object if it is valid MCP. A schema that is missing or leaves the root
 * type open still takes an object. Returns undefined if the schema describes something else.
 */
export function inputSchemaOf({ inputSchema }: RemoteTool): ObjectJsonSchema | undefined {
  if (inputSchema === undefined || inputSchema === null || inputSchema === true) return { type: 'object' };
  if (typeof inputSchema !== 'object' || Array.isArray(inputSchema)) return undefined;
  if (isObjectSchema(inputSchema)) return inputSchema;
  const { type } = inputSchema as JsonSchema;
  const isOpen = type === undefined || (Array.isArray(type) && type.includes('object'));
  return isOpen ? { ...inputSchema, type: 'object' } : undefined;
}

/** Returns the description if it is text or a number, otherwise an empty string. */
export function descriptionOf(tool: RemoteTool | null | undefined): string {
  const description = tool?.description;
  return typeof description === 'string' || typeof description === 'number' ? String(description) : '';
}

function isObjectSchema(schema: object): schema is ObjectJsonSchema {
  return 'type' in schema && schema.type === 'object';
}

/** Returns the standard MCP hints that the tool gives in a valid form. */
export function hintsOf(tool: RemoteTool | null | undefined): Partial<ToolAnnotations> {
  const annotations = tool?.annotations;
  if (typeof annotations !== 'object' || annotations === null) return {};
  return Object.fromEntries(
    Object.entries(annotations).filter(
      ([hint, value]) => Object.hasOwn(assumedAnnotations, hint) && typeof value === 'boolean',
    ),
  );
}
