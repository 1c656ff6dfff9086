import {
  type AuthOptions,
  auth,
  discoverOAuthProtectedResourceMetadata,
  discoverOAuthServerInfo,
  fetchToken,
  IssuerMismatchError,
  isHttpsUrl,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  selectResourceURL,
} from '@modelcontextprotocol/client';
import { HubError } from '../../base/hub-error.ts';
import type { ServerAuth } from '../../servers/server-definition.ts';
import type { CredentialStore } from '../../servers/supervise/server-connection.ts';
import { version } from '../../version.ts';
import type { HttpFetch } from '../http/http-fetch.ts';
import {
  type Challenge,
  clientOf,
  type Grant,
  grantOf,
  loadClient,
  type PendingGrant,
  type RegisteredClient,
  toAuthorizationServer,
} from './oauth-grant.ts';

type OAuthSettings = Extract<ServerAuth, { type: 'oauth' }>;

export interface AuthorizeOptions {
  name: string;
  url: string;
  settings: OAuthSettings;
  credentials: CredentialStore;
  redirectUrl: string;
  state: string;
  challenge: Challenge | undefined;
  fetch: HttpFetch['fetch'];
  now: number;
}

/** Discovers the authorization server, registers with it, and returns the URL for the browser and what finishing the sign-in will need. */
export async function authorize(options: AuthorizeOptions): Promise<{ url: URL; pending: PendingGrant }> {
  const { name, challenge, credentials, redirectUrl, state, settings } = options;
  const captured = new CapturedAuthorization();
  const clientId = settings.clientId;
  const isDocument = isHttpsUrl(clientId) && settings.clientSecret === undefined;
  const storedClient = await loadClient(credentials);
  const provider: OAuthClientProvider = {
    redirectUrl,
    ...(isDocument && clientId !== undefined && { clientMetadataUrl: clientId }),
    clientMetadata: {
      client_name: 'Agent Zoo',
      software_id: 'agent-zoo',
      software_version: version,
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    state: () => state,
    clientInformation: (context) => {
      if (captured.client) return clientOf(captured.client);
      if (clientId !== undefined && !isDocument)
        captured.client = configuredClient(settings, clientId, storedClient, context?.issuer);
      else if (storedClient && isUsable(storedClient, options)) captured.client = storedClient;
      return captured.client && clientOf(captured.client);
    },
    // A configured client is never registered elsewhere; one that we registered ourselves may be registered again.
    ...((clientId === undefined || isDocument) && {
      saveClientInformation: async (client) => {
        captured.client = client;
        await credentials.save('client', JSON.stringify(client));
      },
    }),
    // The user asked to sign in, so stored tokens are not used.
    tokens: () => undefined,
    saveTokens: () => {},
    saveCodeVerifier: (verifier) => {
      captured.verifier = verifier;
    },
    codeVerifier: () => captured.verifier,
    redirectToAuthorization: (url) => {
      captured.url = url;
    },
    discoveryState: () => undefined,
    saveDiscoveryState: (discovered) => {
      captured.discovered = discovered;
    },
    saveResourceUrl: (resource) => {
      captured.resource = resource;
    },
  };
  const request: AuthOptions = {
    serverUrl: options.url,
    fetchFn: options.fetch,
    forceReauthorization: true,
    ...(challenge?.resourceMetadataUrl !== undefined && {
      resourceMetadataUrl: new URL(challenge.resourceMetadataUrl),
    }),
    ...scopeOf(settings, challenge),
  };
  try {
    await auth(provider, request);
  } catch (error) {
    if (!(await isOldServer(error, request))) throw error;
    await auth(provider, { ...request, skipIssuerMetadataValidation: true });
  }
  return captured.toPending(name, { state, redirectUrl });
}

/**
 * Before MCP 2025-06-18, a server did not name its authorization server: it was its own, and may give a path of its origin as the issuer.
 */
async function isOldServer(error: unknown, { serverUrl, resourceMetadataUrl, fetchFn }: AuthOptions): Promise<boolean> {
  if (!IssuerMismatchError.isInstance(error) || error.kind !== 'metadata') return false;
  const { origin } = new URL(serverUrl);
  if (resourceMetadataUrl || error.received === undefined || new URL(error.received).origin !== origin) return false;
  return discoverOAuthProtectedResourceMetadata(serverUrl, {}, fetchFn).then(
    () => false,
    () => true,
  );
}

/** Combines the configured scope with the scope that the server has asked for. */
function scopeOf({ scope }: OAuthSettings, challenge: Challenge | undefined): { scope?: string } {
  const words = new Set([scope, challenge?.scope].flatMap((each) => each?.split(/\s+/).filter(Boolean) ?? []));
  return words.size === 0 ? {} : { scope: [...words].join(' ') };
}

/** Returns the configured client. It belongs to the authorization server with which it was used first. */
function configuredClient(
  { clientSecret }: OAuthSettings,
  clientId: string,
  storedClient: RegisteredClient | undefined,
  issuer: string | undefined,
): RegisteredClient {
  const belongsTo = storedClient?.client_id === clientId ? storedClient.issuer : issuer;
  return {
    client_id: clientId,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    ...(belongsTo !== undefined && { issuer: belongsTo }),
  };
}

/** Tells whether the client is registered for this redirect URL and has not expired. */
function isUsable(client: RegisteredClient, { redirectUrl, settings, now }: AuthorizeOptions): boolean {
  const { redirect_uris, client_secret_expires_at: expiresAt } = client;
  if (isHttpsUrl(client.client_id)) return client.client_id === settings.clientId;
  return (redirect_uris?.includes(redirectUrl) ?? false) && !(expiresAt && expiresAt * 1_000 <= now);
}

/** What the SDK passes to its provider before it has the URL. */
class CapturedAuthorization {
  url: URL | undefined;
  verifier = '';
  discovered: OAuthDiscoveryState | undefined;
  client: RegisteredClient | undefined;
  resource: string | undefined;

  toPending(
    name: string,
    { state, redirectUrl }: { state: string; redirectUrl: string },
  ): { url: URL; pending: PendingGrant } {
    const { url, client, discovered } = this;
    if (!url || !client || !discovered) throw new Error('The SDK returned no sign-in URL.');
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      throw new HubError('UNAVAILABLE', `Server "${name}" names a sign-in URL that is not a web page.`);
    }
    return {
      url,
      pending: {
        state,
        redirectUrl,
        codeVerifier: this.verifier,
        scope: url.searchParams.get('scope'),
        server: toAuthorizationServer(discovered.authorizationServerUrl, discovered.authorizationServerMetadata),
        client,
        resource: this.resource ?? null,
      },
    };
  }
}

