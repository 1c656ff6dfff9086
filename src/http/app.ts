import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import { Hono } from 'hono';
import type { ContentfulStatusCode, StatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';
import { a2aRoutes } from '../a2a/a2a.routes.ts';
import { grantRoutes } from '../agents/agent-grants.routes.ts';
import { versionRoutes } from '../agents/agent-versions.routes.ts';
import { agentRoutes, contextRoutes } from '../agents/agents.routes.ts';
import { promptRoutes } from '../agents/prompts.routes.ts';
import { transferRoutes } from '../agents/transfer-agents.routes.ts';
import { workspaceRoutes } from '../agents/workspaces.routes.ts';
import { requestMs, tooLate } from '../base/deadlines.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import type { RequestBodies } from '../base/request-bodies.ts';
import { parseWith } from '../base/validate.ts';
import { brainRoutes } from '../brain/brain.routes.ts';
import { callerRoutes } from '../callers/callers.routes.ts';
import { type Identity, nameOf, nobody } from '../callers/callers.ts';
import type { Callers } from '../callers/create-callers.ts';
import { refuseRoute } from '../callers/refuse-route.ts';
import { chatRoutes } from '../chats/chats.routes.ts';
import { decisionRoutes } from '../decisions/decisions.routes.ts';
import type { Hub } from '../hub.ts';
import { inboxRoutes } from '../inbox/inbox.routes.ts';
import { knowledgeRoutes } from '../knowledge/knowledge.routes.ts';
import { providerRoutes } from '../models/providers.routes.ts';
import { runRoutes } from '../runs/runs.routes.ts';
import { catalogueRoutes } from '../servers/catalogue/catalogue.routes.ts';
import { serverRoutes } from '../servers/servers.routes.ts';
import { settingsRoutes } from '../settings/settings.routes.ts';
import { executeContract } from '../team/calls/execute.contract.ts';
import { deliveryRoutes } from '../team/events/deliveries.routes.ts';
import { mailRoutes } from '../team/mail/mail.routes.ts';
import { memberRoutes } from '../team/members/members.routes.ts';
import { workRoutes } from '../team/work/work.routes.ts';
import { toolRoutes } from '../tools/tools.routes.ts';
import { usageRoutes } from '../usage/usage.routes.ts';
import { docsPage, docsStyles } from './docs-page.ts';
import { type HubRouteParts, hubRoutes } from './hub.routes.ts';
import { logAct } from './log-act.ts';
import { buildOpenApi } from './open-api.ts';
import { type ActNote, type ApiContext, described, type Route } from './route.ts';
import { readIdempotencyKey, readJsonBody } from './server/read-request.ts';
import type { StaticFiles } from './server/static-files.ts';
import { Refusal, toErrorResponse } from './to-error-response.ts';

export interface AppParts extends HubRouteParts {
  /** Returns the address that a request came from, if it came over the network. Wrong credentials are logged where this is set. */
  addressOf?: (request: object) => string | undefined;
  files: StaticFiles;
  bodies: RequestBodies;
}

/** Returns all routes of the API, in the order of the OpenAPI document. */
export function apiRoutes(hub: Hub, parts: AppParts): Route[] {
  return [
    ...agentRoutes(hub),
    ...contextRoutes(hub),
    ...versionRoutes(hub),
    ...grantRoutes(hub),
    ...brainRoutes(hub),
    ...transferRoutes(hub),
    ...workspaceRoutes(hub),
    ...knowledgeRoutes(hub.knowledge),
    ...memberRoutes(hub),
    ...deliveryRoutes(hub.team),
    ...mailRoutes(hub),
    ...workRoutes(hub),
    ...decisionRoutes(hub.decisions),
    ...promptRoutes(hub.agents),
    ...a2aRoutes({ ...hub, url: parts.addressOf && parts.url }),
    ...toolRoutes(hub),
    ...serverRoutes({ servers: hub.servers, url: parts.url }),
    ...catalogueRoutes({ dataDir: hub.config.dataDir, clock: hub.clock }),
    ...providerRoutes(hub),
    ...settingsRoutes(hub.settings),
    ...usageRoutes(hub),
    ...runRoutes({ runs: hub.store.runs, chats: hub.chats, files: hub.store.chats }),
    ...chatRoutes({ chats: hub.chats, store: hub.store, clock: hub.clock, closing: parts.events.closing }),
    ...callerRoutes({ callers: hub.callers, agents: hub.agents, url: parts.url }),
    ...inboxRoutes(hub),
    ...hubRoutes(hub, parts),
  ];
}

export type AppListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Creates the listener for API and web app on Node's HTTP server. */
export function createAppListener(hub: Hub, parts: AppParts): AppListener {
  const { fetch } = createApp(hub, parts);
  const answer = getRequestListener(fetch, { overrideGlobalObjects: false, errorHandler: answerAdapterError });
  return async (request, response) => {
    await answer(request, response);
  };
}

/** Handles errors of the adapter, such as a path that is not valid in a URL. */
function answerAdapterError(error: unknown): Response {
  if (!(error instanceof RequestError)) return toErrorResponse(error);
  return toErrorResponse(new Refusal(400, 'bad_request', 'The address in the request line is not valid.'));
}

/** Creates the app with the API, its documentation and the web app. Does not handle `/mcp`. */
export function createApp(hub: Hub, parts: AppParts): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const routes = apiRoutes(hub, parts);
  const { callers, logger, recordAct } = hub;
  const answering = { callers, logger, recordAct, bodies: parts.bodies, addressOf: parts.addressOf };
  for (const route of routes)
    app.on(route.method, honoPath(route.path), (context) => answer(answering, route, context));

  const description = lastFor((url) =>
    buildOpenApi([...routes, ...described(executeContract)], { version: hub.version, url }),
  );
  app.get('/openapi.json', (context) => context.json(description(parts.url()), 200, { 'cache-control': 'no-cache' }));
  const page = lastFor((url) => docsPage(description(url), url));
  app.get('/docs', (context) => context.html(page(parts.url()), 200, { 'cache-control': 'no-cache' }));
  app.get('/docs/docs.css', (context) => context.body(docsStyles, 200, { 'content-type': 'text/css; charset=utf-8' }));

  const allowed = allowedMethods([
    ...routes,
    ...['/openapi.json', '/docs', '/docs/docs.css'].map((path) => ({ method: 'GET', path })),
  ]);
  app.notFound((context) => answerUnrouted({ files: parts.files, hub }, allowed, context));
  app.onError((error, context) => failed(hub.logger, error, context));
  return app;
}

