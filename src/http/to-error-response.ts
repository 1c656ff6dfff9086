import { errorCodes } from '../base/error-codes.ts';
import { type HubError, isRetryable, retryAfter, toHubError } from '../base/hub-error.ts';
import type { ErrorBody } from './hub.contract.ts';

export interface ErrorReply {
  status: number;
  headers: Record<string, string>;
  body: ErrorBody;
}

/** Converts an error to an HTTP reply. Unknown errors become "Internal error" without details. */
export function toErrorReply(error: unknown, options: { deniedCode?: string | undefined } = {}): ErrorReply {
  if (error instanceof Refusal) {
    // Refused before anything happened, so the request can be repeated.
    const retryable = (error.status >= 500 || error.status === 429) && { retryable: true };
    return {
      status: error.status,
      headers: { ...(retryable && { 'retry-after': '1' }), ...error.headers },
      body: { error: { code: error.code, message: error.message, ...retryable } },
    };
  }
  const known: HubError = toHubError(error);
  const { status, http: code } = errorCodes[known.code];
  const named = known.code === 'PERMISSION_DENIED' ? (options.deniedCode ?? code) : code;
  const details = known.code === 'INTERNAL_ERROR' ? undefined : known.details;
  const retryable = isRetryable(known);
  return {
    status,
    headers: {
      ...(retryable && { 'retry-after': retryAfter(known) }),
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    },
    body: {
      error: {
        code: named,
        message: known.message,
        ...(retryable !== undefined && { retryable }),
        ...(details && { details }),
      },
    },
  };
}

export function toErrorResponse(error: unknown, options: { deniedCode?: string | undefined } = {}): Response {
  const { status, headers, body } = toErrorReply(error, options);
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } });
}

/** An error that exists only in HTTP, such as an unsupported method or media type. All other errors are HubErrors. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}
