import { z } from 'zod';
import { HubError } from '../base/hub-error.ts';
import type { JsonObject } from '../base/json.ts';
import { compileJsonSchema, type JsonSchema, type ObjectJsonSchema } from '../base/json-schema/json-schema.ts';
import { schemaFaults } from '../base/json-schema/schema-faults.ts';
import { parseWith } from '../base/validate.ts';
import type { Caller } from './caller.ts';
import type { ToolContent } from './content.ts';
import type { ToolClient } from './tool-client.ts';

/** Hints a client may act on; they must be true. */
export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** MCP's icon: an address or a data URI, with what is known of the picture. */
export type ToolIcon = JsonObject & { src: string };

export interface ToolContext {
  caller: Caller;
  /** One id for the call; the decision log's rows carry it. */
  callId: string;
  signal: AbortSignal;
  /** The trace that the call is a part of; empty when nothing is traced. */
  traceparent: string;
  /** Where the caller gave one: the same key again must have no second effect. */
  idempotencyKey: string | undefined;
  /** Resolves when the call's invocation entry is durable; rejects with UNAVAILABLE when it could not be written. */
  whenLogged(): Promise<void>;
  /** For one of our own tools that is about to wait for something with limits of its own: someone's code, a model. */
  liftDeadline?(): void;
  /** The client behind the call. Where a surface has none, notifications vanish and questions are refused. */
  client: ToolClient;
}

export interface Tool {
  name: string;
  /** The name that permissions judge, where it is another one: a second name of a tool follows the rules of the first. */
  permissionName?: string | undefined;
  title: string;
  description: string;
  /** Where its author counts them. */
  version?: string | undefined;
  /** Where it comes from, for people: "built-in", "code", a script's path, a server's name. */
  origin: string;
  annotations: ToolAnnotations;
  /** For clients to show, as its server lists them. */
  icons?: readonly ToolIcon[] | undefined;
  /** Only a member of the team can call it. */
  isForMembers: boolean;
  /** It answers when it is called and is in no list. */
  isHidden: boolean;
  /** Where agents ask a person by tool (`toolPermission: tool`), this one is asked about. */
  requiresApproval: boolean;
  /** The external server it belongs to, and what it is called there. */
  server?: { name: string; remoteName: string } | undefined;
  /** The agent that answers it. Nobody calls themselves. */
  agentId?: string | undefined;
  /** Ours, and it changes nothing: it may run while its log entry is still being written. */
  runsWhileLogged?: boolean | undefined;
  /** Ours, and all its work is the hub's own: a call that is not done within the hub's deadline fails. */
  hasDeadline?: boolean | undefined;
  /** It sees to idempotency keys itself, in the transaction of its effects. */
  keepsKeys: boolean;
  inputSchema: ObjectJsonSchema;
  /** Ours describe an object; a server's may describe anything. */
  outputSchema: JsonSchema | undefined;
  /** Throws INVALID_ARGUMENTS (or the tool's own code) with field and rule. */
  parse(input: unknown): unknown;
  /** Data (an object) or a ToolContent. */
  run(input: unknown, context: ToolContext): unknown;
}

export interface ToolDefinition<I extends z.ZodType, O extends z.ZodType> {
  name: string;
  title?: string;
  description: string;
  origin?: string;
  annotations?: Partial<ToolAnnotations>;
  isForMembers?: boolean;
  isHidden?: boolean;
  requiresApproval?: boolean;
  permissionName?: string | undefined;
  keepsKeys?: boolean;
  hasDeadline?: boolean | undefined;
  /** A zod object, or a raw JSON Schema that is passed on untouched. */
  input: I | { jsonSchema: JsonSchema };
  output?: O;
  /** Gives a broken rule a code of its own, by the name of the field. */
  errorCodes?: Record<string, 'INVALID_FORMAT'>;
  run(input: z.output<I>, context: ToolContext): z.input<O> | ToolContent | Promise<z.input<O> | ToolContent>;
}

/** Names that every MCP client accepts. */
const toolNamePattern = /^[A-Za-z0-9_.-]{1,64}$/;

