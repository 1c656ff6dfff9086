import { secretsIn } from '../config/secret-values.ts';
import type { Vault } from '../vault/vault.ts';

/** Whatever comes out of the vault or goes into it is a secret that no log may hold. */
export function learningVault(vault: Vault, learn: (secrets: readonly string[]) => void): Vault {
  return {
    async get(name) {
      const value = await vault.get(name);
      if (value !== undefined) learn(secretsWithin(value));
      return value;
    },
    async set(name, value) {
      if (value !== null) learn(secretsWithin(value));
      await vault.set(name, value);
    },
    names: (prefix) => vault.names(prefix),
    seal: (text, name) => vault.seal(text, name),
    open: (sealed, name) => vault.open(sealed, name),
  };
}

/** A key stands alone; what OAuth keeps is JSON with tokens in it. */
function secretsWithin(text: string): string[] {
  if (!text.startsWith('{')) return [text];
  try {
    return secretsIn(JSON.parse(text));
  } catch {
    return [text];
  }
}
