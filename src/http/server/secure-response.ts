import { type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { securityHeaders } from './security-headers.ts';

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
