import type { Vault } from '../vault/vault.ts';
import type { CredentialStore } from './supervise/server-connection.ts';

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
