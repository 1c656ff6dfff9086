import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Vault } from '../vault/vault.ts';
import type { CredentialStore } from './supervise/server-connection.ts';

interface PendingSignIn {
  server: string;
  redirectUrl: string;
  begunAt: number;
}

/** A person who takes longer begins anew. */
const lastsMs = 10 * 60_000;
const maxPending = 100;

/** Sign-ins that wait for a browser to come back. A state is good for one time. */
export class SignIns {
  readonly #clock: Clock;
  readonly #pending = new Map<string, PendingSignIn>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(server: string, redirectUrl: string): string {
    const state = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
    for (const [key, { begunAt }] of this.#pending) if (this.#isOld(begunAt)) this.#pending.delete(key);
    const [oldest] = this.#pending.keys();
    if (oldest !== undefined && this.#pending.size >= maxPending) this.#pending.delete(oldest);
    this.#pending.set(state, { server, redirectUrl, begunAt: this.#clock.now() });
    return state;
  }

  /** Throws INVALID_ARGUMENTS for an unknown or old state. */
  take(state: string): PendingSignIn {
    const found = this.#pending.get(state);
    this.#pending.delete(state);
    if (found && !this.#isOld(found.begunAt)) return found;
    throw new HubError(
      'INVALID_ARGUMENTS',
      'This sign-in is not known here, or it was begun too long ago. Begin it again.',
    );
  }

  drop(state: string): void {
    this.#pending.delete(state);
  }

  #isOld(begunAt: number): boolean {
    return this.#clock.now() - begunAt > lastsMs;
  }
}

const keys = ['tokens', 'client', 'verifier', 'discovery'] as const;

/**
 * What signing in to a server left behind. It belongs to an address: the tokens of one are never sent to another that
 * takes its name.
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

/** Of all addresses that a server of this name had. */
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
