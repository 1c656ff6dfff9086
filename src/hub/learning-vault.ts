import { secretsIn } from '../config/secret-values.ts';
import type { Vault } from '../vault/vault.ts';

/** Registers every value that enters or leaves the vault as a secret that no log may contain. */
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

/** An API key is stored as plain text; OAuth stores JSON that contains tokens. */
function secretsWithin(text: string): string[] {
  if (!text.startsWith('{')) return [text];
  try {
    return secretsIn(JSON.parse(text));
  } catch {
    return [text];
  }
}
