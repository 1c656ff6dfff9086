import { HubError } from '../base/hub-error.ts';

const longestKey = 200;

/** The header Idempotency-Key, for writes that may be sent twice. Throws INVALID_ARGUMENTS for one that is too long. */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  const key = String(header ?? '');
  if (key === '') return undefined;
  if (key.length <= longestKey) return key;
  throw new HubError('INVALID_ARGUMENTS', `Idempotency-Key: must have at most ${longestKey} characters.`);
}
