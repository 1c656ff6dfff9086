import type { HubErrorCode } from './error-codes.ts';

export interface HubErrorOptions {
  cause?: unknown;
  /** Machine-readable extras for the caller; never secrets, never a stack. `mayHaveRun` and `retryable` decide `isRetryable`. */
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
 * Whether the same request may be sent again as it is: the failure may pass, and the first attempt certainly had no effect.
 * A refusal that lasts until a person acts sets `details.retryable` to false. Undefined for a failure that no repetition changes.
 */
export function isRetryable(error: HubError): boolean | undefined {
  const mayHaveRun = error.details?.mayHaveRun;
  if (error.details?.retryable === false) return false;
  switch (error.code) {
    case 'TRANSIENT_ERROR':
    case 'UNAVAILABLE':
      return mayHaveRun !== true;
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

/** What a caller may see of any thrown value: a HubError as it is, everything else as "Internal error". */
export function toHubError(error: unknown): HubError {
  if (error instanceof HubError) return error;
  return new HubError('INTERNAL_ERROR', 'Internal error', { cause: error });
}

/** Whether the storage is to blame. The store has logged it already, once for many requests. */
export function isStorageError(error: unknown): error is HubError {
  return error instanceof HubError && (error.code === 'STORAGE_FULL' || error.code === 'STORAGE_FAILED');
}
