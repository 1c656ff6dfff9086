import { z } from 'zod';
import type { Vault } from '../vault/vault.ts';

export const savedKeyPrefix = 'provider-key:';

/** A provider's key in the vault. Address and key are sealed together, so that nobody can give the key another address. */
const SavedKey = z.object({
  apiKey: z.string(),
  /** The address that the key was entered for; undefined for a key that was saved before addresses were recorded. */
  baseUrl: z.string().optional(),
});
export type SavedKey = z.infer<typeof SavedKey>;

/** Throws UNAVAILABLE if the vault cannot be opened. */
export async function loadSavedKey(vault: Vault | undefined, provider: string): Promise<SavedKey | undefined> {
  const text = await vault?.get(`${savedKeyPrefix}${provider}`);
  if (!text) return undefined;
  if (!text.startsWith('{')) return { apiKey: text };
  try {
    return SavedKey.parse(JSON.parse(text));
  } catch {
    return { apiKey: text };
  }
}

export async function saveKey(vault: Vault, provider: string, key: Required<SavedKey> | null): Promise<void> {
  await vault.set(`${savedKeyPrefix}${provider}`, key && JSON.stringify(key));
}
