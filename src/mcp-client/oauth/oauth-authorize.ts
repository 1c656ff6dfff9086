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
  serverOf,
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

/** Finds where people sign in, makes us known there, and gives the address for the browser with what its answer will need. */
export async function authorize(options: AuthorizeOptions): Promise<{ url: URL; pending: PendingGrant }> {
  const { name, challenge, credentials, redirectUrl, state, settings } = options;
  const begun = new Begun();
  const given = settings.clientId;
  const isDocument = isHttpsUrl(given) && settings.clientSecret === undefined;
  const kept = await loadClient(credentials);
  const provider: OAuthClientProvider = {
    redirectUrl,
    ...(isDocument && given !== undefined && { clientMetadataUrl: given }),
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
      if (begun.client) return clientOf(begun.client);
      if (given !== undefined && !isDocument) begun.client = givenClient(settings, given, kept, context?.issuer);
      else if (kept && isUsable(kept, options)) begun.client = kept;
      return begun.client && clientOf(begun.client);
    },
    // Somebody else's client must not be shown to another authorization server; one that was registered is registered anew.
    ...((given === undefined || isDocument) && {
      saveClientInformation: async (client) => {
        begun.client = client;
        await credentials.save('client', JSON.stringify(client));
      },
    }),
    // The person asked to sign in: what is kept does not serve.
    tokens: () => undefined,
    saveTokens: () => {},
    saveCodeVerifier: (verifier) => {
      begun.verifier = verifier;
    },
    codeVerifier: () => begun.verifier,
    redirectToAuthorization: (url) => {
      begun.url = url;
    },
    discoveryState: () => undefined,
    saveDiscoveryState: (discovered) => {
      begun.discovered = discovered;
    },
    saveResourceUrl: (resource) => {
      begun.resource = resource;
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
  return begun.toPending(name, { state, redirectUrl });
}

/**
 * Before 2025-06-18 a server did not say who signs people in for it: it did so itself, and may call itself by a path of its
 * own origin there.
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

/** The one of the definition and what the server asked for since. */
function scopeOf({ scope }: OAuthSettings, challenge: Challenge | undefined): { scope?: string } {
  const words = new Set([scope, challenge?.scope].flatMap((each) => each?.split(/\s+/).filter(Boolean) ?? []));
  return words.size === 0 ? {} : { scope: [...words].join(' ') };
}

/** A client of the definition belongs to the authorization server at which it was used first. */
function givenClient(
  { clientSecret }: OAuthSettings,
  clientId: string,
  kept: RegisteredClient | undefined,
  issuer: string | undefined,
): RegisteredClient {
  const belongsTo = kept?.client_id === clientId ? kept.issuer : issuer;
  return {
    client_id: clientId,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    ...(belongsTo !== undefined && { issuer: belongsTo }),
  };
}

/** Registered for this way back, and not over. */
function isUsable(client: RegisteredClient, { redirectUrl, settings, now }: AuthorizeOptions): boolean {
  const { redirect_uris, client_secret_expires_at: expiresAt } = client;
  if (isHttpsUrl(client.client_id)) return client.client_id === settings.clientId;
  return (redirect_uris?.includes(redirectUrl) ?? false) && !(expiresAt && expiresAt * 1_000 <= now);
}

/** What the SDK tells its provider on the way to the address. */
class Begun {
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
    if (!url || !client || !discovered) throw new Error('The SDK gave no address to sign in at.');
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      throw new HubError('UNAVAILABLE', `Server "${name}" names an address to sign in at that is no web page.`);
    }
    return {
      url,
      pending: {
        state,
        redirectUrl,
        codeVerifier: this.verifier,
        scope: url.searchParams.get('scope'),
        server: serverOf(discovered.authorizationServerUrl, discovered.authorizationServerMetadata),
        client,
        resource: this.resource ?? null,
      },
    };
  }
}

interface OwnGrantOptions {
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
