import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { readCapped } from '../../base/http-request.ts';
import type { ServerDefinition } from '../../servers/server-definition.ts';
import { FloodGuard, type MessageTap, receiveText } from '../connection/message-tap.ts';
import type { LogLines } from '../process/server-output.ts';
import { filterEvents } from './filter-events.ts';
import { createHttpFetch, type HttpFetch, type HttpRequest, replyBody } from './http-fetch.ts';

export type HttpDefinition = Exclude<ServerDefinition, { transport: 'stdio' }>;

export interface HttpTransportOptions {
  definition: HttpDefinition;
  tap: MessageTap;
  log: LogLines;
  /** Adds the OAuth tokens. */
  auth: { wrap(fetch: HttpFetch['fetch']): HttpFetch['fetch'] } | undefined;
  /** Called when the connection is lost. `head` is the beginning of a message that was too large, and `call` the call it answered; without `head`, `call` was refused. */
  onLost(reason: string, head?: string, call?: number): void;
}

export interface HttpTransport {
  transport: SSEClientTransport | StreamableHTTPClientTransport;
  /** Terminates the server's session, if there is one, and closes all connections. */
  close(): Promise<void>;
}

const maxErrorBytes = 65_536;
const terminateMs = 1_000;

/** Creates the SDK's HTTP transport on top of our own `fetch`, which adds credentials, enforces limits and feeds the tap. */
export function createHttpTransport(options: HttpTransportOptions): HttpTransport {
  const { definition, auth } = options;
  const url = new URL(definition.url);
  const reader = new ReplyReader(options);
  const http = createHttpFetch({
    origin: url.origin,
    headers: { ...definition.headers, ...authHeaders(definition) },
    respond: (request, incoming) => reader.respond(request, incoming),
  });
  const plain: HttpFetch['fetch'] = (address, init) =>
    http.fetch(address, init).catch((error) => {
      reader.onFailed(init?.method ?? 'GET', error);
      throw error;
    });
  const fetch = auth?.wrap(plain) ?? plain;
  const transport =
    definition.transport === 'sse'
      ? new SSEClientTransport(url, { fetch })
      : new StreamableHTTPClientTransport(url, { fetch });
  return {
    transport,
    async close() {
      reader.isClosing = true;
      if (transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined) {
        await withinTime(transport.terminateSession());
      }
      await transport.close();
      http.close();
    },
  };
}

function authHeaders({ auth }: HttpDefinition): Record<string, string> {
  switch (auth?.type) {
    case 'bearer':
      return { Authorization: `Bearer ${auth.token}` };
    case 'api-key':
      return { [auth.header]: auth.key };
    case 'headers':
      return auth.headers;
    default:
      return {};
  }
}

/** Does not wait long for a server that does not respond. */
async function withinTime(terminating: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, terminateMs);
  });
  await Promise.race([terminating.catch(() => {}), tooLate]);
  clearTimeout(timer);
}

