import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../to-error-response.ts';

const loopback = String.raw`(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])`;
const hostPattern = new RegExp(`^${loopback}(?::(\\d{1,5}))?$`, 'i');
const originPattern = new RegExp(`^http://${loopback}(?::(\\d{1,5}))?$`, 'i');

export interface GuardedRequest {
  method?: string | undefined;
  url?: string | undefined;
  headers: IncomingHttpHeaders;
}

/**
 * What stands between a web page elsewhere and this hub. Each check holds alone: the address line, `Host` (against
 * DNS names that point at loopback), `Origin` (against other pages), and the browser's own word on where a request
 * comes from. Throws a Refusal.
 */
export function checkRequest(request: GuardedRequest, port: number): void {
  checkTarget(request);
  checkHost(request.headers.host, port);
  checkOrigin(request.headers.origin, port);
  checkFetchSite(request);
}

/** Only paths of our own: `GET http://elsewhere/` is for proxies. */
function checkTarget({ method, url }: GuardedRequest): void {
  if (url?.startsWith('/') || (method === 'OPTIONS' && url === '*')) return;
  throw new Refusal(400, 'bad_request', 'The request line must hold a path that begins with "/".');
}

function checkHost(host: string | undefined, port: number): void {
  if (host === undefined || host === '') {
    throw new Refusal(400, 'bad_request', `The Host header is missing; send Host: 127.0.0.1:${port}.`);
  }
  if (!namesPort(hostPattern.exec(host), port)) {
    throw new Refusal(
      403,
      'forbidden_host',
      `The host "${host.slice(0, 80)}" is not this hub. Use localhost:${port}, 127.0.0.1:${port} or [::1]:${port}.`,
    );
  }
}

function checkOrigin(origin: string | undefined, port: number): void {
  if (origin === undefined) return;
  if (!namesPort(originPattern.exec(origin), port)) {
    throw new Refusal(
      403,
      'forbidden_origin',
      `Requests from the origin "${origin.slice(0, 80)}" are refused; only the hub's own pages may call it.`,
    );
  }
}

function checkFetchSite({ method, headers }: GuardedRequest): void {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  throw new Refusal(403, 'forbidden_origin', 'A page of another site may not change anything here.');
}

function namesPort(match: RegExpExecArray | null, port: number): boolean {
  return match !== null && Number(match[1] ?? 80) === port;
}
