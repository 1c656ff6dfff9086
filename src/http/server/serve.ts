import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isLoopbackHost } from '../../base/address-ranges.ts';
import { HubError } from '../../base/hub-error.ts';
import { once } from '../../base/lazy.ts';
import type { Logger } from '../../base/logger.ts';
import { RequestBodies } from '../../base/request-bodies.ts';
import { Slots } from '../../base/slots.ts';
import { beat } from '../../base/write-events.ts';
import type { Callers } from '../../callers/create-callers.ts';
import type { Hub } from '../../hub.ts';
import { createMcpHttpHandler } from '../../mcp-server/http/http.ts';
import { servedAgentOf } from '../../mcp-server/http/http-request.ts';
import { createExecuteHandler } from '../../team/calls/execute.routes.ts';
import type { StdioCommand } from '../connect-clients.ts';
import { liveEvents } from '../live-events.ts';
import { Refusal, toErrorReply } from '../to-error-response.ts';
import type { Door } from './door.ts';
import { checkRequest } from './guards.ts';
import { SecureResponse, securityHeaders } from './security-headers.ts';
import { findWebRoot, staticFiles } from './static-files.ts';

export interface ServeOptions {
  /** A loopback address or localhost; any other needs a certificate or a proxy, in `door`. */
  host: string;
  /** 0 selects a free port. */
  port: number;
  /** The folder of the built web app. */
  webRoot?: string;
  /** The command with which clients start this hub on stdio, shown on the Connect page. */
  stdioCommand?: StdioCommand;
  /** How the hub is reached. Default: `[server]` of the config. */
  door?: Hub['door'];
  /** Serves only this agent: its tools as an MCP server, and its A2A card and endpoint. */
  onlyAgent?: string;
}

export interface HttpServer {
  /** The address that browsers and clients use, without a trailing slash. */
  readonly url: string;
  /** Whether the first browser of a new installation is signed in by itself. */
  canClaim(): Promise<boolean>;
  port: number;
  /** The number of running requests, without open event streams. */
  readonly running: number;
  /** From now on, `/ready` says that the hub is stopping. Everything is still served. */
  retire(): void;
  /** Gives running calls a few seconds to finish, then ends streams and closes connections. */
  close(): Promise<void>;
}

const graceMs = 5_000;
/** How often the database is checked while pages are open. */
const checkDatabaseMs = 3_000;

/**
 * Serves web app, API and MCP on one port. Throws INVALID_CONFIG for an address beyond loopback without TLS or a proxy, UNAVAILABLE if
 * the port is taken.
 */
export async function serveHttp(opened: Hub, options: ServeOptions): Promise<HttpServer> {
  const door = await openDoor(opened, options);
  const hub = door?.hub ?? opened;
  const bodies = new RequestBodies();
  const mcp = createMcpHttpHandler(hub, bodies);
  const execute = createExecuteHandler(hub, bodies);
  const events = liveEvents(hub);
  // The store reports what a check finds, so that pages learn when the database is lost and when it is back.
  void beat(hub.clock, events.closing, () => (events.clients > 0 ? hub.ready() : undefined), checkDatabaseMs);
  // Made on the first start, so that `zoo key` and this process agree on it. Without it, nobody can administer.
  await hub.callers.ownerKey();
  const address = {
    port: options.port,
    /** The first name of the certificate may change while the hub runs. */
    get url() {
      return door?.url ?? `http://${at(options.host, this.port)}`;
    },
  };
  const running = new RunningRequests(hub.logger);
  const parts = {
    url: () => address.url,
    ...(door && { addressOf: (request: object) => door.addressOf(request) }),
    stdioCommand: options.stdioCommand ?? { command: 'zoo', args: ['mcp'] },
    events,
    isStopping: () => running.isStopping,
    files: staticFiles(options.webRoot ?? findWebRoot()),
    bodies,
  };
  /** Loads the routes with the first request, because a hub that only serves MCP does not need them. */
  const listener = once(async () => (await import('../app.ts')).createAppListener(hub, parts));

  // Joins duplicate headers so that the checks reject them.
  const httpOptions = { requireHostHeader: false, joinDuplicateHeaders: true, ServerResponse: SecureResponse };
  const onRequest = (request: IncomingMessage, response: SecureResponse) => {
    running.track(response);
    dispatch(request, response).catch((error: unknown) => {
      hub.logger.error({ err: error }, 'request failed unexpectedly');
      refuse(response, error);
    });
  };
  const server = door ? door.createServer(httpOptions, onRequest) : createServer(httpOptions, onRequest);
  async function dispatch(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (running.isClosing) throw new Refusal(503, 'unavailable', 'The hub is closing.', { connection: 'close' });
      if (door) door.check(request);
      else checkRequest(request, address.port);
    } catch (error) {
      return refuse(response, error);
    }
    const { url = '' } = request;
    if (options.onlyAgent !== undefined && addressedAgent(url) !== options.onlyAgent)
      return refuse(response, notServed(options.onlyAgent));
    if (isMcp(url)) return mcp.handle(request, response);
    const answer = isExecute(request) ? execute : await listener();
    await answer(request, response);
  }
  const stopWatching = hub.changes.on(['keys'], () => running.endRevoked((door ?? hub).callers));
  server.on('clientError', answerClientError);

  try {
    address.port = await listen(server, options);
  } catch (error) {
    events.close();
    door?.close();
    await mcp.close();
    throw error;
  }
  door?.openAt(address.port);
  return {
    port: address.port,
    get url() {
      return address.url;
    },
    canClaim: () => hub.callers.canClaim(),
    get running() {
      return running.count;
    },
    retire() {
      running.isStopping = true;
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      running.isClosing = true;
      stopWatching();
      door?.close();
      events.close();
      const grace = AbortSignal.timeout(graceMs);
      await running.finished(grace);
      await Promise.race([mcp.close(), aborted(grace)]);
      server.closeAllConnections();
      await closed;
    },
  };
}

