import { systemClock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import type { ConnectOptions } from '../../servers/supervise/server-connection.ts';
import { loadGrant } from './oauth-grant.ts';
import { OAuthSession } from './oauth-session.ts';

/**
 * Sends the tokens of a sign-in, and notes what a server says that wants one. Undefined where there is none: all other
 * credentials are headers.
 */
export async function createAuth(options: ConnectOptions): Promise<OAuthSession | undefined> {
  const { name, definition, credentials, clock = systemClock } = options;
  if (definition.transport === 'stdio' || !credentials) return undefined;
  const { auth } = definition;
  if (auth !== null && auth.type !== 'oauth') return undefined;
  const grant = await loadGrant(credentials).catch((error: unknown) => {
    // A server that asks for nothing must work also while the vault cannot be opened.
    if (auth === null && error instanceof HubError && error.code === 'UNAVAILABLE') return undefined;
    throw error;
  });
  return new OAuthSession({ name, definition, credentials, clock, random: Math.random, grant });
}
