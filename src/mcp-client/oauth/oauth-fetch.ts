import { readCapped } from '../../base/http-request.ts';
import { HubError } from '../../base/hub-error.ts';
import { createHttpFetch, type HttpFetch, replyBody } from '../http/http-fetch.ts';
import type { HttpDefinition } from '../http/http-transport.ts';

const maxBytes = 1_048_576;
const maxMs = 30_000;
const privateHost =
  /^(?:localhost|.*\.localhost|0\.|127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|\[(?:::|f[cd]|fe[89ab]))/i;

/**
 * Creates a `fetch` for signing in, whose URLs come from a server. It limits size and time, and a server on the internet cannot make it
 * call a private address.
 */
export function createOAuthFetch(name: string, definition: HttpDefinition, signal?: AbortSignal): HttpFetch {
  const server = new URL(definition.url);
  const { authorization: _, ...headers } = lowerCase(definition.headers);
  const http = createHttpFetch({
    origin: server.origin,
    headers,
    async respond({ url }, incoming) {
      const status = incoming.statusCode ?? 0;
      const isEmpty = status === 204 || status === 205 || status === 304;
      const { body, headers } = await replyBody(incoming);
      const isStream = headers.get('content-type')?.startsWith('text/event-stream');
      if (isStream) body.destroy();
      const text = isStream ? '' : await readCapped(body, maxBytes);
      if (text === null) {
        throw new HubError(
          'UNAVAILABLE',
          `${url.origin} sent more than ${maxBytes} bytes while signing in to "${name}".`,
        );
      }
      return new Response(isEmpty ? null : text, { status, headers });
    },
  });
  return {
    async fetch(address, init) {
      const url = new URL(address);
      if (privateHost.test(url.hostname) && !privateHost.test(server.hostname)) {
        throw new HubError(
          'PERMISSION_DENIED',
          `Server "${name}" names ${url.origin} for signing in, which is a private address. It was not called.`,
        );
      }
      const limit = AbortSignal.timeout(maxMs);
      return http.fetch(url, {
        ...init,
        signal: AbortSignal.any([limit, signal, init?.signal].filter((each) => !!each)),
      });
    },
    close: () => http.close(),
  };
}

function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
