import {
  discoverOAuthServerInfo,
  fetchToken,
  type OAuthClientProvider,
  selectResourceURL,
} from '@modelcontextprotocol/client';
import { HubError } from '../../base/hub-error.ts';
import type { ServerAuth } from '../../servers/server-definition.ts';
import type { CredentialStore } from '../../servers/supervise/server-connection.ts';
import type { HttpFetch } from '../http/http-fetch.ts';
import { givenClient, scopeOf } from './oauth-authorize.ts';
import { type Challenge, clientOf, type Grant, grantOf, loadClient, serverOf } from './oauth-grant.ts';

export interface OwnGrantOptions {
  name: string;
  url: string;
  settings: Extract<ServerAuth, { type: 'oauth' }>;
  challenge: Challenge | undefined;
  credentials: CredentialStore;
  fetch: HttpFetch['fetch'];
  now: number;
}

/** A token for the hub itself (`client-credentials`): nobody has to sign in. */
export async function requestOwnGrant(options: OwnGrantOptions): Promise<Grant> {
  const { name, url, settings, challenge, credentials, fetch } = options;
  const { clientId, clientSecret } = settings;
  if (clientId === undefined || clientSecret === undefined) {
    throw new HubError(
      'NOT_CONFIGURED',
      `Server "${name}" has grant = "client-credentials" and no clientId and clientSecret. Give both in its auth.`,
    );
  }
  const address = challenge?.resourceMetadataUrl;
  const { authorizationServerUrl, authorizationServerMetadata, resourceMetadata } = await discoverOAuthServerInfo(url, {
    fetchFn: fetch,
    ...(address !== undefined && { resourceMetadataUrl: new URL(address) }),
  });
  const issuer = authorizationServerMetadata?.issuer ?? authorizationServerUrl;
  const client = givenClient(settings, clientId, await loadClient(credentials), issuer);
  const scope = scopeOf(settings, challenge).scope ?? resourceMetadata?.scopes_supported?.join(' ');
  const provider: OAuthClientProvider = {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [], grant_types: ['client_credentials'] },
    clientInformation: () => clientOf(client),
    tokens: () => undefined,
    saveTokens: () => {},
    redirectToAuthorization: () => {},
    saveCodeVerifier: () => {},
    codeVerifier: () => '',
    prepareTokenRequest: (asked) =>
      new URLSearchParams({ grant_type: 'client_credentials', ...(asked !== undefined && { scope: asked }) }),
  };
  const allowed = await selectResourceURL(url, provider, resourceMetadata);
  const resource = allowed ? (resourceMetadata?.resource ?? null) : null;
  const tokens = await fetchToken(provider, authorizationServerUrl, {
    fetchFn: fetch,
    ...(authorizationServerMetadata && { metadata: authorizationServerMetadata }),
    ...(resource !== null && { resource }),
    ...(scope !== undefined && { scope }),
  });
  await credentials.save('client', JSON.stringify({ client_id: clientId, issuer: client.issuer }));
  const server = serverOf(authorizationServerUrl, authorizationServerMetadata);
  return grantOf(tokens, { now: options.now, server, client, resource, scope: scope ?? null });
}
