import type { z } from 'zod';
import type { JsonLimits } from './json.ts';

/**
 * What a caller needs for an operation. `use`: our own tools and lists, which cost nothing and reach nobody. `work`: what
 * spends money or reaches other systems. `administer`: what defines, connects, pays, restores or deletes.
 */
type Right = 'use' | 'work' | 'administer';

/** One operation of the API: the server implements it, the web app calls it, the OpenAPI document describes it. */
export interface Operation {
  right: Right;
  summary: string;
  description?: string;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** A missing body counts as `{}`. */
  isBodyOptional?: true;
  /** Hands the body to the handler as it came, because the tool or importer behind the handler checks it. */
  isBodyPassedOn?: true;
  bodyLimits?: JsonLimits;
  example?: unknown;
  /** Accepts an If-Match header with a revision. */
  takesIfMatch?: true;
  /** Accepts an Idempotency-Key header: the same request again has no second effect. */
  takesIdempotencyKey?: true;
  /** The status of a success; 200 by default. */
  status?: number;
  /** What a success means, for readers of the document. */
  answer: string;
  output?: z.ZodType;
  /** The media type of an answer that is not JSON. */
  contentType?: string;
  /** The error statuses worth naming in the document. */
  errors?: readonly number[];
  /** Exempts an operation from the request deadline: what it calls (a tool, a model, a server) has limits of its own. */
  hasOwnLimits?: true;
  /** What PERMISSION_DENIED is called here. */
  deniedCode?: 'read_only';
}

/** As in OpenAPI: `GET /api/agents/{id}`. */
export type Address = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
export type Operations = Readonly<Record<Address, Operation>>;

/** The operations of one noun, under their heading in the document. */
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

/** What an operation answers with; undefined where the answer has no JSON. */
export type OutputOf<O extends Operation> = O extends { output: infer S extends z.ZodType } ? z.output<S> : undefined;

/**
 * Gives a schema that describes a body only in outline the body's exact type. Does not compile when a body of that type
 * would not fit the schema.
 */
export function outline<T>() {
  return <S extends z.ZodType>(schema: T extends Frozen<z.input<S>> ? S : never): z.ZodType<T, T> =>
    schema as unknown as z.ZodType<T, T>;
}

/** A body may hold lists that nobody changes, and need not have an index signature. */
type Frozen<T> = T extends readonly unknown[]
  ? readonly Frozen<T[number]>[]
  : T extends object
    ? { readonly [K in keyof T as string extends K ? never : K]: Frozen<T[K]> }
    : T;
