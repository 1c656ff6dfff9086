import { type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';

const policy = (styles: string) =>
  [
    "default-src 'self'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data: blob:",
    // Sound in tool results.
    "media-src 'self' blob:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

/** The headers of every reply, including errors and files. Lower case, so that replies can override them. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy("'self'"),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/**
 * The policy of the web app's page. The Markdown editor and the toasts add `<style>` elements at run time, and one of them
 * does not support nonces. Scripts are as restricted as everywhere else.
 */
export const webAppPolicy = policy("'self' 'unsafe-inline'");

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * Adds the security headers to every reply. They are added when the head is written, because setting them one by one
 * beforehand would be slower than all other checks of a request together.
 */
export class SecureResponse extends ServerResponse {
  /** Whether this is a stream of server-sent events. Known once the head is written. */
  isStream = false;

  /** The headers of every reply. */
  get always(): Readonly<Record<string, string>> {
    return securityHeaders;
  }

  override writeHead(status: number, headers?: Headers): this;
  override writeHead(status: number, reason?: string, headers?: Headers): this;
  override writeHead(status: number, first?: string | Headers, second?: Headers): this {
    const headers = typeof first === 'object' ? first : second;
    const type = Array.isArray(headers) ? undefined : (headers?.['content-type'] ?? headers?.['Content-Type']);
    this.isStream = typeof type === 'string' && type.startsWith('text/event-stream');
    // A list of headers is complete and stays unchanged.
    return super.writeHead(status, Array.isArray(headers) ? headers : { ...this.always, ...headers });
  }
}

const strictHeaders = { ...securityHeaders, 'strict-transport-security': 'max-age=31536000' };

/** The replies of a hub at an https address: browsers use no other scheme for it from then on. */
export class StrictResponse extends SecureResponse {
  override get always(): Readonly<Record<string, string>> {
    return strictHeaders;
  }
}