type AnswerParts = Pick<Hub, 'callers' | 'logger' | 'recordAct'> & {
  bodies: RequestBodies;
  addressOf: AppParts['addressOf'];
};

async function answer(parts: AnswerParts, route: Route, context: ApiContext): Promise<Response> {
  let body: unknown;
  let isAdmitted = false;
  const act: ActNote = {};
  try {
    const params = readParams(context);
    const caller = await admitted(parts, route, context, params);
    isAdmitted = true;
    const isReading = context.req.method === 'GET' || context.req.method === 'HEAD';
    body = isReading ? undefined : await readJsonBody(parts.bodies, context.env, route.bodyLimits);
    context.header('cache-control', 'no-store');
    const reply = route.handle({
      context,
      caller,
      params,
      query: route.query ? parseWith(route.query, readQuery(context), { what: 'Query' }) : {},
      body: readBody(route, body),
      sent: body,
      once: route.takesIdempotencyKey
        ? { idempotencyKey: readIdempotencyKey(context.req.header('idempotency-key')) }
        : {},
      act,
      signal: context.req.raw.signal,
    });
    const response = toResponse(context, route, await (route.hasOwnLimits ? reply : inTime(reply, context.req)));
    if (response.ok) await logAct(parts, route, { params, body, note: act, by: actorOf(caller) });
    return response;
  } catch (error) {
    // A link that was used or is too old.
    if (isAdmitted && error instanceof HubError && error.code === 'UNAUTHENTICATED')
      await logRefusal(parts, route, context, { caller: undefined, error, params: {} });
    const response = failed(parts.logger, error, context, isAdmitted ? route.deniedCode : undefined);
    return route.toError?.(error, response.status, body) ?? response;
  }
}

