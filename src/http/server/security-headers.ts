import { type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';

const policy = (styles: string) =>
  [
    "default-src 'self'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data: blob:",
    // Sound that a tool answers with.
    "media-src 'self' blob:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

/** On every answer, errors and files included. In small letters, as everybody writes them who has another one in their place. */
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
 * For the web app's page alone: the Markdown editor and the toasts add `<style>` elements while they run, and one of
 * them takes no nonce. Scripts stay as strict as everywhere.
 */
export const webAppPolicy = policy("'self' 'unsafe-inline'");

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * An answer that has the security headers, whoever writes it. They join the others when the head is written: set one by one
 * before, they would cost a request more than all of its checks.
 */
export class SecureResponse extends ServerResponse {
  override writeHead(status: number, headers?: Headers): this;
  override writeHead(status: number, reason?: string, headers?: Headers): this;
  override writeHead(status: number, first?: string | Headers, second?: Headers): this {
    const headers = typeof first === 'object' ? first : second;
    // A list is all that whoever writes it wants to be there.
    return super.writeHead(status, Array.isArray(headers) ? headers : { ...securityHeaders, ...headers });
  }
}
