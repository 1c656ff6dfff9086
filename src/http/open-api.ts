import { z } from 'zod';
import { Agent, AgentInput } from '../agents/agent.ts';
import { BrainEntry, BrainEntryChange, NewBrainEntry } from '../agents/brain.ts';
import { AgentExport } from '../agents/transfer-agents.ts';
import type { JsonSchema } from '../base/json-schema.ts';
import * as bodies from './api-schemas.ts';
import type { Route } from './route.ts';

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string };
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

type DescribedRoute = Omit<Route, 'handle'>;

/** OpenAPI 3.1 from the route list. Its schemas are JSON Schema 2020-12, which zod writes itself. */
export function buildOpenApi(routes: readonly DescribedRoute[], version: string): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    Object.assign(paths[route.path] ?? {}, { [route.method]: toOperation(route) });
  }
  paths['/mcp'] = mcpOperations();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent Zoo',
      version,
      description:
        'The HTTP API of a hub. It answers on loopback only; bodies are JSON of at most 4 MB, imports of at most 64 MB.',
    },
    tags: [...new Set(routes.map((route) => route.group)), 'MCP'].map((name) => ({ name })),
    paths,
    components: { schemas: componentSchemas() },
  };
}

/** Schemas with a name in the document; the rest stand where they are used. */
const named = {
  input: { AgentInput, NewBrainEntry, BrainEntryChange, AgentExport },
  output: {
    Agent,
    BrainEntry,
    AgentListBody: bodies.AgentListBody,
    AgentDetail: bodies.AgentDetail,
    VersionListBody: bodies.VersionListBody,
    AgentVersionBody: bodies.AgentVersionBody,
    CompiledBody: bodies.CompiledBody,
    BrainBody: bodies.BrainBody,
    TemplateListBody: bodies.TemplateListBody,
    ImportReport: bodies.ImportReport,
    ToolListBody: bodies.ToolListBody,
    ToolResultBody: bodies.ToolResultBody,
    PromptAgentListBody: bodies.PromptAgentListBody,
    PromptBody: bodies.PromptBody,
    HealthBody: bodies.HealthBody,
    StatusBody: bodies.StatusBody,
    ConnectBody: bodies.ConnectBody,
    DeletedBody: bodies.DeletedBody,
    DeletedEntryBody: bodies.DeletedEntryBody,
    ErrorBody: bodies.ErrorBody,
  },
} satisfies Record<'input' | 'output', Record<string, z.ZodType>>;

const names = new Map<z.core.$ZodType, string>(
  Object.values(named).flatMap((schemas) => Object.entries(schemas).map(([name, schema]) => [schema, name])),
);
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
  const made = z.toJSONSchema(schema, {
    io,
    override: ({ zodSchema, jsonSchema }) => {
      // Any JSON value: recursion that says nothing to a reader.
      const isAnyJson = zodSchema._zod.def.type === 'lazy';
      const name = names.get(zodSchema);
      const isElsewhere = name !== undefined && name !== self;
      if (isAnyJson || isElsewhere) for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      if (isElsewhere) Object.assign(jsonSchema, refTo(name));
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
  // What is made of a schema is an object.
  return tidy(made) as JsonSchema;
}

/** Drops what zod adds for documents of its own, and opens references to "any JSON value". */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value && String(value.$ref).startsWith('#/$defs/')) return {};
  const kept = Object.entries(value).filter(([key]) => !['$schema', '$defs', '~standard'].includes(key));
  return Object.fromEntries(kept.map(([key, child]) => [key, tidy(child)]));
}

const meanings: Record<number, string> = {
  400: 'The input breaks a rule; the message names field and rule.',
  403: 'Not allowed: the agent comes from a file, or the tool is out of scope.',
  404: 'There is no such thing.',
  408: 'It took too long.',
  409: 'It was changed in the meantime, or the id is taken.',
  428: 'The write does not say which version it was made from.',
  500: 'The agent or tool failed.',
  503: 'Not now.',
  507: 'The disk is full.',
};

function toOperation(route: DescribedRoute): Operation {
  const { answer, body } = route;
  const parameters = [...pathParameters(route.path), ...queryParameters(route.query), ...headerParameters(route)];
  const content = answer.schema
    ? { 'application/json': { schema: schemaFor(answer.schema, 'output') } }
    : answer.contentType && { [answer.contentType]: {} };
  const errors = (route.errors ?? []).map((status) => [
    String(status),
    { description: meanings[status] ?? 'It failed.', content: { 'application/json': { schema: refTo('ErrorBody') } } },
  ]);
  return {
    operationId: operationId(route),
    tags: [route.group],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: !body.isOptional,
        content: {
          'application/json': {
            schema: schemaFor(body.schema, 'input'),
            ...(body.example !== undefined && { example: body.example }),
          },
        },
      },
    }),
    responses: {
      [answer.status]: { description: answer.description, ...(content && { content }) },
      ...Object.fromEntries(errors),
    },
  };
}

/** "post /api/agents/{id}/clone" → "post_agents_id_clone". */
function operationId({ method, path }: Pick<Route, 'method' | 'path'>): string {
  const words = path.split(/[/{}]+/).filter((word) => word !== '');
  return [method, ...words].join('_');
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

function headerParameters(route: DescribedRoute): Parameter[] {
  if (!route.takesIfMatch) return [];
  const description = 'The revision you changed, in quotes, as the ETag had it; * for whatever is there.';
  return [{ name: 'If-Match', in: 'header', required: false, description, schema: { type: 'string' } }];
}

/** Served by its own room; here so that a reader finds it. */
function mcpOperations(): Record<string, Operation> {
  const agent: Parameter = {
    name: 'agent',
    in: 'query',
    required: false,
    description: "Only what is in this agent's scope. A member of the team sends its token instead.",
    schema: { type: 'string' },
  };
  const operation = (method: string, summary: string): Operation => ({
    operationId: `${method}_mcp`,
    tags: ['MCP'],
    summary,
    parameters: [agent],
    responses: { 200: { description: 'As the Model Context Protocol says.' } },
  });
  return {
    post: operation('post', 'Send an MCP message (Streamable HTTP)'),
    get: operation('get', "Listen to a session's messages"),
    delete: operation('delete', 'End a session'),
  };
}
