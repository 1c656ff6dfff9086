import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { readCappedBytes, unpackedBody } from './http-request.ts';
import { HubError } from './hub-error.ts';
import { type Address, type AddressRules, checkedAddresses } from './public-addresses.ts';

interface GuardedRequest {
  url: string | URL;
  method: string;
  /** The names are in lower case. */
  headers: Readonly<Record<string, string>>;
  body?: Uint8Array | undefined;
}

interface GuardedRules extends AddressRules {
  /** 0 returns a redirect to the caller. */
  maxRedirects: number;
  /** The maximum size of the unpacked body. */
  maxBytes: number;
  timeoutMs: number;
  /** Called when a server replies with a redirect: the request has arrived, whatever happens next. */
  onRedirect?: (() => void) | undefined;
  /** Tells from the headers whether to read the body. Default: always. */
  wantsBody?: ((headers: IncomingHttpHeaders) => boolean) | undefined;
}

interface GuardedReply {
  /** The address that replied, after all redirects. */
  url: URL;
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The longest delay of a timer. A longer one would fire at once. */
const maxTimerMs = 2 ** 31 - 1;
const redirects = new Set([301, 302, 303, 307, 308]);
/** Headers that may follow a redirect to another origin. Any other may contain a secret, such as `authorization` or `x-api-key`. */
const harmlessHeaders = new Set(['accept', 'accept-language', 'content-type', 'content-encoding', 'user-agent']);

/**
 * Sends a request to an address that a stranger may have chosen. The host is resolved once and must be public or allowed; the connection
 * uses the checked addresses, so that a second DNS answer changes nothing. Every redirect is checked again. Uses no proxy, which
 * would resolve the name itself. Throws INVALID_ARGUMENTS, UNAVAILABLE, TIMEOUT, TOO_LARGE and the error of `refuse`.
 */
export async function guardedFetch(request: GuardedRequest, rules: GuardedRules): Promise<GuardedReply> {
  const timer = new AbortController();
  const limit = Math.min(rules.timeoutMs, maxTimerMs);
  const timeout = setTimeout(() => timer.abort(), limit);
  try {
    return await follow(request, { ...rules, signal: AbortSignal.any([rules.signal, timer.signal]) });
  } catch (error) {
    if (timer.signal.aborted && !rules.signal.aborted) {
      throw new HubError('TIMEOUT', `${shown(request.url)} did not reply within ${limit / 1000} s.`);
    }
    throw error;
  } finally {
    clearTimeout(timeout);
  }
}

async function follow(first: GuardedRequest, rules: GuardedRules): Promise<GuardedReply> {
  let request = first;
  let url = parseUrl(first.url);
  for (let hop = 0; hop <= rules.maxRedirects; hop += 1) {
    const addresses = await checkedAddresses(url, rules);
    const response = await send(url, request, addresses, rules.signal);
    const { statusCode: status = 0, headers } = response;
    const { location } = headers;
    if (!redirects.has(status) || location === undefined || rules.maxRedirects === 0) {
      return { url, status, headers, body: await readBody(response, url, rules) };
    }
    response.destroy();
    rules.onRedirect?.();
    const target = parseUrl(URL.canParse(location, url) ? new URL(location, url) : location);
    request = redirected(request, { status, leavesOrigin: target.origin !== url.origin });
    url = target;
  }
  throw new HubError('UNAVAILABLE', `${shown(first.url)} redirects more than ${rules.maxRedirects} times.`);
}

function parseUrl(address: string | URL): URL {
  const text = String(address);
  if (!URL.canParse(text))
    throw new HubError('INVALID_ARGUMENTS', `"${shown(text)}" is not a URL, such as https://example.com/.`);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new HubError('INVALID_ARGUMENTS', `"${shown(text)}" is not an http or https address.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new HubError('INVALID_ARGUMENTS', 'A URL must not contain a user name. Use the "authorization" header.');
  }
  // Node takes port 0 for the default port.
  if (url.port === '0')
    throw new HubError('INVALID_ARGUMENTS', `"${shown(text)}" has port 0, which is not a valid port.`);
  return url;
}

function shown(address: string | URL): string {
  return String(address).slice(0, 200);
}

async function send(
  url: URL,
  { method, headers, body }: GuardedRequest,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const start = url.protocol === 'https:' ? requestHttps : requestHttp;
  try {
    const sent = start(url, {
      method,
      headers: {
        'user-agent': 'agent-zoo',
        accept: '*/*',
        'accept-encoding': 'gzip',
        ...headers,
        ...((body || method !== 'GET') && { 'content-length': body?.length ?? 0 }),
      },
      agent: false,
      lookup: answerWith(addresses),
      signal,
    });
    sent.on('response', resolve);
    sent.on('error', reject);
    sent.on('close', () => reject(new Error('the server closed the connection without a reply')));
    sent.end(body);
  } catch (error) {
    // Invalid header names or values.
    throw new HubError('INVALID_ARGUMENTS', `The request to ${url.host} cannot be sent: ${reason(error)}.`);
  }
  return promise.catch((error) => {
    if (signal.aborted) throw error;
    throw new HubError('UNAVAILABLE', `${url.origin} cannot be reached: ${reason(error)}.`, { cause: error });
  });
}

/** Returns the checked addresses instead of a second look-up, which protects against DNS rebinding. */
function answerWith(addresses: readonly Address[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}

async function readBody(response: IncomingMessage, url: URL, rules: GuardedRules): Promise<Buffer> {
  const { statusCode, headers } = response;
  try {
    // A reply without a body may still name a compression.
    const isEmpty = statusCode === 204 || statusCode === 205 || statusCode === 304 || headers['content-length'] === '0';
    if (isEmpty || rules.wantsBody?.(headers) === false) return Buffer.alloc(0);
    const body = await readCappedBytes(await unpackedBody(response), rules.maxBytes);
    if (body) return body;
  } catch (error) {
    if (rules.signal.aborted) throw error;
    throw new HubError('UNAVAILABLE', `The reply of ${url.origin} was cut off: ${reason(error)}.`);
  } finally {
    response.destroy();
  }
  throw new HubError('TOO_LARGE', `The reply of ${url.origin} is larger than ${rules.maxBytes / 1024 / 1024} MB.`);
}

function redirected(
  request: GuardedRequest,
  { status, leavesOrigin }: { status: number; leavesOrigin: boolean },
): GuardedRequest {
  const turnsToGet = status === 303 || (request.method === 'POST' && (status === 301 || status === 302));
  const isKept = ([name]: [string, string]) =>
    !(turnsToGet && name.startsWith('content-')) && (!leavesOrigin || harmlessHeaders.has(name));
  return {
    url: request.url,
    method: turnsToGet ? 'GET' : request.method,
    headers: Object.fromEntries(Object.entries(request.headers).filter(isKept)),
    body: turnsToGet ? undefined : request.body,
  };
}

function reason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0]);
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}
