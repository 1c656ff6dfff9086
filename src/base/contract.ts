import type { z } from 'zod';
import type { JsonLimits } from './json.ts';
import type { Right } from './rights.ts';

/** One operation of the API: the server implements it, the web app calls it, the OpenAPI document describes it. */
export interface Operation {
  /** The right that a caller needs. */
  right: Right;
  /**
   * How a key that is bound to one agent may use the operation: the path parameter that must name this agent, or `handler` if the
   * handler shows only this agent. Without it, such a key may not use it.
   */
  scopedBy?: 'id' | 'name' | 'handler';
  summary: string;
  description?: string;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** A missing body counts as `{}`. */
  isBodyOptional?: true;
  /** Passes the raw body to the handler, because the tool or importer behind the handler checks it. */
  isBodyPassedOn?: true;
  bodyLimits?: JsonLimits;
  example?: unknown;
  /** Accepts an If-Match header with a revision. */
  takesIfMatch?: true;
  /** Accepts an Idempotency-Key header: repeating the request has no second effect. */
  takesIdempotencyKey?: true;
  /** The status on success; 200 by default. */
  status?: number;
  /** Describes the reply on success, for the OpenAPI document. */
  answer: string;
  output?: z.ZodType;
  /** The media type of a reply that is not JSON. */
  contentType?: string;
  /** The error statuses that the OpenAPI document lists. */
  errors?: readonly number[];
  /** Set if the operation runs a tool, whose call the decision log records. Other operations that administer are logged as acts. */
  isToolCall?: true;
  /** Set if the operation is logged as an act although it requires a right other than `administer`. */
  isAct?: boolean;
  /** The fields of the body whose values the act shows. Others are only named, because they may hold secrets. */
  shownFields?: readonly string[];
  /** Exempts the operation from the request deadline, because the tool, model or server it calls has its own limits. */
  hasOwnLimits?: true;
  /** Replaces the code `permission_denied` in replies of this operation. */
  deniedCode?: 'read_only';
}

/** A method and a path as in OpenAPI: `GET /api/agents/{id}`. */
export type Address = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
export type Operations = Readonly<Record<Address, Operation>>;

/** The operations of one noun, under their heading in the OpenAPI document. */
export interface Contract<T extends Operations = Operations> {
  group: string;
  operations: T;
}

export function defineContract<const T extends Operations>(group: string, operations: T): Contract<T> {
  return { group, operations };
}

/** `{ id: string }` for `GET /api/agents/{id}`. */
export type PathParameters<A extends string> = A extends `${string}{${infer Name}}${infer Rest}`
  ? Record<Name, string> & PathParameters<Rest>
  : unknown;

/** The JSON reply of an operation; undefined if it has none. */
export type OutputOf<O extends Operation> = O extends { output: infer S extends z.ZodType } ? z.output<S> : undefined;

/**
 * Gives the exact type of a body to a schema that describes the body only roughly. Does not compile if a body of that type
 * would not match the schema.
 */
export function outline<T>() {
  return <S extends z.ZodType>(schema: T extends Frozen<z.input<S>> ? S : never): z.ZodType<T, T> =>
    schema as unknown as z.ZodType<T, T>;
}

/** Makes lists read-only and drops index signatures, so that more body types match. */
type Frozen<T> = T extends readonly unknown[]
  ? readonly Frozen<T[number]>[]
  : T extends object
    ? { readonly [K in keyof T as string extends K ? never : K]: Frozen<T[K]> }
    : T;