/** Reads the replies to the requests of one connection: JSON, event streams and errors. */
class ReplyReader {
  isClosing = false;
  readonly #options: HttpTransportOptions;
  readonly #guard: FloodGuard;
  #hadStream = false;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#guard = new FloodGuard(options.log, (reason) => this.#lose(reason));
  }

  async respond(request: HttpRequest, incoming: IncomingMessage): Promise<Response> {
    const status = incoming.statusCode ?? 0;
    const { body, headers } = await replyBody(incoming);
    const init = { status, statusText: incoming.statusMessage ?? '', headers };
    const hasNoBody = status === 204 || status === 205 || status === 304;
    if (
      request.url.origin !== new URL(this.#options.definition.url).origin ||
      status < 200 ||
      status > 299 ||
      hasNoBody
    ) {
      const text = await readCapped(body, maxErrorBytes).catch((error: unknown) => {
        // The status is enough if the body cannot be decompressed.
        if (body === incoming) throw error;
        return '';
      });
      if (isSessionLost(request, status, text ?? '', this.#hadStream))
        this.#lose('The server no longer recognizes the session.', callOf(request));
      return new Response(hasNoBody ? null : text, init);
    }
    const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
    if (type === 'text/event-stream') return this.#events(request, body, init);
    const text = await readCapped(body, this.#options.definition.maxMessageBytes).catch((error: unknown) => {
      throw body === incoming ? error : new Error('It sent a reply with broken compression.', { cause: error });
    });
    if (text === null) throw this.#tooLarge('', callOf(request));
    return type === 'application/json' && request.method === 'POST' && this.#takes(text, request)
      ? new Response(null, { status: 202 })
      : new Response(text, init);
  }

  /** Handles a request that got no reply at all. */
  onFailed(method: string, error: unknown): void {
    const code = (error as { code?: unknown }).code;
    if (code === 'ECONNREFUSED' && (method !== 'GET' || this.#hadStream)) {
      // The request's own error comes first and is more precise.
      setImmediate(() => this.#lose('Nothing is listening at its address any more.'));
    }
  }

  /** Feeds a reply to the tap. Returns true if nothing is left for the SDK. */
  #takes(text: string, request: HttpRequest): boolean {
    let isLeft = false;
    const { received } = receiveText({
      text,
      bytes: Buffer.byteLength(text),
      tap: this.#options.tap,
      call: callOf(request),
      deliver: () => {
        isLeft = true;
      },
    });
    return received !== 'garbage' && !isLeft;
  }

  #events(request: HttpRequest, body: Readable, init: ResponseInit): Response {
    const { definition, tap } = this.#options;
    const isLifeline = isLifelineOf(request, definition.transport);
    if (request.method === 'GET') this.#hadStream = true;
    const call = callOf(request);
    const filtered = filterEvents({
      chunks: body,
      maxBytes: definition.maxMessageBytes,
      tap,
      call,
      keepsIds: definition.transport !== 'sse',
      onTooLarge: (head) => {
        body.destroy();
        this.#tooLarge(head, call);
      },
      onReceived: (count, text) => this.#guard.count(count, text),
    });
    const lose = (reason: string) => this.#lose(reason);
    const watched = async function* () {
      try {
        yield* filtered;
        if (isLifeline) lose('It closed its message stream.');
      } catch (error) {
        if (isLifeline) lose('Its message stream broke.');
        throw error;
      }
    };
    return new Response(streamOf(watched(), body), init);
  }

  #tooLarge(head: string, call: number | undefined): Error {
    const { maxMessageBytes } = this.#options.definition;
    const reason = `It sent a message of more than ${maxMessageBytes} bytes (max_message_bytes).`;
    if (!this.isClosing) this.#options.onLost(reason, head, call);
    return new Error(reason);
  }

  #lose(reason: string, refused?: number): void {
    if (!this.isClosing) this.#options.onLost(reason, undefined, refused);
  }
}

function streamOf(chunks: AsyncGenerator<Uint8Array<ArrayBuffer>>, body: Readable): ReadableStream {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel() {
      body.destroy();
    },
  });
}

/** Tells whether losing this stream cuts us off from the server. The SDK does not fully restore such a stream. */
function isLifelineOf(request: HttpRequest, transport: HttpDefinition['transport']): boolean {
  return transport === 'sse' ? request.method === 'GET' : methodOf(request) === 'subscriptions/listen';
}

/** A restarted server has forgotten the session. Some reply with 400 and mention the session in the text. */
function isSessionLost(request: HttpRequest, status: number, text: string, hadStream: boolean): boolean {
  if (!request.headers.has('mcp-session-id') || request.method === 'DELETE') return false;
  if (status === 404) return request.method === 'POST' || hadStream;
  return status === 400 && /session/i.test(text);
}

/** Returns the request id in a body; the SDK and our own code write it at the same position. */
function callOf({ body }: HttpRequest): number | undefined {
  const id = body === undefined ? undefined : /^\{"jsonrpc":"2\.0","id":(\d+),/.exec(body.slice(0, 60))?.[1];
  return id === undefined ? undefined : Number(id);
}

function methodOf({ body }: HttpRequest): string | undefined {
  return body === undefined ? undefined : /"method":"([^"]{1,100})"/.exec(body.slice(0, 200))?.[1];
}
