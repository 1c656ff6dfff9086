import { z } from 'zod';
import { HubError } from '../base/hub-error.ts';
import type { Vault } from '../vault/vault.ts';
import type { ServerStore } from './server-store.ts';
import type { CredentialStore } from './supervise/server-connection.ts';

/** A sign-in that waits for the browser, with everything that another process needs to finish it. */
const PendingSignIn = z.object({
  server: z.string(),
  /** The server's URL. Its credentials never go to another one. */
  url: z.string(),
  redirectUrl: z.string(),
  /** Belongs to this sign-in alone, so that two sign-ins to one server do not disturb each other. */
  verifier: z.string(),
});
export type PendingSignIn = z.infer<typeof PendingSignIn>;

/** Matches what `newState` returns: 32 bytes. */
const statePattern = /^[\w-]{43}$/;

/** Sign-ins that wait for the browser to return, to this process or another. Each `state` is valid once; only its hash is stored. */
export class SignIns {
  readonly #store: Pick<ServerStore, 'addSignIn' | 'takeSignIn'>;
  readonly #vault: Pick<Vault, 'seal' | 'open'>;

  constructor(store: Pick<ServerStore, 'addSignIn' | 'takeSignIn'>, vault: Pick<Vault, 'seal' | 'open'>) {
    this.#store = store;
    this.#vault = vault;
  }

  newState(): string {
    return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
  }

  async add(state: string, pending: PendingSignIn): Promise<void> {
    const hash = await digest(state);
    await this.#store.addSignIn(hash, await this.#vault.seal(JSON.stringify(pending), sealedName(hash)));
  }

  /** Throws INVALID_ARGUMENTS for an unknown or expired state. */
  async take(state: string): Promise<PendingSignIn> {
    const hash = await digest(state);
    const sealed = statePattern.test(state) ? await this.#store.takeSignIn(hash) : undefined;
    if (sealed === undefined)
      throw new HubError('INVALID_ARGUMENTS', 'This sign-in is unknown or has expired. Start it again.');
    return PendingSignIn.parse(JSON.parse(await this.#vault.open(sealed, sealedName(hash))));
  }
}

function sealedName(stateHash: string): string {
  return `sign-in ${stateHash}`;
}

/** Wraps a server's credentials so that the verifier stays with one sign-in. */
export function withOwnVerifier(
  credentials: CredentialStore,
  verifier?: string,
): CredentialStore & { readonly verifier: string | undefined } {
  let own = verifier;
  return {
    get verifier() {
      return own;
    },
    load: async (key) => (key === 'verifier' ? own : credentials.load(key)),
    save: async (key, value) => {
      if (key === 'verifier') own = value ?? undefined;
      else await credentials.save(key, value);
    },
  };
}

const keys = ['tokens', 'client', 'verifier', 'discovery'] as const;

/**
 * Returns the store for a server's OAuth credentials. Credentials belong to a URL: they are never sent to another URL that takes over
 * the server's name.
 */
export function serverCredentials(vault: Vault, name: string, address: string): CredentialStore {
  let prefix: Promise<string> | undefined;
  const nameOf = async (key: string) => {
    prefix ??= digest(address).then((hash) => `${vaultPrefix(name)}${hash.slice(0, 16)}/`);
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
  return createHash('sha256').update(text).digest('hex');
}
