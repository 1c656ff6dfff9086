import { guardedFetch } from '../../base/guarded-fetch.ts';
import { HubError } from '../../base/hub-error.ts';
import { type AddressRules, allowHosts } from '../../base/public-addresses.ts';
import type { LuaHost } from '../sandbox/lua-job.ts';
import type { HttpRequest, HttpResponse } from '../sandbox/lua-messages.ts';

const maxRedirects = 10;
const maxBytes = 10 * 1024 * 1024;
/** Headers that the connection sets and scripts may not. */
const connectionHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
]);

type ScriptHttpRules = Pick<AddressRules, 'signal' | 'lookup'> &
  Pick<LuaHost, 'allowedHosts' | 'section' | 'onRequest'>;

/** Sends an HTTP request for a script. Throws INVALID_ARGUMENTS, PERMISSION_DENIED, UNAVAILABLE, TIMEOUT, TOO_LARGE. */
export async function luaHttp(request: HttpRequest, options: ScriptHttpRules): Promise<HttpResponse> {
  const { method } = request;
  let hasArrived = false;
  const onRedirect = () => {
    hasArrived = true;
  };
  try {
    const response = await send(request, { ...options, onRedirect });
    options.onRequest?.({ method, hasArrived: true });
    return response;
  } catch (error) {
    if (error instanceof HubError) options.onRequest?.({ method, hasArrived, error });
    throw error;
  }
}

async function send(request: HttpRequest, options: ScriptHttpRules & { onRedirect(): void }): Promise<HttpResponse> {
  const reserved = Object.keys(request.headers).find((name) => connectionHeaders.has(name));
  if (reserved) throw new HubError('INVALID_ARGUMENTS', `Scripts cannot set the header "${reserved}".`);
  const { allowedHosts, section, signal, lookup, onRedirect } = options;
  const where = section === undefined ? 'the section of the script' : `[${section}]`;
  const { status, headers, body } = await guardedFetch(request, {
    allows: allowHosts(allowedHosts),
    refuse: ({ host, what }) =>
      new HubError(
        'PERMISSION_DENIED',
        `${what}, which scripts may not reach. To allow it, add allow_hosts = ["${host}"] to ${where}.`,
      ),
    signal,
    lookup,
    onRedirect,
    maxRedirects,
    maxBytes,
    timeoutMs: request.timeoutMs ?? Number.POSITIVE_INFINITY,
  });
  return { status, headers: flatHeaders(headers), body };
}

function flatHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}
