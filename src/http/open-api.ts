import { z } from 'zod';
import { Agent, AgentInput } from '../agents/agent.ts';
import * as agents from '../agents/agents.contract.ts';
import { PromptAgentListBody, PromptBody } from '../agents/prompts.contract.ts';
import { AgentExport, ImportReport } from '../agents/transfer-agents.ts';
import { DeletedBody } from '../base/contract-fields.ts';
import type { JsonSchema } from '../base/json-schema/json-schema.ts';
import * as brain from '../brain/brain.contract.ts';
import { BrainEntry, BrainEntryChange, NewBrainEntry } from '../brain/brain.ts';
import { ToolListBody, ToolResultBody } from '../tools/tools.contract.ts';
import { ConnectBody, ErrorBody, HealthBody, StatusBody } from './hub.contract.ts';
import type { DescribedRoute } from './route.ts';

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema> };
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema; example?: unknown }> };
  responses: Record<string, { description: string; content?: Record<string, { schema?: JsonSchema }> }>;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
}

/** OpenAPI 3.1 from the route list. Its schemas are JSON Schema 2020-12, which zod writes itself. */
export function buildOpenApi(
  routes: readonly DescribedRoute[],
  { version, url }: { version: string; url: string },
): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    Object.assign(paths[route.path] ?? {}, { [route.method.toLowerCase()]: toOperation(route) });
  }
  paths['/mcp'] = mcpOperations();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent Zoo',
      version,
      description: 'The HTTP API of a hub. Bodies are JSON, up to 4 MB (imports: up to 64 MB).',
    },
    servers: [{ url }],
    tags: [...new Set(routes.map((route) => route.group)), 'MCP'].map((name) => ({ name })),
    paths,
    components: { schemas: componentSchemas() },
  };
}

/** Schemas that are components of the document. All others are inlined. */
const named = {
  input: { AgentInput, NewBrainEntry, BrainEntryChange, AgentExport },
  output: {
    Agent,
    BrainEntry,
    AgentListBody: agents.AgentListBody,
    AgentDetail: agents.AgentDetail,
    VersionListBody: agents.VersionListBody,
    AgentVersionBody: agents.AgentVersionBody,
    CompiledBody: agents.CompiledBody,
    BrainBody: brain.BrainBody,
    TemplateListBody: agents.TemplateListBody,
    ImportReport,
    ToolListBody,
    ToolResultBody,
    PromptAgentListBody,
    PromptBody,
    HealthBody,
    StatusBody,
    ConnectBody,
    DeletedBody,
    DeletedEntryBody: brain.DeletedEntryBody,
    ErrorBody,
  },
} satisfies Record<'input' | 'output', Record<string, z.ZodType>>;

const names = new Map<z.core.$ZodType, string>(
  Object.values(named).flatMap((schemas) => Object.entries(schemas).map(([name, schema]) => [schema, name])),
);
// These accept a few more fields than the schema that documents them; the descriptions name the fields.
names.set(agents.AgentSubmission, 'AgentInput').set(brain.EntrySubmission, 'BrainEntryChange');
const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

function componentSchemas(): Record<string, JsonSchema> {
  const ofKind = (io: 'input' | 'output') =>
    Object.entries(named[io]).map(([name, schema]) => [name, toJsonSchema(schema, io, name)]);
  return Object.fromEntries([...ofKind('input'), ...ofKind('output')]);
}

