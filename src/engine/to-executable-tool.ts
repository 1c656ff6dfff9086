import type { z } from 'zod';
import { HubError } from '../base/hub-error.ts';
import { newId } from '../base/ids.ts';
import type { JsonSchema } from '../base/json-schema/json-schema.ts';
import { parseWith } from '../base/validate.ts';
import { asContent, type ToolContent } from '../tools/content.ts';
import { schemaFromZod, type Tool } from '../tools/tool.ts';
import { silentToolClient } from '../tools/tool-client.ts';
import type { ExecutableTool, ToolMetadata, ToolRunContext } from './executable-tool.ts';

/** A tool whose input is described by a zod schema, or by a JSON Schema under another name. */
interface InputTool extends Omit<ExecutableTool, 'metadata'> {
  metadata: Omit<ToolMetadata, 'inputSchema' | 'requiresConfirmation' | 'confirmationMessage' | 'type'> & {
    /** A zod schema or a JSON Schema. */
    input: unknown;
    type?: string | undefined;
    // `never` accepts functions with any type of input.
    requiresConfirmation?: boolean | ((input: never) => boolean | Promise<boolean>) | undefined;
    confirmationMessage?: string | ((input: never) => string) | undefined;
  };
}

/** A tool in any form that the engine accepts; `Tool` is what `defineTool` returns. */
// Without `run`, because a third signature would leave the parameters of a literal untyped.
export type AnyTool = ExecutableTool | InputTool | Omit<Tool, 'run'>;

/** The same tool stays the same object, so that adding it twice has no effect. */
const converted = new WeakMap<object, ExecutableTool>();

/** Returns a tool that the engine can run. Throws INVALID_ARGUMENTS that names the tool and what is missing. */
export function toExecutableTool(given: AnyTool): ExecutableTool {
  const value: unknown = given;
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
    throw invalid(
      typeof value === 'string'
        ? `A tool must be an object, not a name: "${value.slice(0, 80)}". Pass the tool itself.`
        : `A tool must be an object with metadata and run, not ${String(value)}.`,
    );
  }
  const known = converted.get(value);
  if (known) return known;
  const tool = convert(value);
  if (tool !== value) converted.set(value, tool);
  return tool;
}

function convert(value: object): ExecutableTool {
  if (isDefinedTool(value)) return fromDefinedTool(value);
  const { metadata, run } = value as Partial<InputTool>;
  if (typeof metadata !== 'object' || metadata === null) {
    throw invalid('A tool needs metadata with name, description and inputSchema, and a function run(input).');
  }
  const { name, description } = metadata;
  if (typeof name !== 'string' || name === '') throw invalid('A tool needs metadata.name.');
  if (typeof description !== 'string') throw invalid(`Tool "${name}" needs metadata.description.`);
  if (typeof run !== 'function') {
    throw invalid(
      `Tool "${name}" has no function run(input). Tools that a client runs are not supported: give it one.`,
    );
  }
  if ('inputSchema' in metadata && metadata.inputSchema) return value as ExecutableTool; // Checked above.
  return fromInputTool(value as InputTool);
}

function fromInputTool(tool: InputTool): ExecutableTool {
  const { metadata } = tool;
  const { name, input, type: _, ...rest } = metadata;
  const { inputSchema, parse } = readSchema(name, input);
  return {
    // The confirmation functions get what `parse` returns or, before that, the input of the model.
    metadata: { ...(rest as Omit<ToolMetadata, 'name' | 'inputSchema'>), name, inputSchema },
    run: async (value, context) => tool.run(parse(value), context),
  };
}

function readSchema(name: string, input: unknown): { inputSchema: JsonSchema; parse: (value: unknown) => unknown } {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  if (isObject && '_zod' in input) {
    // Any copy of zod 4 marks its schemas this way.
    const schema = input as z.ZodType;
    return { inputSchema: toJsonSchema(name, schema), parse: (value) => parseWith(schema, value ?? {}) };
  }
  if (isObject && 'safeParse' in input) {
    throw invalid(
      `The input of tool "${name}" is not a schema of zod 4. Update zod, or pass a JSON Schema as metadata.inputSchema.`,
    );
  }
  if (isObject) return { inputSchema: input as JsonSchema, parse: (value) => value };
  throw invalid(`Tool "${name}" needs metadata.inputSchema (a JSON Schema) or metadata.input (a schema of zod 4).`);
}

function toJsonSchema(name: string, schema: z.ZodType): JsonSchema {
  let inputSchema: JsonSchema;
  try {
    inputSchema = schemaFromZod(schema);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw invalid(`The input of tool "${name}" cannot be described to a model: ${reason}`);
  }
  if (inputSchema.type !== 'object')
    throw invalid(`The input of tool "${name}" must be an object, as of z.object({…}).`);
  return inputSchema;
}

function isDefinedTool(value: object): value is Tool {
  const { name, inputSchema, parse, run } = value as Partial<Tool>;
  return (
    typeof name === 'string' &&
    typeof inputSchema === 'object' &&
    typeof parse === 'function' &&
    typeof run === 'function'
  );
}

/** Runs a tool of `defineTool` without a hub: nothing is logged, and it asks for approval as it does in a hub. */
function fromDefinedTool(tool: Tool): ExecutableTool {
  const { name, description, inputSchema, canHarm, requiresApproval, isHarmlessInput, readsOutside } = tool;
  const execute = async (input: unknown, context: ToolRunContext): Promise<ToolContent> => {
    const { signal, traceparent = '', purse, reading, runCall } = context;
    const returned = await tool.run(tool.parse(input), {
      caller: { surface: 'engine', kind: 'agent', right: 'work', purse, reading, runCall },
      callId: newId('call'),
      signal,
      traceparent,
      idempotencyKey: undefined,
      whenLogged: async () => {},
      client: silentToolClient,
    });
    return asContent(returned as object); // `Tool.run` returns an object.
  };
  return {
    metadata: {
      name,
      description,
      inputSchema,
      canHarm,
      requiresConfirmation: requiresApproval && (isHarmlessInput ? (input) => !isHarmlessInput(input) : true),
      ...(readsOutside && { readsOutside: name }),
    },
    execute,
    run: async (input, context = { signal: new AbortController().signal, toolUseId: '' }) => [
      ...(await execute(input, context)).content,
    ],
  };
}

function invalid(message: string): HubError {
  return new HubError('INVALID_ARGUMENTS', message);
}
