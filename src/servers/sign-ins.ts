import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Vault } from '../vault/vault.ts';
import type { CredentialStore } from './supervise/server-connection.ts';

interface PendingSignIn {
  server: string;
  redirectUrl: string;
  begunAt: number;
}

/** A sign-in that takes longer must be started again. */
const maxAgeMs = 10 * 60_000;
const maxPending = 100;

/** Sign-ins that wait for the browser to return. Each `state` is valid once. */
export class SignIns {
  readonly #clock: Clock;
  readonly #pending = new Map<string, PendingSignIn>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(server: string, redirectUrl: string): string {
    const state = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
    for (const [key, { begunAt }] of this.#pending) if (this.#isExpired(begunAt)) this.#pending.delete(key);
    const [oldest] = this.#pending.keys();
    if (oldest !== undefined && this.#pending.size >= maxPending) this.#pending.delete(oldest);
    this.#pending.set(state, { server, redirectUrl, begunAt: this.#clock.now() });
    return state;
  }

  /** Throws INVALID_ARGUMENTS for an unknown or expired state. */
  take(state: string): PendingSignIn {
    const pending = this.#pending.get(state);
    this.#pending.delete(state);
    if (pending && !this.#isExpired(pending.begunAt)) return pending;
    throw new HubError('INVALID_ARGUMENTS', 'This sign-in is unknown or has expired. Start it again.');
  }

  drop(state: string): void {
    this.#pending.delete(state);
  }

  #isExpired(begunAt: number): boolean {
    return this.#clock.now() - begunAt > maxAgeMs;
  }
}

const keys = ['tokens', 'client', 'verifier', 'discovery'] as const;

/**
 * Returns the store for a server's OAuth credentials. Credentials belong to a URL: they are never sent to another URL that takes over
 * the server's name.
 */
export function serverCredentials(vault: Vault, name: string, address: string): CredentialStore {
  let prefix: Promise<string> | undefined;
  const nameOf = async (key: string) => {
    prefix ??= digest(address).then((hash) => `${vaultPrefix(name)}${hash}/`);
    return `${await prefix}${key}`;
  };
  return {
    load: async (key) => vault.get(await nameOf(key)),
    save: async (key, value) => vault.set(await nameOf(key), value),
  };
}

export async function forgetCredentials(credentials: CredentialStore): Promise<void> {
  for (const key of keys) await credentials.save(key, null);
}

/** Forgets the credentials for every URL that a server of this name had. */
export async function forgetAllCredentials(vault: Vault, name: string): Promise<void> {
  for (const each of await vault.names(vaultPrefix(name))) await vault.set(each.name, null);
}

function vaultPrefix(name: string): string {
  return `servers/${name}/`;
}

async function digest(text: string): Promise<string> {
  const { createHash } = await import('node:crypto');
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
