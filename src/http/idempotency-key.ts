import { HubError } from '../base/hub-error.ts';
import type { WriteOptions } from '../team/team.ts';
import type { ApiContext } from './route.ts';

const longestKey = 200;

/** The header Idempotency-Key, for writes that may be sent twice. Throws INVALID_ARGUMENTS for one that is too long. */
export function idempotencyKeyOf(context: ApiContext): WriteOptions {
  const key = context.req.header('idempotency-key');
  if (key === undefined || key === '') return {};
  if (key.length > longestKey) {
    throw new HubError('INVALID_ARGUMENTS', `Idempotency-Key: must have at most ${longestKey} characters.`);
  }
  return { idempotencyKey: key };
}