function schemaFor(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const name = names.get(schema);
  return name === undefined ? toJsonSchema(schema, io) : refTo(name);
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output', self?: string): JsonSchema {
  const jsonSchema = z.toJSONSchema(schema, {
    io,
    override: ({ zodSchema, jsonSchema }) => {
      // Leaves out the recursive schema of "any JSON value".
      const isAnyJson = zodSchema._zod.def.type === 'lazy';
      const name = names.get(zodSchema);
      const isElsewhere = name !== undefined && name !== self;
      if (isAnyJson || isElsewhere) for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      if (isElsewhere) Object.assign(jsonSchema, refTo(name));
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
  // `tidy` turns an object into an object.
  return tidy(jsonSchema) as JsonSchema;
}

/** Removes the keys that zod adds for standalone documents, and replaces references to "any JSON value" with {}. */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value && String(value.$ref).startsWith('#/$defs/')) return {};
  const entries = Object.entries(value).filter(([key]) => !['$schema', '$defs', '~standard'].includes(key));
  return Object.fromEntries(entries.map(([key, child]) => [key, tidy(child)]));
}

const meanings: Record<number, string> = {
  400: 'Invalid input. The message names the field and the rule.',
  403: 'Not allowed: for example, the agent is defined in a file, or the tool is out of scope.',
  404: 'Not found.',
  408: 'Timed out.',
  409: 'Conflict: for example, it was changed in the meantime, or the id is taken.',
  428: 'The request does not name the revision it is based on.',
  500: 'The agent or tool failed.',
  503: 'Temporarily unavailable.',
  507: 'The disk is full.',
};

function toOperation(route: DescribedRoute): Operation {
  const { body, example, output, contentType, status = 200 } = route;
  const parameters = [...pathParameters(route.path), ...queryParameters(route.query), ...headerParameters(route)];
  const content = output
    ? { 'application/json': { schema: schemaFor(output, 'output') } }
    : contentType && { [contentType]: {} };
  const errors = (route.errors ?? []).map((error) => [
    String(error),
    {
      description: meanings[error] ?? 'The request failed.',
      content: { 'application/json': { schema: refTo('ErrorBody') } },
    },
  ]);
  return {
    operationId: operationId(route),
    tags: [route.group],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: !route.isBodyOptional,
        content: {
          'application/json': { schema: schemaFor(body, 'input'), ...(example !== undefined && { example }) },
        },
      },
    }),
    responses: {
      [status]: { description: route.answer, ...(content && { content }) },
      ...Object.fromEntries(errors),
    },
  };
}

/** "post /api/agents/{id}/clone" → "post_agents_id_clone". */
function operationId({ method, path }: Pick<DescribedRoute, 'method' | 'path'>): string {
  const words = path.split(/[/{}]+/).filter((word) => word !== '');
  return [method.toLowerCase(), ...words].join('_');
}

function pathParameters(path: string): Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: z.ZodObject | undefined): Parameter[] {
  const schema = query ? toJsonSchema(query, 'input') : {};
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(([name, property]) => {
    const { description, ...rest } = property;
    return {
      name,
      in: 'query',
      required: false,
      ...(description ? { description: String(description) } : {}),
      schema: rest,
    };
  });
}

function headerParameters({ takesIfMatch, takesIdempotencyKey }: DescribedRoute): Parameter[] {
  const header = (name: string, description: string): Parameter => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  });
  return [
    ...(takesIfMatch
      ? [header('If-Match', 'The revision you edited, quoted as in the ETag, or * for any revision.')]
      : []),
    ...(takesIdempotencyKey
      ? [header('Idempotency-Key', 'Repeating a request with the same key has no second effect.')]
      : []),
  ];
}

/** Documents /mcp, which `mcp-server` serves. */
function mcpOperations(): Record<string, Operation> {
  const agent: Parameter = {
    name: 'agent',
    in: 'query',
    required: false,
    description:
      'The id of an agent: only the tools in its scope are available. Team members send their token instead.',
    schema: { type: 'string' },
  };
  const operation = (method: string, summary: string): Operation => ({
    operationId: `${method}_mcp`,
    tags: ['MCP'],
    summary,
    parameters: [agent],
    responses: { 200: { description: 'A reply as specified by the Model Context Protocol.' } },
  });
  return {
    post: operation('post', 'Send an MCP message (Streamable HTTP)'),
    get: operation('get', "Listen to a session's messages"),
    delete: operation('delete', 'End a session'),
  };
}
