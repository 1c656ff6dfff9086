import {
  assertSecureTokenEndpoint,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  selectClientAuthMethod,
} from '@modelcontextprotocol/client';
import { systemClock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import type { SignIn, SignInOptions } from '../../servers/supervise/server-connection.ts';
import type { HttpFetch } from '../http/http-fetch.ts';
import type { HttpDefinition } from '../http/http-transport.ts';
import { authorize, requestClientGrant } from './oauth-authorize.ts';
import { isRefusal, oauthError } from './oauth-errors.ts';
import { checkSignInPage, createOAuthFetch } from './oauth-fetch.ts';
import {
  addPending,
  type Challenge,
  clientOf,
  endsSoon,
  type Grant,
  grantOf,
  loadChallenge,
  loadGrant,
  metadataOf,
  saveChallenge,
  saveGrant,
  takePending,
} from './oauth-grant.ts';

const revokeMs = 5_000;

/** Signs in with OAuth 2.1 (authorization code with PKCE). The caller opens the browser and waits for it. */
export const signIn: SignIn = {
  begin: (options) =>
    withFetch(options, async (definition, fetch) => {
      const { name, credentials, redirectUrl, state, clock = systemClock } = options;
      const settings = oauthSettings(definition);
      const now = clock.now();
      const stored = await loadChallenge(credentials);
      const found = stored ? { challenge: stored, isOpen: false } : await askServer(definition, fetch);
      if (found.isOpen && definition.auth === null) return undefined;
      const { challenge } = found;
      const common = { name, url: definition.url, settings, challenge, fetch, now };
      if (settings.grant === 'client-credentials') {
        await saveGrant(credentials, await requestClientGrant({ ...common, credentials }));
        return undefined;
      }
      const { url, pending } = await authorize({ ...common, credentials, redirectUrl, state });
      await checkSignInPage(name, definition, { url, signal: options.signal });
      await addPending(credentials, pending);
      return url;
    }),

  finish: (options) =>
    withFetch(options, async (_definition, fetch) => {
      const { credentials, state, code, issuer, clock = systemClock } = options;
      const pending = await takePending(credentials, state);
      if (!pending) throw new HubError('INVALID_ARGUMENTS', 'This sign-in is unknown or has expired. Start it again.');
      const { server, client, resource, scope } = pending;
      try {
        const tokens = await exchangeAuthorization(server.url, {
          ...metadataOf(server),
          clientInformation: clientOf(client),
          authorizationCode: code,
          codeVerifier: pending.codeVerifier,
          redirectUri: pending.redirectUrl,
          ...(issuer !== undefined && { iss: issuer }),
          ...(resource !== null && { resource }),
          fetchFn: fetch,
        });
        await saveGrant(credentials, grantOf(tokens, { now: clock.now(), server, client, resource, scope }));
      } catch (error) {
        // If the server no longer knows the client, the next sign-in registers it again.
        if (isRefusal(error) && /client/.test((error as { code?: string }).code ?? ''))
          await credentials.save('client', null);
        throw error;
      }
      await credentials.save('client', JSON.stringify(client));
      await saveChallenge(credentials, undefined);
    }),

  async revoke({ name, definition, credentials }) {
    if (definition.transport === 'stdio') return;
    const grant = await loadGrant(credentials).catch(() => undefined);
    if (!grant) return;
    const fetch = createOAuthFetch(name, definition, { signal: AbortSignal.timeout(revokeMs) });
    // The tokens are deleted here in any case; if the server cannot be reached, they expire there.
    await revokeTokens(grant, fetch).catch(() => {});
  },

  async endsSoon({ definition, credentials, now }) {
    // Tokens of the hub's own client are requested again without the user.
    if (definition.transport === 'stdio' || oauthSettings(definition).grant === 'client-credentials') return null;
    const grant = await loadGrant(credentials);
    return grant ? endsSoon(grant, now) : null;
  },
};

async function withFetch<T>(
  { name, definition, signal }: SignInOptions,
  work: (definition: HttpDefinition, fetch: HttpFetch['fetch']) => Promise<T>,
): Promise<T> {
  if (definition.transport === 'stdio') {
    throw new HubError('INVALID_ARGUMENTS', `The server "${name}" runs a command, so it does not use sign-in.`);
  }
  try {
    return await work(definition, createOAuthFetch(name, definition, { signal }));
  } catch (error) {
    throw oauthError(name, error);
  }
}

function oauthSettings({ auth }: HttpDefinition) {
  return auth?.type === 'oauth' ? auth : { type: 'oauth' as const, grant: 'authorization-code' as const };
}

/** Asks the server for its challenge by sending a request without a token. Opens no session. */
async function askServer(
  { url }: HttpDefinition,
  fetch: HttpFetch['fetch'],
): Promise<{ challenge: Challenge | undefined; isOpen: boolean }> {
  const response = await fetch(url, { headers: { accept: 'text/event-stream' } });
  await response.text();
  if (response.status !== 401) return { challenge: undefined, isOpen: response.status !== 403 };
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  const challenge = {
    ...(resourceMetadataUrl && { resourceMetadataUrl: resourceMetadataUrl.href }),
    ...(scope !== undefined && { scope }),
  };
  return { challenge, isOpen: false };
}

/** RFC 7009. Most servers revoke the access tokens with the refresh token; the access token is revoked as well for the others. */
async function revokeTokens(
  { server, client, refreshToken, accessToken }: Grant,
  fetch: HttpFetch['fetch'],
): Promise<void> {
  const endpoint = server.metadata?.revocation_endpoint;
  if (typeof endpoint !== 'string') return;
  const url = assertSecureTokenEndpoint(endpoint);
  const { metadata } = metadataOf(server);
  const method = selectClientAuthMethod(clientOf(client), metadata?.token_endpoint_auth_methods_supported ?? []);
  const tokens = [
    ['refresh_token', refreshToken],
    ['access_token', accessToken],
  ] as const;
  for (const [hint, token] of tokens) {
    if (token === null) continue;
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
    const body = new URLSearchParams({ token, token_type_hint: hint });
    const { client_id: id, client_secret: secret = '' } = client;
    if (method === 'client_secret_basic') headers.set('authorization', `Basic ${btoa(`${id}:${secret}`)}`);
    else body.set('client_id', id);
    if (method === 'client_secret_post') body.set('client_secret', secret);
    await fetch(url, { method: 'POST', headers, body });
  }
}
