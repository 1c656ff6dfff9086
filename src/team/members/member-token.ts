import { hash, randomBytes } from 'node:crypto';

export interface MemberToken {
  /** Shown once and never stored. */
  token: string;
  /** Stored instead of the token. */
  hash: string;
}

export function newMemberToken(): MemberToken {
  const token = `zoo_${randomBytes(32).toString('base64url')}`;
  return { token, hash: hashToken(token) };
}

/** A fast hash is enough for 256 random bits. Because the hash is looked up, timing reveals nothing about the token. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}
