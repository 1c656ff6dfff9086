import { z } from 'zod';
import type { Config, EventsConfig } from '../../config/config.ts';
import type { SettingStore } from '../../settings/settings.ts';
import type { Vault } from '../../vault/vault.ts';

/** A webhook or a peer that was added in the app. Its secret is in the vault. */
const StoredEntry = z.object({ url: z.string(), events: z.array(z.string()).optional() });
export type StoredEntry = z.infer<typeof StoredEntry>;

/** Address and secret are sealed together, so that nobody can give the secret another address. */
const SealedSecret = z.object({ origin: z.string(), secret: z.string() });

export const entryKinds = {
  webhook: { path: ['events', 'webhooks'], sealed: 'webhook:' },
  peer: { path: ['a2a', 'peers'], sealed: 'peer:' },
} as const;
export type EntryKind = keyof typeof entryKinds;

interface EntryParts {
  settings: SettingStore;
  vault: Vault;
}

/** Returns the stored webhooks that have a secret for their address. Throws UNAVAILABLE if the vault cannot be opened. */
export async function storedWebhooks(parts: EntryParts): Promise<EventsConfig['webhooks']> {
  const hooks: EventsConfig['webhooks'] = {};
  for (const [name, { url, events }] of await storedEntries(parts.settings, 'webhook')) {
    const secret = await secretFor(parts.vault, 'webhook', name, url);
    if (secret !== undefined) hooks[name] = { url, secret, events };
  }
  return hooks;
}

export async function storedPeers(parts: EntryParts): Promise<Config['a2a']['peers']> {
  const peers: Config['a2a']['peers'] = {};
  for (const [name, { url }] of await storedEntries(parts.settings, 'peer'))
    peers[name] = { url, bearer: await secretFor(parts.vault, 'peer', name, url), headers: {} };
  return peers;
}

export async function storedEntries(settings: SettingStore, kind: EntryKind): Promise<[string, StoredEntry][]> {
  const prefix = `${entryKinds[kind].path.join('.')}.`;
  const found = await settings.list(prefix, StoredEntry);
  return found.map(({ key, value }) => [key.slice(prefix.length), value]);
}

/** Returns the secret that was entered for the origin of this address. */
export async function secretFor(vault: Vault, kind: EntryKind, name: string, url: string): Promise<string | undefined> {
  const text = await vault.get(`${entryKinds[kind].sealed}${name}`);
  if (text === undefined) return undefined;
  const { data } = SealedSecret.safeParse(JSON.parse(text));
  return data?.origin === new URL(url).origin ? data.secret : undefined;
}

export async function saveSecret(
  vault: Vault,
  { kind, name }: { kind: EntryKind; name: string },
  secret: { url: string; secret: string } | null,
): Promise<void> {
  const sealed = secret && JSON.stringify({ origin: new URL(secret.url).origin, secret: secret.secret });
  await vault.set(`${entryKinds[kind].sealed}${name}`, sealed);
}
