import type { JsonSchema, ObjectJsonSchema } from '../base/json-schema/json-schema.ts';
import { assumedAnnotations } from '../tools/assumed-annotations.ts';
import type { ToolAnnotations } from '../tools/tool.ts';
import type { RemoteTool } from './supervise/server-connection.ts';

/** For people, of a tool without a usable input schema. */
export const noInput =
  'Its input schema does not describe an object, so no client can call it. Report this to the author of the server, or exclude the tool in its settings.';

/**
 * The input schema of a server's tool: the server's own object where it is what MCP asks for. One that is missing or leaves
 * the root's type open takes an object all the same. Undefined where it describes something else.
 */
export function inputSchemaOf({ inputSchema }: RemoteTool): ObjectJsonSchema | undefined {
  if (inputSchema === undefined || inputSchema === null || inputSchema === true) return { type: 'object' };
  if (typeof inputSchema !== 'object' || Array.isArray(inputSchema)) return undefined;
  if (isObjectSchema(inputSchema)) return inputSchema;
  const { type } = inputSchema as JsonSchema;
  const isOpen = type === undefined || (Array.isArray(type) && type.includes('object'));
  return isOpen ? { ...inputSchema, type: 'object' } : undefined;
}

/** The description as text: a number is shown as one, and anything else is none. */
export function descriptionOf(tool: RemoteTool | null | undefined): string {
  const description = tool?.description;
  return typeof description === 'string' || typeof description === 'number' ? String(description) : '';
}

function isObjectSchema(schema: object): schema is ObjectJsonSchema {
  return 'type' in schema && schema.type === 'object';
}

/** Returns MCP's own hints, as far as the tool gives them and they are well formed. */
export function hintsOf(tool: RemoteTool | null | undefined): Partial<ToolAnnotations> {
  const annotations = tool?.annotations;
  if (typeof annotations !== 'object' || annotations === null) return {};
  return Object.fromEntries(
    Object.entries(annotations).filter(
      ([hint, value]) => Object.hasOwn(assumedAnnotations, hint) && typeof value === 'boolean',
    ),
  );
}
