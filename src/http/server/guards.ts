import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../to-error-response.ts';

const loopback = String.raw`(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])`;
const hostPattern = new RegExp(`^${loopback}(?::(\\d{1,5}))?$`, 'i');
const originPattern = new RegExp(`^(https?)://${loopback}(?::(\\d{1,5}))?$`, 'i');

export interface GuardedRequest {
  method?: string | undefined;
  url?: string | undefined;
  headers: IncomingHttpHeaders;
}

/**
 * Protects the hub from web pages of other sites. Each check works on its own: the request line, `Host` (against DNS names
 * that point to loopback), `Origin` (against other pages) and `Sec-Fetch-Site`. Throws a Refusal.
 */
export function checkRequest(request: GuardedRequest, port: number): void {
  checkTarget(request);
  checkHost(request.headers.host, port);
  checkOrigin(request.headers.origin, port);
  checkFetchSite(request);
}

/** Accepts only paths. `GET http://example.com/` is for proxies. */
export function checkTarget({ method, url }: GuardedRequest): void {
  if (url?.startsWith('/') || (method === 'OPTIONS' && url === '*')) return;
  throw new Refusal(400, 'bad_request', 'The request line must contain a path that starts with "/".');
}

function checkHost(host: string | undefined, port: number): void {
  if (host === undefined || host === '') {
    throw new Refusal(400, 'bad_request', `The Host header is missing. Send Host: 127.0.0.1:${port}.`);
  }
  if (!isLoopbackName(host, port)) {
    throw new Refusal(
      403,
      'forbidden_host',
      `The host "${host.slice(0, 80)}" is not this hub. Use localhost:${port}, 127.0.0.1:${port} or [::1]:${port}.`,
    );
  }
}

function checkOrigin(origin: string | undefined, port: number): void {
  if (origin === undefined || isLoopbackOrigin(origin, { port, scheme: 'http' })) return;
  throw forbiddenOrigin(origin);
}

export function checkFetchSite({ method, headers }: GuardedRequest): void {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  throw new Refusal(403, 'forbidden_origin', 'Pages of other sites may not send requests that change data.');
}

export function forbiddenOrigin(origin: string): Refusal {
  return new Refusal(
    403,
    'forbidden_origin',
    `Requests from the origin "${origin.slice(0, 80)}" are not allowed. Only the hub's own pages may call it.`,
  );
}

/** Whether a Host header names this machine and the port. */
export function isLoopbackName(host: string, port: number, defaultPort = 80): boolean {
  const match = hostPattern.exec(host);
  return match !== null && Number(match[1] ?? defaultPort) === port;
}

export function isLoopbackOrigin(
  origin: string,
  { port, scheme }: { port: number; scheme: 'http' | 'https' },
): boolean {
  const match = originPattern.exec(origin);
  if (match?.[1]?.toLowerCase() !== scheme) return false;
  return Number(match[2] ?? (scheme === 'https' ? 443 : 80)) === port;
}
