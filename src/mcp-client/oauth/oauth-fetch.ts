import { isIP } from 'node:net';
import { guardedFetch } from '../../base/guarded-fetch.ts';
import { HubError } from '../../base/hub-error.ts';
import {
  type AddressRules,
  allowHosts,
  checkedAddresses,
  hostOf,
  isPublicAddress,
} from '../../base/public-addresses.ts';
import type { HttpFetch } from '../http/http-fetch.ts';
import type { HttpDefinition } from '../http/http-transport.ts';

const maxBytes = 1_048_576;
const timeoutMs = 30_000;

interface OAuthFetchOptions extends Pick<AddressRules, 'lookup'> {
  signal?: AbortSignal | undefined;
}

/**
 * Creates a `fetch` for signing in, whose URLs come from a server. It follows no redirects, limits size and time, and calls a private
 * address only where the user added the server, or where `allowHosts` of its `auth` names it.
 */
export function createOAuthFetch(
  name: string,
  definition: HttpDefinition,
  { signal, lookup }: OAuthFetchOptions = {},
): HttpFetch['fetch'] {
  const { origin } = new URL(definition.url);
  const { authorization: _, ...ownHeaders } = lowerCase(definition.headers);
  return async (address, init = {}) => {
    const url = new URL(address);
    const body = init.body == null ? undefined : Buffer.from(String(init.body));
    const signals = [signal, init.signal].filter((each) => !!each);
    const reply = await guardedFetch(
      {
        url,
        method: (init.method ?? 'GET').toUpperCase(),
        // The headers of the definition are for the server alone.
        headers: { ...(url.origin === origin && ownHeaders), ...Object.fromEntries(new Headers(init.headers)) },
        body,
      },
      {
        ...addressRules(name, definition, url),
        signal: AbortSignal.any(signals),
        lookup,
        maxRedirects: 0,
        maxBytes,
        timeoutMs,
        wantsBody: (headers) => !headers['content-type']?.startsWith('text/event-stream'),
      },
    ).catch((error: unknown) => {
      throw withServer(name, error);
    });
    return toResponse(reply);
  };
}

/** Checks a page that the user's browser is to open by the same rules: a server must not send it to a private address either. */
export async function checkSignInPage(
  name: string,
  definition: HttpDefinition,
  { url, signal, lookup }: { url: URL; signal: AbortSignal } & Pick<AddressRules, 'lookup'>,
): Promise<void> {
  await checkedAddresses(url, { ...addressRules(name, definition, url), signal, lookup }).catch((error: unknown) => {
    // A name that only the browser can resolve is left to the browser.
    if (!(error instanceof HubError) || error.code !== 'UNAVAILABLE') throw error;
  });
}

function addressRules(name: string, definition: HttpDefinition, url: URL): Pick<AddressRules, 'allows' | 'refuse'> {
  const server = new URL(definition.url);
  const { auth } = definition;
  const allowed = auth?.type === 'oauth' ? (auth.allowHosts ?? []) : [];
  return {
    allows: url.origin === server.origin ? () => true : anyOf(allowMachineOf(server), allowHosts(allowed)),
    refuse: ({ host, what }) => refusal(name, url, host, what),
  };
}

/**
 * A server that was added at a private address, such as http://127.0.0.1:3000, may sign in at another port of the same machine. A
 * server that was added by name may not: whoever owns a name decides what it resolves to.
 */
function allowMachineOf(server: URL): AddressRules['allows'] {
  const own = hostOf(server);
  if (isLoopback(own)) return isLoopback;
  return (host) => isIP(own) !== 0 && !isPublicAddress(own) && host === own;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(?:\.\d+){3}$/.test(host);
}

function anyOf(...rules: AddressRules['allows'][]): AddressRules['allows'] {
  return (host, port) => rules.some((allows) => allows(host, port));
}

function refusal(name: string, url: URL, host: string, what: string): HubError {
  return new HubError(
    'PERMISSION_DENIED',
    `Server "${name}" names ${url.origin.slice(0, 200)} for signing in, and ${what}. It was not called. If it is your own sign-in server, add allow_hosts = ["${host}"] to the "auth" of the server.`,
    { details: { server: name, mayHaveRun: false } },
  );
}

function withServer(name: string, error: unknown): unknown {
  if (!(error instanceof HubError) || error.code === 'PERMISSION_DENIED') return error;
  const details = { server: name, mayHaveRun: false };
  return new HubError(error.code, `Sign-in to "${name}" failed: ${error.message}`, { details });
}

function toResponse({ status, headers, body }: Awaited<ReturnType<typeof guardedFetch>>): Response {
  const kept = new Headers();
  for (const [header, value] of Object.entries(headers)) {
    // The body is unpacked already.
    if (header === 'content-encoding' || header === 'content-length') continue;
    for (const each of [value ?? []].flat()) kept.append(header, each);
  }
  const hasNoBody = status === 204 || status === 205 || status === 304;
  return new Response(hasNoBody ? null : body.toString(), { status, headers: kept });
}

function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