export function defineTool<I extends z.ZodType, O extends z.ZodType = z.ZodType<object>>(
  definition: ToolDefinition<I, O>,
): Tool {
  if (!toolNamePattern.test(definition.name)) {
    throw new HubError(
      'INVALID_ARGUMENTS',
      `Tool name "${definition.name.slice(0, 80)}" must be 1–64 of A–Z a–z 0–9 _ . -`,
    );
  }
  const { input } = definition;
  const isZod = input instanceof z.ZodType;
  return {
    name: definition.name,
    title: definition.title ?? definition.name,
    description: definition.description,
    origin: definition.origin ?? 'code',
    annotations: { ...assumedAnnotations, ...definition.annotations },
    isForMembers: definition.isForMembers ?? false,
    isHidden: definition.isHidden ?? false,
    requiresApproval: definition.requiresApproval ?? false,
    permissionName: definition.permissionName,
    keepsKeys: definition.keepsKeys ?? false,
    hasDeadline: definition.hasDeadline ?? false,
    inputSchema: toObjectSchema(isZod ? fromZod(input) : input.jsonSchema, definition.name),
    outputSchema: definition.output ? toObjectSchema(fromZod(definition.output), definition.name) : undefined,
    parse: isZod ? zodParser(input, definition.errorCodes) : schemaParser(input.jsonSchema, definition.name),
    // The one cast: `parse` has produced exactly what `run` declares.
    run: definition.run as Tool['run'],
  };
}

function zodParser(schema: z.ZodType, errorCodes: Record<string, 'INVALID_FORMAT'> | undefined): Tool['parse'] {
  return (value) => {
    try {
      return parseWith(schema, value ?? {});
    } catch (error) {
      if (!errorCodes || !(error instanceof HubError)) throw error;
      const issues = (error.details?.issues ?? []) as { path: string }[];
      const code = issues.length === 1 ? errorCodes[issues[0]?.path ?? ''] : undefined;
      throw code ? new HubError(code, error.message, { ...(error.details && { details: error.details }) }) : error;
    }
  };
}

/** A schema that cannot be used is refused here, where its author sees it, and not at the first call. */
function schemaParser(schema: JsonSchema, tool: string): Tool['parse'] {
  const [fault] = schemaFaults(schema);
  if (fault) {
    const where = fault.path === '' ? '' : `${fault.path}: `;
    throw new HubError(
      'INVALID_ARGUMENTS',
      `The input schema of tool "${tool}" cannot be used: ${where}${fault.message}`,
    );
  }
  let check: ((value: unknown) => void) | undefined;
  return (value) => {
    check ??= compileJsonSchema(schema);
    const input = value ?? {};
    check(input);
    return input;
  };
}

function fromZod(schema: z.ZodType): JsonSchema {
  const { $schema: _, '~standard': __, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}

function toObjectSchema(schema: JsonSchema, tool: string): ObjectJsonSchema {
  if (schema.type !== 'object')
    throw new HubError('INVALID_ARGUMENTS', `The schemas of tool "${tool}" must describe an object.`);
  return { ...schema, type: 'object' };
}

/** What MCP assumes of a tool that says nothing: it changes things. */
export const assumedAnnotations: Readonly<ToolAnnotations> = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/** Whether a hint can be passed on: those of MCP have a type; a server's own may be anything. */
export function isReadableHint(hint: string, value: unknown): boolean {
  if (hint === 'title') return typeof value === 'string';
  return !Object.hasOwn(assumedAnnotations, hint) || typeof value === 'boolean';
}

const reading: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/**
 * Defines one of the hub's own tools that changes nothing and runs nobody else's code. It may run while its log entry is
 * still being written; where it does call someone's code, it awaits `whenLogged` and lifts its deadline first.
 */
export function defineReadingTool<I extends z.ZodType, O extends z.ZodType>(
  definition: Omit<ToolDefinition<I, O>, 'origin' | 'annotations' | 'hasDeadline'>,
): Tool {
  const own = { origin: 'built-in', annotations: reading, hasDeadline: true };
  return { ...defineTool({ ...definition, ...own }), runsWhileLogged: true };
}
