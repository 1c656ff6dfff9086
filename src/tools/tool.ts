import { z } from 'zod';
import { HubError } from '../base/hub-error.ts';
import { canonicalJson, type JsonObject } from '../base/json.ts';
import { compileJsonSchema, type JsonSchema, type ObjectJsonSchema } from '../base/json-schema/json-schema.ts';
import { schemaFaults } from '../base/json-schema/schema-faults.ts';
import type { Right } from '../base/rights.ts';
import { parseWith } from '../base/validate.ts';
import type { Caller } from './caller.ts';
import type { ToolContent } from './content.ts';
import { descriptionFault } from './description-fault.ts';
import type { ToolClient } from './tool-client.ts';

/** Hints that a client may act on, so they must be true. */
export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** An MCP icon: an address or a data URI, with details such as size and type. */
export type ToolIcon = JsonObject & { src: string };

export interface ToolContext {
  caller: Caller;
  /** The id of the call, which its entries in the decision log carry. */
  callId: string;
  signal: AbortSignal;
  /** The trace that the call belongs to; empty when tracing is off. */
  traceparent: string;
  /** Set if the caller sent one. A second call with the same key must have no second effect. */
  idempotencyKey: string | undefined;
  /** Resolves once the log entry of this call is on the disk. Rejects with UNAVAILABLE if it could not be written. */
  whenLogged(): Promise<void>;
  /** Lifts the hub's deadline. For built-in tools that are about to wait for something with limits of its own: user code, a model. */
  liftDeadline?(): void;
  /** The client behind the call. On a surface without one, notifications are dropped and questions are rejected. */
  client: ToolClient;
}

export interface Tool {
  name: string;
  /** The name that permissions are checked against, if it differs: an alias follows the rules of the original name. */
  permissionName?: string | undefined;
  title: string;
  description: string;
  /** Set if its author numbers versions. */
  version?: string | undefined;
  /** Where the tool comes from, for people to read: "built-in", "code", a script's path, a server's name. */
  origin: string;
  /** The right that a caller needs. */
  right: Right;
  annotations: ToolAnnotations;
  /** Icons for clients to show, as the tool's server lists them. */
  icons?: readonly ToolIcon[] | undefined;
  /** Whether only members of the team can call it. */
  isForMembers: boolean;
  /** Set if only the user may call it, whatever the rules of members say. */
  isForUser?: true | undefined;
  /** Whether it is left out of lists. It can still be called. */
  isHidden: boolean;
  /** Whether agents with `toolPermission: tool` ask the user before they call it. */
  requiresApproval: boolean;
  /** Whether it can send something out or destroy something. After a run has read text from outside, such calls need approval. */
  canHarm: boolean | ((input: unknown) => boolean);
  /** The source of its results, if they are text from outside. Undefined if they are not, or if the tool reports it itself (`caller.reading`). */
  readsOutside?: boolean | undefined;
  /** Whether it writes to an agent's memory, which needs approval only if the config says so. */
  isMemory?: boolean | undefined;
  /** Tells whether a call with this input needs no approval, although others do. */
  isHarmlessInput?: ((input: unknown) => boolean) | undefined;
  /** The external server it belongs to, and its name on that server. */
  server?: { name: string; remoteName: string } | undefined;
  /** The agent that answers the call. An agent cannot call itself. */
  agentId?: string | undefined;
  /** Set for built-in tools that only read: they may run while their log entry is still being written. */
  runsWhileLogged?: boolean | undefined;
  /** Set for built-in tools that do only hub work: a call that misses the hub's deadline fails. */
  hasDeadline?: boolean | undefined;
  /** Whether it handles idempotency keys itself, in the transaction of its effects. */
  keepsKeys: boolean;
  inputSchema: ObjectJsonSchema;
  /** Built-in tools describe an object; those of a server may describe any value. */
  outputSchema: JsonSchema | undefined;
  /** Throws INVALID_ARGUMENTS, or the tool's own code, and names the field and the rule. */
  parse(input: unknown): unknown;
  /** Returns data (an object) or a ToolContent. */
  run(input: unknown, context: ToolContext): unknown;
}

export interface ToolDefinition<I extends z.ZodType, O extends z.ZodType> {
  name: string;
  title?: string;
  description: string;
  origin?: string;
  /** The right that a caller needs. Default: `use` for a tool that only reads and stays inside the hub; `work` for any other. */
  right?: Right;
  annotations?: Partial<ToolAnnotations>;
  isForMembers?: boolean;
  isHidden?: boolean;
  /** Default: tools that can change something or send data off the machine require approval. Tools for members follow the members' rules instead. */
  requiresApproval?: boolean;
  canHarm?: Tool['canHarm'];
  readsOutside?: boolean | undefined;
  isMemory?: boolean | undefined;
  isHarmlessInput?: Tool['isHarmlessInput'];
  permissionName?: string | undefined;
  keepsKeys?: boolean;
  hasDeadline?: boolean | undefined;
  /** A zod object, or a JSON Schema that is passed on as it is. */
  input: I | { jsonSchema: JsonSchema };
  output?: O;
  /** Error codes for invalid values, by field name. */
  errorCodes?: Record<string, 'INVALID_FORMAT'>;
  run(input: z.output<I>, context: ToolContext): z.input<O> | ToolContent | Promise<z.input<O> | ToolContent>;
}

