import { hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { HubError } from '../base/hub-error.ts';

/** The part of a request that can carry a credential. */
export interface CredentialRequest {
  headers: IncomingHttpHeaders;
}

const prefixes = { owner: 'zoo_owner_', client: 'zoo_client_', session: 'zoo_session_', code: 'zoo_code_' } as const;
export type CredentialKind = keyof typeof prefixes;

export interface NewSecret {
  /** The secret, which is shown once and never stored. */
  secret: string;
  /** The hash of the secret, which is stored. */
  hash: string;
}

export function newSecret(kind: Exclude<CredentialKind, 'owner'>): NewSecret {
  const secret = prefixes[kind] + randomBytes(32).toString('base64url');
  return { secret, hash: hashSecret(secret) };
}

/** The owner's key as text. */
export function ownerSecret(bytes: Uint8Array): string {
  return prefixes.owner + Buffer.from(bytes).toString('base64url');
}

/** A fast hash is enough for 256 random bits. Because the hash is looked up, timing reveals nothing about the secret. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** Returns the kind of a credential; undefined for anything else, such as a member's token. */
export function kindOf(secret: string): CredentialKind | undefined {
  const kinds = Object.keys(prefixes) as CredentialKind[];
  // A member's token is `zoo_` and 43 random characters, which is shorter than all of these.
  return secret.length > 47 ? kinds.find((kind) => secret.startsWith(prefixes[kind])) : undefined;
}

/** Returns the token of `Authorization: Bearer …`. Throws PERMISSION_DENIED for another scheme. */
export function bearerToken({ headers }: CredentialRequest): string | undefined {
  const header = headers.authorization;
  if (header === undefined) return undefined;
  const token = /^Bearer +(\S+) *$/i.exec(header)?.[1];
  if (token === undefined)
    throw new HubError(
      'PERMISSION_DENIED',
      'The Authorization header must be "Bearer", a space and a key or a member\'s token.',
    );
  return token;
}

/** Returns the value of a cookie. Browsers send each name once. */
export function cookieOf({ headers }: CredentialRequest, name: string): string | undefined {
  for (const part of headers.cookie?.split(';') ?? []) {
    const at = part.indexOf('=');
    if (at !== -1 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}