/** Returns who sent the request. Throws UNAUTHENTICATED or PERMISSION_DENIED if the sender may not use the route. */
async function admitted(
  parts: AnswerParts,
  route: Route,
  context: ApiContext,
  params: Record<string, string>,
): Promise<Identity> {
  let caller: Identity | undefined;
  try {
    caller = await identified(parts.callers, route, context);
    refuseRoute(route, caller, params);
    return caller;
  } catch (error) {
    // Signed-out pages keep asking for data. Logging each of these requests would flood the log.
    const isAttempt = context.req.header('authorization') !== undefined || context.req.method !== 'GET';
    if (error instanceof HubError && isAttempt) await logRefusal(parts, route, context, { caller, error, params });
    throw error;
  }
}

interface RefusedRequest {
  /** Undefined if the credential is wrong. */
  caller: Identity | undefined;
  error: HubError;
  params: Record<string, string>;
}

async function logRefusal(
  { addressOf, recordAct }: AnswerParts,
  { method, path, summary }: Route,
  context: ApiContext,
  { caller, error, params }: RefusedRequest,
): Promise<void> {
  const address = addressOf?.(context.env.incoming);
  // Over the network, wrong credentials have an entry already.
  if (address !== undefined && !caller) return;
  await recordAct({
    surface: 'http',
    by: actorOf(caller ?? nobody),
    act: `${method} ${path}`,
    isRefusal: true,
    summary: `Refused (${error.code}): ${summary}`,
    target: Object.values(params).join(' / ') || undefined,
    after: address === undefined ? undefined : { address },
  });
}

/** Returns the caller as the log names it. */
function actorOf(caller: Identity): { kind: Identity['kind']; name: string | null } {
  return { kind: caller.kind, name: nameOf(caller) };
}

async function identified(callers: Callers, route: Route, context: ApiContext): Promise<Identity> {
  try {
    return await callers.identify(context.env.incoming);
  } catch (error) {
    if (route.right === 'none' && error instanceof HubError && error.code !== 'RATE_LIMITED') return nobody;
    throw error;
  }
}

/** Validates the body by its contract. */
function readBody(route: Route, body: unknown): unknown {
  if (!route.body) return body;
  if (body === undefined && !route.isBodyOptional) {
    throw new HubError('INVALID_ARGUMENTS', 'The body is empty. Send JSON.');
  }
  if (route.isBodyPassedOn) return body;
  return parseWith(route.body, route.isBodyOptional ? (body ?? {}) : body);
}

function toResponse(context: ApiContext, { output, status = 200 }: Route, reply: unknown): Response {
  if (reply instanceof Response) return reply;
  // Contracts pair statuses and bodies correctly.
  return output ? context.json(reply, status as ContentfulStatusCode) : context.body(null, status as StatusCode);
}

function failed(logger: Logger, error: unknown, context: ApiContext, deniedCode?: string): Response {
  const isExpected = error instanceof Refusal || (error instanceof HubError && error.code !== 'INTERNAL_ERROR');
  if (!isExpected) {
    const { method, path } = context.req;
    logger.error({ err: error, method, path: path.slice(0, 200) }, 'request failed unexpectedly');
  }
  return toErrorResponse(error, { deniedCode });
}

/** Takes the last value of a repeated parameter. */
function readQuery(context: ApiContext): z.input<z.ZodObject> {
  return Object.fromEntries(new URL(context.req.url).searchParams);
}

/** Rejects NUL characters, which PostgreSQL does not accept. */
function readParams(context: ApiContext): Record<string, string> {
  const params = context.req.param();
  const bad = Object.entries(params).find(([, value]) => value.includes('\0'));
  if (!bad) return params;
  throw new HubError(
    'NOT_FOUND',
    `The parameter ${bad[0]} in this address contains a NUL character, which is not allowed.`,
  );
}

const apiPaths = /^\/(?:api|agents|tools|health|ready|metrics|oauth|openapi\.json|docs|mcp)(?:\/|$)/;

