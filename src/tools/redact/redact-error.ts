import { HubError } from '../../base/hub-error.ts';
import type { Redact } from './redact.ts';

/** The same error without secrets: message and details often quote what somebody sent. */
export function redactError(redact: Redact, error: HubError): HubError {
  const { code, details, cause } = error;
  const message = redact(error.message);
  const text = details && JSON.stringify(details);
  const clean = text && redact(text);
  if (message === error.message && clean === text) return error;
  return new HubError(code, message, { cause, ...(clean !== undefined && { details: JSON.parse(clean) }) });
}
