import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { HubError } from '../../base/hub-error.ts';
import type { HttpRequest, HttpResponse } from '../sandbox/lua-messages.ts';
import { type Address, type AddressRules, checkedAddresses } from './host-addresses.ts';

const maxRedirects = 5;
const maxBodyBytes = 10 * 1024 * 1024;
/** The maximum delay of a timer. A longer one would fire at once. */
const maxTimerMs = 2 ** 31 - 1;
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

/**
 * Sends an HTTP request for a script. The host is resolved once, and the connection uses the checked addresses; each redirect is
 * checked again. Throws INVALID_ARGUMENTS, PERMISSION_DENIED, UNAVAILABLE, TIMEOUT, TOO_LARGE.
 */
export async function luaHttp(request: HttpRequest, options: AddressRules): Promise<HttpResponse> {
  const timer = new AbortController();
  const limit = Math.min(request.timeoutMs ?? maxTimerMs, maxTimerMs);
  const timeout = setTimeout(() => timer.abort(), limit);
  const signal = AbortSignal.any([options.signal, timer.signal]);
  try {
    return await follow(request, { ...options, signal });
  } catch (error) {
    if (timer.signal.aborted && !options.signal.aborted) {
      const seconds = limit / 1000;
      throw new HubError('TIMEOUT', `${request.url.slice(0, 200)} did not reply within ${seconds} s.`);
    }
    throw error;
  } finally {
    clearTimeout(timeout);
  }
}

async function follow(first: HttpRequest, options: AddressRules): Promise<HttpResponse> {
  let request = first;
  let url = parseUrl(first.url);
  checkHeaders(first.headers);
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    const addresses = await checkedAddresses(url, options);
    const response = await send(url, request, addresses, options.signal);
    const location = response.headers.location;
    const isRedirect = [301, 302, 303, 307, 308].includes(response.statusCode ?? 0) && location !== undefined;
    if (!isRedirect) {
      const body = await readBody(response, url);
      return { status: response.statusCode ?? 0, headers: flatHeaders(response), body };
    }
    response.destroy();
    const target = parseUrl(URL.canParse(location, url) ? new URL(location, url).href : location);
    request = redirected(request, { status: response.statusCode ?? 0, leavesOrigin: target.origin !== url.origin });
    url = target;
  }
  throw new HubError('UNAVAILABLE', `${first.url.slice(0, 200)} redirects more than ${maxRedirects} times.`);
}

function parseUrl(text: string): URL {
  const shown = text.slice(0, 200);
  if (!URL.canParse(text))
    throw new HubError('INVALID_ARGUMENTS', `"${shown}" is not a URL, such as https://example.com/.`);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new HubError('INVALID_ARGUMENTS', `"${shown}" is not an http or https address.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new HubError('INVALID_ARGUMENTS', 'A URL must not contain a user name. Use the "authorization" header.');
  }
  if (url.port === '0') throw new HubError('INVALID_ARGUMENTS', `"${shown}" has port 0, which is not a valid port.`);
  return url;
}

function checkHeaders(headers: Record<string, string>): void {
  const reserved = Object.keys(headers).find((name) => connectionHeaders.has(name));
  if (reserved) throw new HubError('INVALID_ARGUMENTS', `Scripts cannot set the header "${reserved}".`);
}

async function send(
  url: URL,
  request: HttpRequest,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
  try {
    const sent = start(url, {
      method: request.method,
      headers: {
        'user-agent': 'agent-zoo',
        accept: '*/*',
        'accept-encoding': 'gzip',
        ...request.headers,
        ...((request.body || request.method !== 'GET') && { 'content-length': request.body?.length ?? 0 }),
      },
      agent: false,
      lookup: answerWith(addresses),
      signal,
    });
    sent.on('response', resolve);
    sent.on('error', reject);
    sent.on('close', () => reject(new Error('the server closed the connection without a reply')));
    sent.end(request.body);
  } catch (error) {
    // Invalid header names or values.
    throw new HubError('INVALID_ARGUMENTS', `The request to ${url.host} cannot be sent: ${reason(error)}.`);
  }
  return promise.catch((error) => {
    if (signal.aborted) throw error;
    throw new HubError('UNAVAILABLE', `${url.origin} cannot be reached: ${reason(error)}.`);
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

async function readBody(response: IncomingMessage, url: URL): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  const stream = decoded(response);
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      length += part.length;
      if (length > maxBodyBytes) {
        throw new HubError('TOO_LARGE', `The reply of ${url.origin} is larger than ${maxBodyBytes / 1024 / 1024} MB.`);
      }
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof HubError) throw error;
    throw new HubError('UNAVAILABLE', `The reply of ${url.origin} was cut off: ${reason(error)}.`);
  } finally {
    stream.destroy();
    response.destroy();
  }
  return Buffer.concat(parts);
}

function decoded(response: IncomingMessage): Readable {
  const { 'content-encoding': packing, 'content-length': size } = response.headers;
  // A reply without a body may still name an encoding, but there is nothing to decode.
  const encoding = response.statusCode === 204 || size === '0' ? undefined : packing?.toLowerCase();
  const decoder =
    encoding === 'gzip' || encoding === 'x-gzip'
      ? createGunzip()
      : encoding === 'deflate'
        ? createInflate()
        : encoding === 'br'
          ? createBrotliDecompress()
          : undefined;
  if (!decoder) return response;
  response.on('error', (error) => decoder.destroy(error));
  return response.pipe(decoder);
}

function redirected(
  request: HttpRequest,
  { status, leavesOrigin }: { status: number; leavesOrigin: boolean },
): HttpRequest {
  const turnsToGet = status === 303 || (request.method === 'POST' && (status === 301 || status === 302));
  const { body, ...rest } = request;
  const dropped = [
    ...(turnsToGet ? ['content-type', 'content-encoding'] : []),
    ...(leavesOrigin ? ['authorization', 'cookie', 'proxy-authorization'] : []),
  ];
  return {
    ...rest,
    method: turnsToGet ? 'GET' : request.method,
    headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => !dropped.includes(name))),
    ...(body && !turnsToGet && { body }),
  };
}

function flatHeaders(response: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}

function reason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
