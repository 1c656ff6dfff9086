/**
 * Every expected failure has one of these codes. `status` and `http` are the HTTP status and error code, `team` is the code
 * that team members get; MCP clients get the key itself.
 */
export const errorCodes = {
  AGENT_NOT_FOUND: { status: 404, http: 'not_found', team: 'AGENT_NOT_FOUND' },
  NOT_FOUND: { status: 404, http: 'not_found', team: 'RESOURCE_NOT_FOUND' },
  UNKNOWN_TOOL: { status: 404, http: 'not_found', team: 'TOOL_NOT_FOUND' },
  INVALID_ARGUMENTS: { status: 400, http: 'bad_request', team: 'INVALID_INPUT' },
  INVALID_FORMAT: { status: 400, http: 'bad_request', team: 'INVALID_INPUT' },
  INVALID_CONFIG: { status: 500, http: 'internal_error', team: 'INTERNAL_ERROR' },
  TOO_LARGE: { status: 413, http: 'payload_too_large', team: 'INVALID_INPUT' },
  PERMISSION_DENIED: { status: 403, http: 'permission_denied', team: 'PERMISSION_DENIED' },
  UNAUTHENTICATED: { status: 401, http: 'unauthenticated', team: 'PERMISSION_DENIED' },
  // `details.retryAfter` is the number of seconds to wait.
  RATE_LIMITED: { status: 429, http: 'rate_limited', team: 'TRANSIENT_ERROR' },
  RESOURCE_NOT_FOUND: { status: 404, http: 'not_found', team: 'RESOURCE_NOT_FOUND' },
  INVALID_AGENT_STATE: { status: 409, http: 'invalid_state', team: 'INVALID_AGENT_STATE' },
  CONFLICT: { status: 409, http: 'conflict', team: 'INVALID_AGENT_STATE' },
  TIMEOUT: { status: 408, http: 'timeout', team: 'TRANSIENT_ERROR' },
  CANCELLED: { status: 503, http: 'unavailable', team: 'TRANSIENT_ERROR' },
  AGENT_ERROR: { status: 500, http: 'agent_error', team: 'INTERNAL_ERROR' },
  TOOL_ERROR: { status: 500, http: 'tool_error', team: 'INTERNAL_ERROR' },
  TRANSIENT_ERROR: { status: 503, http: 'unavailable', team: 'TRANSIENT_ERROR' },
  UNAVAILABLE: { status: 503, http: 'unavailable', team: 'TRANSIENT_ERROR' },
  STORAGE_FULL: { status: 507, http: 'storage_full', team: 'TRANSIENT_ERROR' },
  STORAGE_FAILED: { status: 503, http: 'storage_failed', team: 'TRANSIENT_ERROR' },
  MODEL_ERROR: { status: 502, http: 'model_error', team: 'TRANSIENT_ERROR' },
  // Nothing is broken: the message says what to configure or where to sign in.
  EMBEDDINGS_DISABLED: { status: 400, http: 'embeddings_disabled', team: 'INVALID_INPUT' },
  NOT_CONFIGURED: { status: 400, http: 'not_configured', team: 'INVALID_INPUT' },
  SIGN_IN_REQUIRED: { status: 409, http: 'sign_in_required', team: 'INVALID_AGENT_STATE' },
  INTERNAL_ERROR: { status: 500, http: 'internal_error', team: 'INTERNAL_ERROR' },
} as const satisfies Record<string, { status: number; http: string; team: TeamErrorCode }>;
export type HubErrorCode = keyof typeof errorCodes;

/** The error codes of `POST /mcp/execute` and their statuses. */
export const teamErrorStatuses = {
  PERMISSION_DENIED: 403,
  TOOL_NOT_FOUND: 404,
  INVALID_INPUT: 400,
  AGENT_NOT_FOUND: 404,
  RESOURCE_NOT_FOUND: 404,
  INVALID_AGENT_STATE: 409,
  INTERNAL_ERROR: 500,
  TRANSIENT_ERROR: 503,
} as const;
export type TeamErrorCode = keyof typeof teamErrorStatuses;
