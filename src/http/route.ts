import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { z } from 'zod';
import type { JsonLimits } from '../base/json.ts';

export type ApiContext = Context<{ Bindings: HttpBindings }>;
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** One operation of the API: what it does, what it takes and gives, and the few lines that do it. */
export interface Route {
  method: Method;
  /** As in OpenAPI: `/api/agents/{id}`. */
  path: string;
  group: string;
  summary: string;
  description?: string;
  query?: z.ZodObject;
  /** Documented here, checked by the room that takes it; every body passes the limits of `readJsonBody` first. */
  body?: { schema: z.ZodType; isOptional?: boolean; example?: unknown; limits?: JsonLimits };
  /** Takes an If-Match header with a revision. */
  takesIfMatch?: boolean;
  /** The answer when all went well. */
  answer: { status: number; description: string; schema?: z.ZodType; contentType?: string };
  /** The error statuses worth naming in the document. */
  errors?: readonly number[];
  /** What it calls (a tool, a model, a server elsewhere) may take long and has limits of its own. */
  hasOwnLimits?: true;
  /** What PERMISSION_DENIED is called here. */
  deniedCode?: 'read_only';
  /** Where a protocol has errors of its own; `status` is the usual one, `body` undefined where it could not be read. */
  toError?(error: unknown, status: number, body: unknown): Response;
  handle(request: ApiRequest): Promise<Response> | Response;
}

export interface ApiRequest {
  context: ApiContext;
  /** A part of the path, decoded. */
  param(name: string): string;
  query: Record<string, unknown>;
  /** The parsed JSON, or undefined when there was no body. */
  body: unknown;
  signal: AbortSignal;
}

type Defined<Q extends z.ZodObject> = Omit<Route, 'query' | 'handle'> & {
  query?: Q;
  handle(request: Omit<ApiRequest, 'query'> & { query: z.output<Q> }): Promise<Response> | Response;
};

/** Gives the handler the type of its query. */
export function defineRoute<Q extends z.ZodObject>(route: Defined<Q>): Route {
  // The app parses `query` with this very schema before it calls `handle`.
  return route as Route;
}