/** Returns a hash of everything that tells a user what the tool does. An approval holds for one such definition. */
export async function hashDefinition(tool: Tool): Promise<string> {
  const { name, title, description, origin, annotations, server, agentId, version, inputSchema, outputSchema } = tool;
  const whole = { name, title, description, origin, annotations, server, agentId, version, inputSchema, outputSchema };
  const text = canonicalJson(JSON.parse(JSON.stringify(whole)));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Names that every MCP client accepts. */
const toolNamePattern = /^[A-Za-z0-9_.-]{1,64}$/;

export function defineTool<I extends z.ZodType, O extends z.ZodType = z.ZodType<object>>(
  definition: ToolDefinition<I, O>,
): Tool {
  if (!toolNamePattern.test(definition.name)) {
    throw new HubError(
      'INVALID_ARGUMENTS',
      `Tool name "${definition.name.slice(0, 80)}" must be 1–64 characters from A–Z a–z 0–9 _ . -`,
    );
  }
  const fault = descriptionFault(definition.description);
  if (fault) throw new HubError('INVALID_ARGUMENTS', `Tool "${definition.name}" cannot be used. ${fault}`);
  const { input } = definition;
  const isZod = input instanceof z.ZodType;
  const annotations = { ...assumedAnnotations, ...definition.annotations };
  const isForMembers = definition.isForMembers ?? false;
  let inputSchema: ObjectJsonSchema | undefined;
  let outputSchema: ObjectJsonSchema | undefined;
  const tool: Tool = {
    name: definition.name,
    title: definition.title ?? definition.name,
    description: definition.description,
    origin: definition.origin ?? 'code',
    right: definition.right ?? (changesOrLeaves(annotations) ? 'work' : 'use'),
    annotations,
    isForMembers,
    isHidden: definition.isHidden ?? false,
    requiresApproval: definition.requiresApproval ?? (!isForMembers && changesOrLeaves(annotations)),
    canHarm: definition.canHarm ?? sendsOrDestroys(annotations),
    readsOutside: definition.readsOutside ?? annotations.openWorldHint,
    isMemory: definition.isMemory ?? false,
    isHarmlessInput: definition.isHarmlessInput,
    permissionName: definition.permissionName,
    keepsKeys: definition.keepsKeys ?? false,
    hasDeadline: definition.hasDeadline ?? false,
    get inputSchema() {
      inputSchema ??= toObjectSchema(isZod ? schemaFromZod(input) : input.jsonSchema, definition.name);
      return inputSchema;
    },
    get outputSchema() {
      if (definition.output) outputSchema ??= toObjectSchema(schemaFromZod(definition.output), definition.name);
      return outputSchema;
    },
    parse: isZod ? zodParser(input, definition.errorCodes) : schemaParser(input.jsonSchema, definition.name),
    // The only cast: `parse` returns exactly what `run` declares.
    run: definition.run as Tool['run'],
  };
  // Built-in tools are converted when somebody reads their schemas, because a hub starts sooner without. The author of another tool learns
  // at once that a schema cannot be used.
  return tool.origin === 'built-in' ? tool : { ...tool };
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

/** Throws INVALID_ARGUMENTS for an unusable schema at once, where its author sees it, instead of at the first call. */
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

/** Describes what a zod schema accepts. */
export function schemaFromZod(schema: z.ZodType): JsonSchema {
  const { $schema: _, '~standard': __, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}

function toObjectSchema(schema: JsonSchema, tool: string): ObjectJsonSchema {
  if (schema.type !== 'object')
    throw new HubError('INVALID_ARGUMENTS', `The schemas of tool "${tool}" must describe an object.`);
  return { ...schema, type: 'object' };
}

/** The hints that MCP assumes for a tool without annotations: it changes things. */
export const assumedAnnotations: Readonly<ToolAnnotations> = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/** Tells whether a tool with these hints can change something or send data off the machine. */
function changesOrLeaves({ readOnlyHint, openWorldHint }: ToolAnnotations): boolean {
  return !readOnlyHint || openWorldHint;
}

/** Tells whether a tool with these hints can send something out or destroy something. */
export function sendsOrDestroys({ readOnlyHint, destructiveHint, openWorldHint }: ToolAnnotations): boolean {
  return openWorldHint || (!readOnlyHint && destructiveHint);
}

/** For a tool that asks an agent of this hub. That agent's calls ask for approval themselves, and each side is told what the other has read from outside. */
export const callsAgent = { requiresApproval: false, canHarm: false, readsOutside: false } as const;

/** Tells whether a hint can be passed on. MCP's hints have a type; a server's own hints may be anything. */
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
 * Defines a built-in tool that only reads and runs no user code. It may run while its log entry is still being written.
 * Before it does call user code, it awaits `whenLogged` and lifts its deadline.
 */
export function defineReadingTool<I extends z.ZodType, O extends z.ZodType>(
  definition: Omit<ToolDefinition<I, O>, 'origin' | 'annotations' | 'hasDeadline'>,
): Tool {
  const fixed = { origin: 'built-in', annotations: reading, hasDeadline: true };
  return Object.assign(defineTool({ ...definition, ...fixed }), { runsWhileLogged: true });
}
