import { guardedFetch } from '../../base/guarded-fetch.ts';
import { HubError } from '../../base/hub-error.ts';
import { type AddressRules, allowHosts } from '../../base/public-addresses.ts';
import type { HttpRequest, HttpResponse } from '../sandbox/lua-messages.ts';

const maxRedirects = 5;
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

interface ScriptHttpRules extends Pick<AddressRules, 'signal' | 'lookup'> {
  /** Private hosts that the script may reach. */
  allowedHosts: readonly string[];
}

/** Sends an HTTP request for a script. Throws INVALID_ARGUMENTS, PERMISSION_DENIED, UNAVAILABLE, TIMEOUT, TOO_LARGE. */
export async function luaHttp(request: HttpRequest, options: ScriptHttpRules): Promise<HttpResponse> {
  const reserved = Object.keys(request.headers).find((name) => connectionHeaders.has(name));
  if (reserved) throw new HubError('INVALID_ARGUMENTS', `Scripts cannot set the header "${reserved}".`);
  const { allowedHosts, signal, lookup } = options;
  const { status, headers, body } = await guardedFetch(request, {
    allows: allowHosts(allowedHosts),
    refuse: ({ host, what }) =>
      new HubError(
        'PERMISSION_DENIED',
        `${what}, which scripts may not reach. To allow it, add allow_hosts = ["${host}"] to the section of the script.`,
      ),
    signal,
    lookup,
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