interface ClientGrantOptions {
  name: string;
  url: string;
  settings: Extract<ServerAuth, { type: 'oauth' }>;
  challenge: Challenge | undefined;
  credentials: CredentialStore;
  fetch: HttpFetch['fetch'];
  now: number;
}

/** Requests a token for the hub itself (`client-credentials`): no user has to sign in. */
export async function requestClientGrant(options: ClientGrantOptions): Promise<Grant> {
  const { name, url, settings, challenge, credentials, fetch } = options;
  const { clientId, clientSecret } = settings;
  if (clientId === undefined || clientSecret === undefined) {
    throw new HubError(
      'NOT_CONFIGURED',
      `Server "${name}" has grant = "client-credentials" but no clientId and clientSecret. Set both in its "auth".`,
    );
  }
  const address = challenge?.resourceMetadataUrl;
  const { authorizationServerUrl, authorizationServerMetadata, resourceMetadata } = await discoverOAuthServerInfo(url, {
    fetchFn: fetch,
    ...(address !== undefined && { resourceMetadataUrl: new URL(address) }),
  });
  const issuer = authorizationServerMetadata?.issuer ?? authorizationServerUrl;
  const client = configuredClient(settings, clientId, await loadClient(credentials), issuer);
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
  const server = toAuthorizationServer(authorizationServerUrl, authorizationServerMetadata);
  return grantOf(tokens, { now: options.now, server, client, resource, scope: scope ?? null });
}
