import type { z } from 'zod';
import type {
  agentsContract,
  grantsContract,
  transferContract,
  versionsContract,
} from '../../src/agents/agents.contract.ts';
import type { contextContract } from '../../src/agents/context.contract.ts';
import type { primeContract, promptsContract } from '../../src/agents/prompts.contract.ts';
import type { workspacesContract } from '../../src/agents/workspaces.contract.ts';
import type { Operation, OutputOf, PathParameters } from '../../src/base/contract.ts';
import type { brainContract } from '../../src/brain/brain.contract.ts';
import type { callersContract } from '../../src/callers/callers.contract.ts';
import type { chatsContract } from '../../src/chats/chats.contract.ts';
import type { decisionsContract } from '../../src/decisions/decisions.contract.ts';
import type { ErrorBody, hubContract } from '../../src/http/hub.contract.ts';
import type { inboxContract } from '../../src/inbox/inbox.contract.ts';
import type { knowledgeContract } from '../../src/knowledge/knowledge.contract.ts';
import type { providersContract } from '../../src/models/providers.contract.ts';
import type { runsContract } from '../../src/runs/runs.contract.ts';
import type { catalogueContract } from '../../src/servers/catalogue/catalogue.contract.ts';
import type { serversContract } from '../../src/servers/servers.contract.ts';
import type { settingsContract } from '../../src/settings/settings.contract.ts';
import type { deliveriesContract } from '../../src/team/events/deliveries.contract.ts';
import type { mailContract } from '../../src/team/mail/mail.contract.ts';
import type { membersContract } from '../../src/team/members/members.contract.ts';
import type { epicsContract, tasksContract } from '../../src/team/work/work.contract.ts';
import type { toolsContract } from '../../src/tools/tools.contract.ts';
import type { usageContract } from '../../src/usage/usage.contract.ts';
import { noteSignedOut } from './signed-out.ts';

/** An error reply from the hub. Status 0 means that the hub did not reply. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly details: ErrorBody['error']['details'];

  constructor(status: number, error: ErrorBody['error']) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.details = error.details;
  }

  /** Whether another save came first: `details.current` is the saved state, `details.submitted` what this page sent. */
  get isConflict(): boolean {
    return this.code === 'conflict';
  }

  get isNotFound(): boolean {
    return this.status === 404;
  }
}

/** Every operation, by address. Only types, so no schema ends up in the bundle. */
type Api = typeof agentsContract.operations &
  typeof versionsContract.operations &
  typeof grantsContract.operations &
  typeof brainContract.operations &
  typeof transferContract.operations &
  typeof contextContract.operations &
  typeof workspacesContract.operations &
  typeof promptsContract.operations &
  typeof primeContract.operations &
  typeof knowledgeContract.operations &
  typeof membersContract.operations &
  typeof deliveriesContract.operations &
  typeof mailContract.operations &
  typeof tasksContract.operations &
  typeof epicsContract.operations &
  typeof decisionsContract.operations &
  typeof toolsContract.operations &
  typeof serversContract.operations &
  typeof catalogueContract.operations &
  typeof providersContract.operations &
  typeof settingsContract.operations &
  typeof runsContract.operations &
  typeof usageContract.operations &
  typeof chatsContract.operations &
  typeof callersContract.operations &
  typeof inboxContract.operations &
  typeof hubContract.operations;

/** The query of an operation. Flags may be booleans. */
export type QueryOf<A extends keyof Api> = Api[A] extends { query: infer S extends z.ZodType }
  ? { [K in keyof z.input<S>]: z.input<S>[K] | (z.input<S>[K] extends Flag ? boolean : never) }
  : object;
type Flag = 'true' | 'false' | undefined;
/** The body of an operation. */
export type BodyOf<A extends keyof Api> = Api[A] extends { body: infer S extends z.ZodType } ? z.input<S> : undefined;
/** The reply of an operation. */
export type ReplyOf<A extends keyof Api> = OutputOf<Api[A]>;

/** The parts of a request; parts with no required fields are optional. */
type RequestTo<A extends keyof Api> = WhereNeeded<{
  params: PathParameters<A>;
  query: Sendable<QueryOf<A>>;
  body: Api[A] extends { isBodyOptional: true } ? BodyOf<A> | undefined : BodyOf<A>;
}> &
  HeadersOf<Api[A]> & {
    signal?: AbortSignal | undefined;
    /** Lets a small request finish even if the page closes. Deletions always do. */
    keepalive?: boolean | undefined;
    /** Waits as long as it takes: for what reads a whole log, or asks a provider page by page. */
    mayTakeLong?: boolean | undefined;
  };