/** Whether a browser asks for a page of the web app. Its tool screens share the path /tools with the API. */
function isScreen(context: ApiContext): boolean {
  const { path, method } = context.req;
  if (method !== 'GET' && method !== 'HEAD') return false;
  return /^\/tools(?:\/|$)/.test(path) && Boolean(context.req.header('accept')?.includes('text/html'));
}

/** Handles requests that match no route: files of the web app, OPTIONS, and errors. */
async function answerUnrouted(
  { files, hub }: { files: StaticFiles; hub: Pick<Hub, 'callers' | 'recordAct'> },
  allowed: AllowedMethods,
  context: ApiContext,
): Promise<Response> {
  const { path, method } = context.req;
  const isReading = method === 'GET' || method === 'HEAD';
  const isApi = apiPaths.test(path) && !isScreen(context);
  if (!isApi && isReading) {
    const file = await files.answer(context.req.raw);
    if (file) return opensApp(context) ? withClaim(hub, context, file) : file;
  }
  const methods = isApi ? allowed(path) : 'GET, HEAD, OPTIONS';
  if (method === 'OPTIONS' && methods) return new Response(null, { status: 204, headers: { allow: methods } });
  if (methods && !(isReading && !isApi)) {
    const refusal = new Refusal(
      405,
      'method_not_allowed',
      `${method} is not allowed on ${path.slice(0, 200)}. Allowed: ${methods}.`,
      {
        allow: methods,
      },
    );
    return toErrorResponse(refusal);
  }
  const hint = isApi ? ' GET /openapi.json lists all operations.' : '';
  return toErrorResponse(new HubError('NOT_FOUND', `Nothing found at ${path.slice(0, 200)}.${hint}`));
}

/** Whether a person opens a page of the web app in a browser. */
function opensApp({ req }: ApiContext): boolean {
  return (
    req.method === 'GET' && req.header('sec-fetch-dest') === 'document' && req.header('sec-fetch-mode') === 'navigate'
  );
}

/** Signs in the first browser that opens a new installation. If the database fails, the browser stays signed out. */
async function withClaim(
  { callers, recordAct }: Pick<Hub, 'callers' | 'recordAct'>,
  context: ApiContext,
  page: Response,
): Promise<Response> {
  const claimed = await callers.claim(context.env.incoming).catch(() => undefined);
  if (!claimed) return page;
  page.headers.append('set-cookie', claimed.cookie);
  await recordAct({
    surface: 'web',
    act: 'claim',
    summary: 'Claim this new installation',
    target: claimed.browser,
  });
  return page;
}

type AllowedMethods = (path: string) => string | undefined;

function allowedMethods(routes: readonly { method: string; path: string }[]): AllowedMethods {
  const byPath = Map.groupBy(routes, (route) => route.path);
  const patterns = [...byPath].map(([path, same]) => {
    const methods = same.map((route) => route.method);
    if (methods.includes('GET')) methods.splice(methods.indexOf('GET') + 1, 0, 'HEAD');
    return { pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`), methods };
  });
  return (path) => {
    const methods = patterns.filter(({ pattern }) => pattern.test(path)).flatMap((each) => each.methods);
    return methods.length === 0 ? undefined : [...new Set([...methods, 'OPTIONS'])].join(', ');
  };
}

function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/** Creates a value for an address, and again if the address has changed. */
function lastFor<T>(create: (url: string) => T): (url: string) => T {
  let last: { url: string; value: T } | undefined;
  return (url) => {
    if (last?.url !== url) last = { url, value: create(url) };
    return last.value;
  };
}

/** Resolves to the reply, or rejects with UNAVAILABLE after the time limit. The handler continues; for a write, the error says so. */
export async function inTime<T>(
  reply: T | Promise<T>,
  { method, path }: { method: string; path: string },
  limitMs = requestMs,
): Promise<T> {
  if (!(reply instanceof Promise)) return reply;
  const late = Promise.withResolvers<never>();
  const mayHaveRun = method !== 'GET' && method !== 'HEAD';
  const error = () => tooLate(`${method} ${path.slice(0, 200)}`, { limitMs, mayHaveRun });
  const timer = setTimeout(() => late.reject(error()), limitMs);
  try {
    return await Promise.race([reply, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
