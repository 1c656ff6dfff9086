import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';

export interface HttpFetchOptions {
  /** Added to requests to this origin, and to no other. */
  origin: string;
  headers: Record<string, string>;
  /** Reads the answer instead of the SDK, or hands on a Response for it. */
  respond(request: HttpRequest, incoming: IncomingMessage): Response | Promise<Response>;
}

export interface HttpRequest {
  url: URL;
  method: string;
  headers: Headers;
  body: string | undefined;
}

export interface HttpFetch {
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  close(): void;
}

/**
 * `fetch` on Node's own client, with connections that belong to one server and end with it. It never follows a redirect
 * (the SDK does, within the origin), has no time limits of its own, and asks for no compression.
 */
export function createHttpFetch({ origin, headers, respond }: HttpFetchOptions): HttpFetch {
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
  return {
    fetch(address, init = {}) {
      const url = new URL(address);
      const sent = new Headers(init.headers);
      if (url.origin === origin) {
        // What the protocol sets itself stays.
        for (const [name, value] of Object.entries(headers)) if (!sent.has(name)) sent.set(name, value);
      }
      const body = init.body == null ? undefined : String(init.body);
      const request = { url, method: (init.method ?? 'GET').toUpperCase(), headers: sent, body };
      return exchange(request, { agents, signal: init.signal ?? undefined, respond });
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

interface Exchange {
  agents: { http: HttpAgent; https: HttpsAgent };
  signal: AbortSignal | undefined;
  respond: HttpFetchOptions['respond'];
}

function exchange(request: HttpRequest, { agents, signal, respond }: Exchange): Promise<Response> {
  const { url, method, headers, body } = request;
  const isSafe = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const send = isSafe ? requestHttps : requestHttp;
    const outgoing = send(url, {
      method,
      agent: isSafe ? agents.https : agents.http,
      headers: {
        ...Object.fromEntries(headers),
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
      ...(signal && { signal }),
    });
    // Also for errors after the first, which would end the process when nobody listens.
    outgoing.on('error', reject);
    outgoing.once('socket', hearErrors);
    outgoing.once('response', (incoming) => {
      // A connection that breaks later is heard by whoever reads the body.
      incoming.on('error', () => {});
      Promise.resolve(respond(request, incoming)).then(resolve, reject);
    });
    outgoing.end(body);
  });
}

const heard = new WeakSet<Socket>();

/** A request that is aborted between its answer and the return of its connection breaks one to which nobody listens. */
function hearErrors(socket: Socket): void {
  if (heard.has(socket)) return;
  heard.add(socket);
  socket.on('error', () => {});
}

/** Whole text of a body, up to a limit; null as soon as it is over. The connection is cut then. */
export async function readCapped(incoming: IncomingMessage, maxBytes: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      incoming.destroy();
      return null;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes).toString();
}

/** Headers as `fetch` gives them. */
export function webHeaders(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
    headers.append(incoming.rawHeaders[index] ?? '', incoming.rawHeaders[index + 1] ?? '');
  }
  return headers;
}
