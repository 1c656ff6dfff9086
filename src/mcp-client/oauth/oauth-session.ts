import { extractWWWAuthenticateParams, refreshAuthorization } from '@modelcontextprotocol/client';
import { type Clock, systemClock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import type { ServerAuth } from '../../servers/server-definition.ts';
import type { ConnectOptions, CredentialStore } from '../../servers/supervise/server-connection.ts';
import type { HttpFetch } from '../http/http-fetch.ts';
import type { HttpDefinition } from '../http/http-transport.ts';
import { requestClientGrant } from './oauth-authorize.ts';
import { isRefusal, oauthError } from './oauth-errors.ts';
import { createOAuthFetch } from './oauth-fetch.ts';
import {
  clientOf,
  type Grant,
  grantOf,
  loadChallenge,
  loadGrant,
  metadataOf,
  saveChallenge,
  saveGrant,
} from './oauth-grant.ts';

export interface OAuthSessionOptions {
  name: string;
  definition: HttpDefinition;
  credentials: CredentialStore;
  clock: Clock;
  /** 0 to 1. */
  random: () => number;
  grant: Grant | undefined;
}

const mask = '••••••••';
/** When to look for tokens that another process has renewed but maybe not stored yet. */
const pollDelaysMs = [0, 50, 150, 300, 500];
/** How long to leave an unreachable authorization server alone while the token is still valid. */
const pauseMs = 10_000;

/** The tokens of one connection: sent with each request, renewed before they expire and after a 401, and masked in all output. */
export class OAuthSession {
  readonly #options: OAuthSessionOptions;
  readonly #settings: Extract<ServerAuth, { type: 'oauth' }>;
  readonly #origin: string;
  readonly #secrets = new Set<string>();
  /** Spreads the renewals of processes that share a store: the first one renews for all. */
  readonly #ahead: number;
  #grant: Grant | undefined;
  #renewing: Promise<boolean> | undefined;
  /** A refresh token that the authorization server has rejected. */
  #refused: string | undefined;
  #notBefore = 0;

  constructor(options: OAuthSessionOptions) {
    const { auth, url } = options.definition;
    this.#options = options;
    this.#settings = auth?.type === 'oauth' ? auth : { type: 'oauth', grant: 'authorization-code' };
    this.#origin = new URL(url).origin;
    this.#ahead = options.random() / 4;
    this.#keep(options.grant);
  }

  /** Adds the token to requests to the server. A request that got a 401 was not processed, so it is sent once more. */
  wrap(plain: HttpFetch['fetch']): HttpFetch['fetch'] {
    return async (address, init) => {
      if (new URL(address).origin !== this.#origin) return plain(address, init);
      const used = await this.#token();
      const response = await plain(address, withToken(init, used));
      if (response.status < 400) return response;
      const again = response.status === 401 ? await this.#renew(used) : await this.#widen(response, init);
      if (!again) return this.#refuse(response);
      await response.text();
      const second = await plain(address, withToken(init, this.#grant?.accessToken));
      return second.status < 400 ? second : this.#refuse(second);
    };
  }

  /** Masks all tokens in a text. */
  mask(text: string): string {
    let masked = text;
    for (const secret of this.#secrets) masked = masked.replaceAll(secret, mask);
    return masked;
  }

  async #token(): Promise<string | undefined> {
    const grant = this.#grant;
    const now = this.#options.clock.now();
    if (!grant || now < Math.max(this.#renewAt(grant), this.#notBefore)) return grant?.accessToken;
    try {
      await this.#renew(grant.accessToken);
    } catch (error) {
      if (now >= (grant.expiresAt ?? now)) throw error;
      this.#notBefore = now + pauseMs;
    }
    return this.#grant?.accessToken;
  }

  #renewAt({ renewAt, expiresAt }: Grant): number {
    if (renewAt === null || expiresAt === null) return Number.POSITIVE_INFINITY;
    return renewAt - (expiresAt - renewAt) * this.#ahead;
  }

  /** Returns true if there is now a token other than the one that was used. Concurrent callers share one renewal. */
  async #renew(used: string | undefined): Promise<boolean> {
    if (this.#renewing === undefined && this.#grant && this.#grant.accessToken !== used) return true;
    this.#renewing ??= this.#renewOnce().finally(() => {
      this.#renewing = undefined;
    });
    return (await this.#renewing) && this.#grant?.accessToken !== used;
  }

  async #renewOnce(): Promise<boolean> {
    const { credentials, clock, name, definition } = this.#options;
    const isClientGrant = this.#settings.grant === 'client-credentials';
    const stored = await loadGrant(credentials);
    if (stored?.accessToken !== this.#grant?.accessToken) this.#keep(stored);
    // Another process renewed the tokens, or the user signed out there.
    if (stored && stored === this.#grant && clock.now() < this.#renewAt(stored)) return true;
    const grant = this.#grant;
    const refreshToken = grant?.refreshToken ?? undefined;
    if (!isClientGrant && (refreshToken === undefined || refreshToken === this.#refused)) return false;
    const fetch = createOAuthFetch(name, definition);
    try {
      const next =
        isClientGrant || !grant || refreshToken === undefined
          ? await this.#requestClientGrant(fetch)
          : await refresh(grant, { refreshToken, fetch, now: clock.now() });
      this.#keep(next);
      await saveGrant(credentials, next);
      return true;
    } catch (error) {
      if (isClientGrant || !isRefusal(error)) throw this.#explain(error, isClientGrant && isRefusal(error));
      this.#refused = refreshToken;
      return this.#awaitOtherProcess(grant);
    }
  }

  async #requestClientGrant(fetch: HttpFetch['fetch']): Promise<Grant> {
    const { credentials, clock, name, definition } = this.#options;
    return requestClientGrant({
      name,
      url: definition.url,
      settings: this.#settings,
      challenge: await loadChallenge(credentials),
      credentials,
      fetch,
      now: clock.now(),
    });
  }

  /** Waits for the tokens of another process that renewed at the same time. */
  async #awaitOtherProcess(grant: Grant | undefined): Promise<boolean> {
    for (const milliseconds of pollDelaysMs) {
      await systemClock.sleep(milliseconds);
      if (await this.#adopt(grant)) return true;
    }
    return false;
  }

  /** Takes over tokens that another process has stored. */
  async #adopt(known: Grant | undefined): Promise<boolean> {
    const stored = await loadGrant(this.#options.credentials);
    if (!stored || stored.accessToken === known?.accessToken) return false;
    this.#keep(stored);
    return true;
  }

  /** Handles a server that requires a wider scope: requests a new client grant, or asks the user to sign in again. */
  async #widen(response: Response, init: RequestInit | undefined): Promise<boolean> {
    if (response.status !== 403) return false;
    const { error, scope = '' } = extractWWWAuthenticateParams(response);
    if (error !== 'insufficient_scope') return false;
    const before = words(this.#grant?.scope);
    const wanted = [...new Set([...before, ...words(scope)])];
    await this.#storeChallenge(response, wanted.join(' '));
    if (this.#settings.grant === 'client-credentials') {
      return wanted.length > before.length && this.#renew(this.#grant?.accessToken);
    }
    // A refused stream does not affect calls.
    if (init?.method !== 'POST') return false;
    const { name } = this.#options;
    throw new HubError(
      'SIGN_IN_REQUIRED',
      `Server "${name}" requires more permissions (${wanted.join(' ') || 'it does not say which'}). Sign in again: zoo mcp-server sign-in ${name}`,
      { details: { server: name, scope: wanted.join(' '), mayHaveRun: false } },
    );
  }

  async #refuse(response: Response): Promise<Response> {
    if (response.status === 401) await this.#storeChallenge(response);
    const { status, statusText, headers } = response;
    const text = await response.text();
    return new Response(this.mask(text), { status, statusText, headers });
  }

  /** Stores the server's challenge for the next sign-in. */
  async #storeChallenge(response: Response, scope?: string): Promise<void> {
    const challenge = extractWWWAuthenticateParams(response);
    const requiredScope = scope ?? challenge.scope;
    await saveChallenge(this.#options.credentials, {
      ...(challenge.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl.href }),
      ...(requiredScope !== undefined && { scope: requiredScope }),
      // If it cannot be stored, the sign-in asks the server again.
    }).catch(() => {});
  }

  #keep(grant: Grant | undefined): void {
    this.#grant = grant;
    for (const secret of [grant?.accessToken, grant?.refreshToken, grant?.client.client_secret]) {
      if (secret) this.#secrets.add(secret);
    }
  }

  #explain(error: unknown, isLasting: boolean): HubError {
    const { code, message, details } = oauthError(this.#options.name, error);
    const options = { details: { ...details, mayHaveRun: false } };
    return new HubError(isLasting ? 'INVALID_CONFIG' : code, this.mask(message), options);
  }
}

async function refresh(
  grant: Grant,
  { refreshToken, fetch, now }: { refreshToken: string; fetch: HttpFetch['fetch']; now: number },
): Promise<Grant> {
  const { server, client, resource, scope } = grant;
  const tokens = await refreshAuthorization(server.url, {
    ...metadataOf(server),
    clientInformation: clientOf(client),
    refreshToken,
    ...(resource !== null && { resource }),
    fetchFn: fetch,
  });
  return grantOf(tokens, { now, server, client, resource, scope });
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit | undefined {
  if (token === undefined) return init;
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${token}`);
  return { ...init, headers };
}

function words(scope: string | null | undefined): string[] {
  return scope?.split(/\s+/).filter(Boolean) ?? [];
}

/**
 * Opens the OAuth session of a connection. Returns undefined if the server does not use OAuth: all other credentials are headers.
 */
export async function openOAuthSession(options: ConnectOptions): Promise<OAuthSession | undefined> {
  const { name, definition, credentials, clock = systemClock } = options;
  if (definition.transport === 'stdio' || !credentials) return undefined;
  const { auth } = definition;
  if (auth !== null && auth.type !== 'oauth') return undefined;
  const grant = await loadGrant(credentials).catch((error: unknown) => {
    // A server that needs no sign-in must work even if the vault cannot be opened.
    if (auth === null && error instanceof HubError && error.code === 'UNAVAILABLE') return undefined;
    throw error;
  });
  return new OAuthSession({ name, definition, credentials, clock, random: Math.random, grant });
}
