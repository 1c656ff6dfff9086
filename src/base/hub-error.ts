import type { HubErrorCode } from './error-codes.ts';

export interface HubErrorOptions {
  cause?: unknown;
  /** Machine-readable details for the caller; never secrets or stack traces. `isRetryable` reads `mayHaveRun` and `retryable`. */
  details?: Record<string, unknown>;
}

export class HubError extends Error {
  readonly code: HubErrorCode;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: HubErrorCode, message: string, options: HubErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'HubError';
    this.code = code;
    this.details = options.details;
  }
}

/**
 * Returns whether the caller may send the same request again: the failure may be temporary, and the first attempt had no effect.
 * An error that lasts until a user acts sets `details.retryable` to false. Returns undefined for errors that every retry would repeat.
 */
export function isRetryable(error: HubError): boolean | undefined {
  const mayHaveRun = error.details?.mayHaveRun;
  if (error.details?.retryable === false) return false;
  switch (error.code) {
    case 'TRANSIENT_ERROR':
    case 'UNAVAILABLE':
      return mayHaveRun !== true;
    case 'RATE_LIMITED':
      return true;
    case 'TIMEOUT':
      return mayHaveRun === false;
    case 'STORAGE_FULL':
    case 'STORAGE_FAILED':
    case 'CANCELLED':
    case 'AGENT_ERROR':
    case 'TOOL_ERROR':
    case 'MODEL_ERROR':
    case 'INTERNAL_ERROR':
      return false;
    default:
      return undefined;
  }
}

/** Returns the `Retry-After` header of a retryable error, in seconds. */
export function retryAfter({ details }: HubError): string {
  return String(details?.retryAfter ?? 1);
}

/** Turns any thrown value into an error that a caller may see: a HubError stays as it is, everything else becomes "Internal error". */
export function toHubError(error: unknown): HubError {
  if (error instanceof HubError) return error;
  return new HubError('INTERNAL_ERROR', 'Internal error', { cause: error });
}

/** Returns whether the storage caused the error. The store has already logged it, once for all affected requests. */
export function isStorageError(error: unknown): error is HubError {
  return error instanceof HubError && (error.code === 'STORAGE_FULL' || error.code === 'STORAGE_FAILED');
}
