import { Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import { sendRequest, unpackedBody } from '../../base/http-request.ts';

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
 * (the SDK does, within the origin).
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
      const { signal } = init;
      const sending = sendRequest({ ...request, headers: Object.fromEntries(sent), agents, ...(signal && { signal }) });
      return sending.then((incoming) => respond(request, incoming));
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** Headers as `fetch` gives them. */
function webHeaders(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
    headers.append(incoming.rawHeaders[index] ?? '', incoming.rawHeaders[index + 1] ?? '');
  }
  return headers;
}

/** An answer as its server meant it, with headers that fit what is read. */
interface AnswerBody {
  body: Readable;
  headers: Headers;
}

/** Answers that need no body; a proxy may call an empty one compressed. */
const withoutBody = new Set([202, 204, 205, 304]);

/** Limits hold for what is unpacked: whoever reads stops, and the connection is cut. Throws for a compression that is not known. */
export async function answerBody(incoming: IncomingMessage): Promise<AnswerBody> {
  const headers = webHeaders(incoming);
  const isEmpty = withoutBody.has(incoming.statusCode ?? 0) || headers.get('content-length') === '0';
  if (isEmpty || !headers.has('content-encoding')) return { body: incoming, headers };
  try {
    const body = await unpackedBody(incoming);
    headers.delete('content-encoding');
    headers.delete('content-length');
    return { body, headers };
  } catch (error) {
    incoming.destroy();
    throw error;
  }
}
