import type {
  AuthorizationServerMetadata,
  OAuthTokens,
  StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { CredentialStore } from '../../servers/supervise/server-connection.ts';

/** An authorization server and the metadata it publishes. */
const AuthorizationServer = z.object({
  url: z.string(),
  metadata: z.looseObject({ issuer: z.string(), token_endpoint: z.string() }).optional(),
});

const RegisteredClient = z.looseObject({
  client_id: z.string(),
  client_secret: z.string().optional(),
  issuer: z.string().optional(),
  redirect_uris: z.array(z.string()).optional(),
  client_secret_expires_at: z.number().optional(),
});

/** Everything that belongs to one sign-in. It is one record, so that two sign-ins are never mixed up. */
const Grant = z.object({
  accessToken: z.string(),
  refreshToken: z.string().nullable(),
  scope: z.string().nullable(),
  /** Null if the server did not say. */
  expiresAt: z.number().nullable(),
  /** Null in grants of older versions. */
  issuedAt: z.number().nullable().default(null),
  renewAt: z.number().nullable(),
  server: AuthorizationServer,
  client: RegisteredClient,
  resource: z.string().nullable(),
});
export type Grant = z.infer<typeof Grant>;

/** A sign-in that waits for the browser, with everything needed to finish it. */
const PendingGrant = z.object({
  state: z.string(),
  codeVerifier: z.string(),
  redirectUrl: z.string(),
  scope: z.string().nullable(),
  server: AuthorizationServer,
  client: RegisteredClient,
  resource: z.string().nullable(),
});
export type PendingGrant = z.infer<typeof PendingGrant>;

/** What a server asked for when it refused a request. */
const Challenge = z.object({ resourceMetadataUrl: z.string().optional(), scope: z.string().optional() });
export type Challenge = z.infer<typeof Challenge>;

export type AuthorizationServer = z.infer<typeof AuthorizationServer>;
export type RegisteredClient = z.infer<typeof RegisteredClient>;

const earlyMs = 60_000;
const maxPending = 5;

export async function loadGrant(credentials: CredentialStore): Promise<Grant | undefined> {
  return read(Grant, await credentials.load('tokens'));
}

export async function saveGrant(credentials: CredentialStore, grant: Grant): Promise<void> {
  await credentials.save('tokens', JSON.stringify(grant));
}

/** Creates a grant. It is renewed a minute before it expires, or halfway through its lifetime if that is less than two minutes. */
export function grantOf(
  tokens: OAuthTokens,
  { now, ...rest }: Pick<Grant, 'server' | 'client' | 'resource' | 'scope'> & { now: number },
): Grant {
  const lifeMs = tokens.expires_in === undefined ? null : Math.max(0, tokens.expires_in * 1_000);
  return {
    ...rest,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? null,
    scope: tokens.scope ?? rest.scope,
    expiresAt: lifeMs === null ? null : now + lifeMs,
    issuedAt: now,
    renewAt: lifeMs === null ? null : now + lifeMs - Math.min(earlyMs, lifeMs / 2),
  };
}

const maxNoticeMs = 24 * 3_600_000;
const minNoticeMs = 10 * 60_000;

/**
 * Returns when a grant ends, if that is soon and nothing can renew it. Soon is the last day, or the last quarter of a shorter lifetime, so that
 * a new sign-in is never about to expire.
 */
export function endsSoon({ expiresAt, issuedAt, refreshToken }: Grant, now: number): number | null {
  if (expiresAt === null || refreshToken !== null) return null;
  const noticeMs = issuedAt === null ? minNoticeMs : Math.min(maxNoticeMs, (expiresAt - issuedAt) / 4);
  return now >= expiresAt - noticeMs ? expiresAt : null;
}

export async function loadClient(credentials: CredentialStore): Promise<RegisteredClient | undefined> {
  return read(RegisteredClient, await credentials.load('client'));
}

export async function addPending(credentials: CredentialStore, pending: PendingGrant): Promise<void> {
  const others = await loadPending(credentials);
  await credentials.save('verifier', JSON.stringify([...others, pending].slice(-maxPending)));
}

/** Removes and returns the pending sign-in: a `state` is valid once. */
export async function takePending(credentials: CredentialStore, state: string): Promise<PendingGrant | undefined> {
  const all = await loadPending(credentials);
  const others = all.filter((each) => each.state !== state);
  if (others.length < all.length) {
    await credentials.save('verifier', others.length === 0 ? null : JSON.stringify(others));
  }
  return all.find((each) => each.state === state);
}

async function loadPending(credentials: CredentialStore): Promise<PendingGrant[]> {
  return read(z.array(PendingGrant), await credentials.load('verifier')) ?? [];
}

export async function loadChallenge(credentials: CredentialStore): Promise<Challenge | undefined> {
  return read(Challenge, await credentials.load('discovery'));
}

export async function saveChallenge(credentials: CredentialStore, challenge: Challenge | undefined): Promise<void> {
  const before = await credentials.load('discovery');
  const after = challenge && JSON.stringify(challenge);
  if (before !== after) await credentials.save('discovery', after ?? null);
}

/** Returns the metadata in the SDK's type. The SDK checked it when it was read from the server. */
export function metadataOf({ metadata }: AuthorizationServer): { metadata?: AuthorizationServerMetadata } {
  return metadata ? { metadata: metadata as AuthorizationServerMetadata } : {};
}

export function clientOf(client: RegisteredClient): StoredOAuthClientInformation {
  return client as StoredOAuthClientInformation;
}

const keptMetadata = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'revocation_endpoint',
  'response_types_supported',
  'token_endpoint_auth_methods_supported',
  'authorization_response_iss_parameter_supported',
] as const;

/** Keeps only the metadata that is needed after the sign-in. */
export function toAuthorizationServer(
  url: string,
  metadata: AuthorizationServerMetadata | undefined,
): AuthorizationServer {
  if (!metadata) return { url };
  const all: Record<string, unknown> = metadata;
  const entries = keptMetadata.flatMap((key) => (all[key] === undefined ? [] : [[key, all[key]]]));
  return AuthorizationServer.parse({ url, metadata: Object.fromEntries(entries) });
}

/** Ignores values that an older version stored in another shape. */
function read<T>(schema: z.ZodType<T>, text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
