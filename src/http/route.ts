import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { z } from 'zod';
import type { Address, Contract, Operation, Operations, OutputOf, PathParameters } from '../base/contract.ts';
import type { Identity } from '../callers/callers.ts';
import type { WriteOptions } from '../team/calls/once.ts';

export type ApiContext = Context<{ Bindings: HttpBindings }>;

/** An operation and its handler. */
export interface Route extends Operation {
  method: string;
  path: string;
  group: string;
  /** Converts errors for a protocol with its own error format. `status` is the default status; `body` is undefined if it could not be read. */
  toError?(error: unknown, status: number, body: unknown): Response;
  handle(request: ApiRequest): unknown;
}

/** A request that was validated by its contract. */
interface ApiRequest<Params = unknown, Query = unknown, Body = unknown> {
  context: ApiContext;
  caller: Identity;
  params: Params;
  query: Query;
  body: Body;
  /** The body as received, including fields that the contract drops. */
  sent: unknown;
  /** The idempotency key of a write. */
  once: WriteOptions;
  /** The log's description of this operation, if it is an act. Handlers add what the address and the body do not show. */
  act: ActNote;
  signal: AbortSignal;
}

export interface ActNote {
  /** What the operation changed; by default, the first parameter of the address. */
  target?: string;
  before?: unknown;
  after?: unknown;
}

type QueryOf<O extends Operation> = O extends { query: infer S extends z.ZodType } ? z.output<S> : unknown;
type BodyOf<O extends Operation> = O extends { isBodyPassedOn: true }
  ? unknown
  : O extends { body: infer S extends z.ZodType }
    ? z.output<S>
    : unknown;

/** Returns the body of the reply, or a whole Response. The result is ignored if the reply has no body. */
type Handler<A extends string, O extends Operation> = (
  request: ApiRequest<PathParameters<A>, QueryOf<O>, BodyOf<O>>,
) => O extends { output: z.ZodType } ? Response | OutputOf<O> | Promise<Response | OutputOf<O>> : unknown;

export type Handlers<T extends Operations> = { [A in keyof T & string]: Handler<A, T[A & keyof T & Address]> };

/** Creates the routes of a contract. Does not compile if a handler is missing, unknown, or returns the wrong type. */
export function implement<T extends Operations>(contract: Contract<T>): (handlers: Handlers<T>) => Route[] {
  return (handlers) =>
    described(contract).map((route) => {
      const address = `${route.method} ${route.path}`;
      // The app validates each request by the contract that defines the handler's types.
      const handle = handlers[address as keyof T & string] as Route['handle'];
      return { ...route, handle };
    });
}

export type DescribedRoute = Omit<Route, 'handle'>;

/** Lists the operations of a contract. */
export function described({ group, operations }: Contract): DescribedRoute[] {
  return Object.entries(operations).map(([address, operation]) => {
    const [method = '', path = ''] = address.split(' ');
    return { ...operation, method, path, group };
  });
}
