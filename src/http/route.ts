import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { z } from 'zod';
import type { Address, Contract, Operation, Operations, OutputOf, PathParameters } from '../base/contract.ts';
import type { WriteOptions } from '../team/calls/once.ts';

export type ApiContext = Context<{ Bindings: HttpBindings }>;

/** An operation with the function that answers it. */
export interface Route extends Operation {
  method: string;
  path: string;
  group: string;
  /** Where a protocol has errors of its own; `status` is the usual one, `body` undefined where it could not be read. */
  toError?(error: unknown, status: number, body: unknown): Response;
  handle(request: ApiRequest): unknown;
}

/** A request that the contract of its operation has accepted. */
interface ApiRequest<Params = unknown, Query = unknown, Body = unknown> {
  context: ApiContext;
  params: Params;
  query: Query;
  body: Body;
  /** The body as it came, for what its contract leaves out. */
  sent: unknown;
  /** The key of a write that may be sent twice. */
  once: WriteOptions;
  signal: AbortSignal;
}

type QueryOf<O extends Operation> = O extends { query: infer S extends z.ZodType } ? z.output<S> : unknown;
type BodyOf<O extends Operation> = O extends { isBodyPassedOn: true }
  ? unknown
  : O extends { body: infer S extends z.ZodType }
    ? z.output<S>
    : unknown;

/** Returns the body of the answer, or a Response where there is more to say. Where the answer has no body, the result is ignored. */
type Handler<A extends string, O extends Operation> = (
  request: ApiRequest<PathParameters<A>, QueryOf<O>, BodyOf<O>>,
) => O extends { output: z.ZodType } ? Response | OutputOf<O> | Promise<Response | OutputOf<O>> : unknown;

export type Handlers<T extends Operations> = { [A in keyof T & string]: Handler<A, T[A & keyof T & Address]> };

/** The routes of a contract. Does not compile when a handler is missing, superfluous or answers with something else. */
export function implement<T extends Operations>(contract: Contract<T>): (handlers: Handlers<T>) => Route[] {
  return (handlers) =>
    described(contract).map((route) => {
      const address = `${route.method} ${route.path}`;
      // The app parses each request with the contract that gave the handler its types.
      const handle = handlers[address as keyof T & string] as Route['handle'];
      return { ...route, handle };
    });
}

export type DescribedRoute = Omit<Route, 'handle'>;

/** The operations of a contract, for the document. */
export function described({ group, operations }: Contract): DescribedRoute[] {
  return Object.entries(operations).map(([address, operation]) => {
    const [method = '', path = ''] = address.split(' ');
    return { ...operation, method, path, group };
  });
}
