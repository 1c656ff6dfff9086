import { type HubError, type HubErrorCode, isRetryable, toHubError } from '../base/hub-error.ts';
import type { ErrorBody } from './api-types.ts';
import { Refusal } from './refusal.ts';

const answers: Record<HubErrorCode, { status: number; code: string }> = {
  AGENT_NOT_FOUND: { status: 404, code: 'not_found' },
  NOT_FOUND: { status: 404, code: 'not_found' },
  UNKNOWN_TOOL: { status: 404, code: 'not_found' },
  INVALID_ARGUMENTS: { status: 400, code: 'bad_request' },
  INVALID_FORMAT: { status: 400, code: 'bad_request' },
  INVALID_CONFIG: { status: 500, code: 'internal_error' },
  TOO_LARGE: { status: 413, code: 'payload_too_large' },
  PERMISSION_DENIED: { status: 403, code: 'permission_denied' },
  RESOURCE_NOT_FOUND: { status: 404, code: 'not_found' },
  INVALID_AGENT_STATE: { status: 409, code: 'invalid_state' },
  CONFLICT: { status: 409, code: 'conflict' },
  TIMEOUT: { status: 408, code: 'timeout' },
  CANCELLED: { status: 503, code: 'unavailable' },
  AGENT_ERROR: { status: 500, code: 'agent_error' },
  TOOL_ERROR: { status: 500, code: 'tool_error' },
  TRANSIENT_ERROR: { status: 503, code: 'unavailable' },
  UNAVAILABLE: { status: 503, code: 'unavailable' },
  STORAGE_FULL: { status: 507, code: 'storage_full' },
  STORAGE_FAILED: { status: 503, code: 'storage_failed' },
  MODEL_ERROR: { status: 502, code: 'model_error' },
  NOT_CONFIGURED: { status: 400, code: 'not_configured' },
  SIGN_IN_REQUIRED: { status: 409, code: 'sign_in_required' },
  INTERNAL_ERROR: { status: 500, code: 'internal_error' },
};

export interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: ErrorBody;
}

/** The one translation of failures into HTTP. Unknown errors say "Internal error" and nothing else. */
export function toErrorAnswer(error: unknown, options: { deniedCode?: string | undefined } = {}): ErrorAnswer {
  if (error instanceof Refusal) {
    // Refused before anything was done.
    const retryable = error.status >= 500 && { retryable: true };
    return {
      status: error.status,
      headers: { ...(retryable && { 'retry-after': '1' }), ...error.headers },
      body: { error: { code: error.code, message: error.message, ...retryable } },
    };
  }
  const known: HubError = toHubError(error);
  const { status, code } = answers[known.code];
  const named = known.code === 'PERMISSION_DENIED' ? (options.deniedCode ?? code) : code;
  const details = known.code === 'INTERNAL_ERROR' ? undefined : known.details;
  const retryable = isRetryable(known);
  return {
    status,
    headers: retryable ? { 'retry-after': '1' } : {},
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
  const { status, headers, body } = toErrorAnswer(error, options);
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } });
}