/** Null and undefined are left out of the URL. */
type Sendable<T> = { [K in keyof T]: T[K] | null | undefined };
type WhereNeeded<T> = { [K in keyof T as IsOptional<T[K]> extends true ? never : K]: T[K] } & {
  [K in keyof T as IsOptional<T[K]> extends true ? K : never]?: T[K];
};
type IsOptional<T> = undefined extends T ? true : object extends T ? true : false;
interface HeadersOf<O extends Operation> {
  /** The expected revision, or null for any. */
  ifMatch?: O extends { takesIfMatch: true } ? number | null : never;
  /** Prevents a second execution when the same request is sent again. */
  idempotencyKey?: O extends { takesIdempotencyKey: true } ? string : never;
}

/** Sends one request to the hub. Throws an ApiError on any failure except an abort. */
export function request<A extends keyof Api>(
  address: A,
  ...[parts]: object extends RequestTo<A> ? [RequestTo<A>?] : [RequestTo<A>]
): Promise<ReplyOf<A>> {
  const [method = ''] = address.split(' ');
  const whole: AnyRequest<A> = { ...parts };
  return send(method, urlOf(address, whole), whole);
}

/** Returns the URL of an operation, for streams and downloads. */
export function urlOf<A extends keyof Api>(
  address: A,
  { params, query }: Pick<AnyRequest<A>, 'params' | 'query'>,
): string {
  const values = Object.entries({ ...query }).filter(([, value]) => value !== null && value !== undefined);
  const search = new URLSearchParams(values.map(([name, value]) => [name, String(value)])).toString();
  const path = address.slice(address.indexOf('/')).replace(/\{(\w+)\}/g, (_, name: string) =>
    // The type of the address names every parameter.
    encodeURIComponent((params as Record<string, string>)[name] ?? ''),
  );
  return search === '' ? path : `${path}?${search}`;
}

interface AnyRequest<A extends keyof Api = keyof Api> {
  params?: PathParameters<A>;
  query?: Sendable<QueryOf<A>>;
  body?: unknown;
  ifMatch?: number | null;
  idempotencyKey?: string;
  signal?: AbortSignal | undefined;
  keepalive?: boolean | undefined;
  mayTakeLong?: boolean | undefined;
}

/** The hub replies to most of what only reads within a minute, even while its database is away. What acts may take as long as a model or a tool does. */
const readTimeoutMs = 120_000;

async function send<T>(method: string, path: string, request: AnyRequest = {}): Promise<T> {
  const headers = new Headers({ accept: 'application/json' });
  if (request.body !== undefined || method === 'POST') headers.set('content-type', 'application/json');
  if (request.ifMatch !== undefined) headers.set('if-match', request.ifMatch === null ? '*' : `"${request.ifMatch}"`);
  if (request.idempotencyKey !== undefined) headers.set('idempotency-key', request.idempotencyKey);
  const body = request.body === undefined ? (method === 'POST' ? '{}' : null) : JSON.stringify(request.body);
  const timeout = method === 'GET' && !request.mayTakeLong ? AbortSignal.timeout(readTimeoutMs) : undefined;
  const signals = [request.signal, timeout].filter((signal) => signal !== undefined);
  let response: Response;
  try {
    const keepalive = request.keepalive ?? method === 'DELETE';
    response = await fetch(path, { method, headers, body, keepalive, signal: AbortSignal.any(signals) });
  } catch (cause) {
    if (request.signal?.aborted) throw cause;
    if (timeout?.aborted)
      throw new ApiError(0, {
        code: 'unreachable',
        message: 'The hub has not replied for two minutes. Check its log.',
      });
    throw new ApiError(0, { code: 'unreachable', message: 'Cannot reach the hub. Check that "zoo serve" is running.' });
  }
  const parsed = await readJson(response, request.signal);
  if (!response.ok) throw refused(method, path, new ApiError(response.status, errorIn(parsed, response)));
  // The hub's handlers are compiled against the same contract.
  return parsed as T;
}

/** Notes that this browser is not signed in. A rejected sign-in link does not mean that. */
function refused(method: string, path: string, error: ApiError): ApiError {
  const isLink = method === 'POST' && path === '/api/session';
  if (error.status === 401 && !isLink) noteSignedOut(error.message);
  return error;
}

/** Throws if a reply that should have a body has broken off: without it, the app would show nothing as if there were nothing. */
async function readJson(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
  try {
    return await response.json();
  } catch (cause) {
    if (signal?.aborted) throw cause;
    if (!response.ok || !response.headers.get('content-type')?.startsWith('application/json')) return undefined;
    throw new ApiError(0, {
      code: 'unreachable',
      message: 'The connection to the hub broke before its reply was complete.',
    });
  }
}

function errorIn(body: unknown, response: Response): ErrorBody['error'] {
  if (typeof body === 'object' && body !== null && 'error' in body) {
    const { error } = body;
    // Checked as far as the app reads it.
    if (typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string')
      return error as ErrorBody['error'];
  }
  return { code: 'internal_error', message: `The hub replied with ${response.status} ${response.statusText}`.trim() };
}
