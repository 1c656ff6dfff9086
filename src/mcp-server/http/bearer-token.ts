import type { IncomingMessage } from 'node:http';
import { HubError } from '../../base/hub-error.ts';

/** The token of `Authorization: Bearer …`. Throws PERMISSION_DENIED for another scheme. */
export function bearerToken({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const header = headers.authorization;
  if (header === undefined) return undefined;
  const token = /^Bearer +(\S+) *$/i.exec(header)?.[1];
  if (token === undefined)
    throw new HubError('PERMISSION_DENIED', 'The Authorization header must be "Bearer " and the token of a member.');
  return token;
}
