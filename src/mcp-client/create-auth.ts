import type { AuthProvider, OAuthClientProvider } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { ConnectOptions } from '../servers/server-connection.ts';

const StoredTokens = z.looseObject({ access_token: z.string() });

/**
 * What the SDK's transports ask for a token, and tell about a 401. Only for `auth.type` "oauth": all other credentials are
 * headers. Undefined where nothing is kept that could be sent.
 */
export async function createAuth(options: ConnectOptions): Promise<AuthProvider | OAuthClientProvider | undefined> {
  const { definition, credentials } = options;
  if (definition.transport === 'stdio' || definition.auth?.type !== 'oauth' || !credentials) return undefined;
  return {
    async token() {
      const kept = await credentials.load('tokens');
      return kept === undefined ? undefined : StoredTokens.parse(JSON.parse(kept)).access_token;
    },
  };
}
