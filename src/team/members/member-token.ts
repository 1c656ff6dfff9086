import { hash, randomBytes } from 'node:crypto';

export interface MemberToken {
  /** Shown once, kept nowhere. */
  token: string;
  /** What is stored. */
  hash: string;
}

export function newMemberToken(): MemberToken {
  const token = `zoo_${randomBytes(32).toString('base64url')}`;
  return { token, hash: hashToken(token) };
}

/** 256 random bits need no slow hash: nobody tries them all. Looking the hash up tells nothing of the token by its time. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}