function notServed(agentId: string): HubError {
  return new HubError('NOT_FOUND', `This server offers only the agent "${agentId}", at /agents/${agentId}/mcp.`);
}

/** Returns the agent of an address over which other programs use an agent. */
function addressedAgent(url: string): string | undefined {
  return /^\/agents\/([^/?#]+)\/(?:mcp|a2a|\.well-known\/agent-card\.json)(?:\?|$)/.exec(url)?.[1];
}

function isMcp(url: string): boolean {
  return url === '/mcp' || url.startsWith('/mcp?') || servedAgentOf(url) !== undefined;
}

function isExecute({ url = '' }: IncomingMessage): boolean {
  return url === '/mcp/execute' || url.startsWith('/mcp/execute?');
}

/** Loads the code for TLS and proxies. A hub on loopback that uses neither does not need it. */
async function openDoor(hub: Hub, { host, door = hub.door }: ServeOptions): Promise<Door<Hub> | undefined> {
  if (isLoopbackHost(host) && !door.certificate && door.publicUrl === undefined) return undefined;
  const { Door } = await import('./door.ts');
  return Door.open(hub, host, door);
}

function listen(
  server: Server<typeof IncomingMessage, typeof SecureResponse>,
  { host, port }: ServeOptions,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen({ host, port }, () => {
      // A server that listens on a port has an AddressInfo.
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Formats host and port for a URL and for `--bind`. */
function at(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): HubError {
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is already in use, perhaps by another zoo. Stop it, or choose another port: --bind ${at(host, port < 65_535 ? port + 1 : 7331)}.`,
    EACCES: `This process has no permission to listen on port ${port} of ${host}. Choose a port above 1023: --bind ${at(host, 7331)}.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Bind to 127.0.0.1 instead.`,
  };
  const message =
    reasons[error.code ?? ''] ?? `Could not listen on ${at(host, port)} (${error.code ?? 'unknown reason'}).`;
  return new HubError('UNAVAILABLE', message, { cause: error });
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, body } = toErrorReply(error);
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers });
  response.end(JSON.stringify(body));
}

const notHttp = { status: '400 Bad Request', code: 'bad_request', message: 'This is not a valid HTTP request.' };
const clientErrors: Record<string, typeof notHttp> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    code: 'bad_request',
    message: 'The headers are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    code: 'timeout',
    message: 'The request did not arrive in time.',
  },
};

/** Replies to requests that Node could not parse. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, code, message } = clientErrors[error.code ?? ''] ?? notHttp;
  const body = JSON.stringify({ error: { code, message } });
  const headers = Object.entries({
    ...securityHeaders,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  });
  socket.end(`HTTP/1.1 ${status}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`);
}

/** Tracks running requests, so that closing can wait for them. */
class RunningRequests {
  readonly #responses = new Slots<SecureResponse>();
  readonly #logger: Logger;
  #onEmpty: () => void = () => {};
  isStopping = false;
  isClosing = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  track(response: SecureResponse): void {
    const slot = this.#responses.add(response);
    response.once('close', () => {
      this.#responses.remove(slot);
      const { method, url = '' } = response.req;
      // Logs no query, because it may contain a secret.
      this.#logger.debug({ method, path: url.split('?', 1)[0], status: response.statusCode }, 'request ended');
      if (this.isClosing) this.#hasEnded();
    });
  }

  /** Resolves when all requests have ended. Does not wait for event streams, which their owners end. */
  async finished(giveUp: AbortSignal): Promise<void> {
    const ended = new Promise<void>((resolve) => (this.#onEmpty = resolve));
    this.#hasEnded();
    await Promise.race([ended, aborted(giveUp)]);
  }

  /** Ends the streams whose key or session is no longer valid. Other requests are judged when they begin. */
  endRevoked(callers: Pick<Callers, 'identify'>): void {
    for (const response of this.#responses) {
      const { authorization, cookie } = response.req.headers;
      if (!response.isStream || (authorization === undefined && cookie === undefined)) continue;
      Promise.try(() => callers.identify(response.req)).catch((error: unknown) => {
        // Other errors, such as an unavailable database, do not mean that the credential is invalid.
        if (error instanceof HubError && error.code === 'UNAUTHENTICATED') response.destroy();
      });
    }
  }

  get count(): number {
    let count = 0;
    for (const response of this.#responses) if (!response.isStream) count += 1;
    return count;
  }

  #hasEnded(): void {
    if (this.count === 0) this.#onEmpty();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
