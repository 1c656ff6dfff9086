import { Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import { sendRequest, unpackedBody } from '../../base/http-request.ts';

export interface HttpFetchOptions {
  /** The headers are sent to this origin only. */
  origin: string;
  headers: Record<string, string>;
  /** Reads the reply before the SDK, and returns the Response that the SDK sees. */
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
 * Creates a `fetch` on Node's HTTP client. Its connections belong to one server and are closed with it. It never follows redirects;
 * the SDK follows them within the origin.
 */
export function createHttpFetch({ origin, headers, respond }: HttpFetchOptions): HttpFetch {
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
  return {
    fetch(address, init = {}) {
      const url = new URL(address);
      const sent = new Headers(init.headers);
      if (url.origin === origin) {
        // Headers that the protocol sets take precedence.
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

/** Converts headers to those of `fetch`. */
function webHeaders(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
    headers.append(incoming.rawHeaders[index] ?? '', incoming.rawHeaders[index + 1] ?? '');
  }
  return headers;
}

/** A decompressed reply, with matching headers. */
interface ReplyBody {
  body: Readable;
  headers: Headers;
}

/** Statuses without a body; a proxy may label an empty body as compressed. */
const withoutBody = new Set([202, 204, 205, 304]);

/** Decompresses a reply. Size limits apply to the decompressed bytes. Throws for an unknown compression. */
export async function replyBody(incoming: IncomingMessage): Promise<ReplyBody> {
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
