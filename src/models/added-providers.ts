import { z } from 'zod';
import { HubError } from '../base/hub-error.ts';
import type { SettingStore } from '../settings/settings.ts';
import { type ProviderInput, ProviderName, type ProviderSettings, ProviderType } from './language-models.ts';
import { readUrl } from './provider-access.ts';

const prefix = 'providers.';

const AddedProvider = z.object({ type: ProviderType, baseUrl: z.string().optional() });

export interface AddedProviders {
  settings: Record<string, ProviderSettings>;
  versions: Record<string, number>;
}

/** Returns the providers that were added in the app. */
export async function addedProviders(store: SettingStore | undefined): Promise<AddedProviders> {
  const found = (await store?.list(prefix, AddedProvider)) ?? [];
  const byName = found.map(({ key, value, version }) => ({ name: key.slice(prefix.length), value, version }));
  return {
    settings: Object.fromEntries(byName.map(({ name, value }) => [name, { ...value, isAdded: true as const }])),
    versions: Object.fromEntries(byName.map(({ name, version }) => [name, version])),
  };
}

/** Throws INVALID_ARGUMENTS for a wrong name or address, and CONFLICT. */
export async function saveProvider(
  store: SettingStore,
  name: string,
  { type, baseUrl, version }: Omit<ProviderInput, 'key'>,
): Promise<void> {
  const { error } = ProviderName.safeParse(name);
  if (error) throw new HubError('INVALID_ARGUMENTS', `The name "${name.slice(0, 80)}" ${error.issues[0]?.message}.`);
  const address = baseUrl === undefined || baseUrl === '' ? undefined : checkAddress(baseUrl, type);
  if (type === 'openai-compatible' && address === undefined && name !== type)
    throw new HubError('INVALID_ARGUMENTS', 'An OpenAI-compatible provider needs an address.');
  await store.write(prefix + name, { type, ...(address !== undefined && { baseUrl: address }) }, version);
}

/** Returns false if there is no such provider. */
export function removeProvider(store: SettingStore, name: string): Promise<boolean> {
  return store.delete(prefix + name);
}

function checkAddress(baseUrl: string, type: ProviderType): string {
  try {
    return readUrl(baseUrl, type, 'The address');
  } catch (error) {
    throw error instanceof HubError ? new HubError('INVALID_ARGUMENTS', error.message) : error;
  }
}
