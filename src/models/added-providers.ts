import { z } from 'zod';
import { HubError } from '../base/hub-error.ts';
import { parseWith } from '../base/validate.ts';
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
export async function saveProvider(store: SettingStore, name: string, input: ProviderInput): Promise<void> {
  const address = checkInput(name, input);
  const { type, version } = input;
  await store.write(prefix + name, { type, ...(address !== undefined && { baseUrl: address }) }, version);
}

/** Returns false if there is no such provider. */
export function removeProvider(store: SettingStore, name: string, version?: number): Promise<boolean> {
  return store.delete(prefix + name, version);
}

/** Returns the address in the form that keys are bound to; undefined for the type's own. Throws INVALID_ARGUMENTS. */
export function checkInput(name: string, { type, baseUrl }: ProviderInput): string | undefined {
  parseWith(ProviderName, name, { what: `The name "${name.slice(0, 80)}" of the provider` });
  if (baseUrl !== undefined && baseUrl !== '') return checkAddress(baseUrl, type);
  if (type === 'openai-compatible' && name !== type)
    throw new HubError('INVALID_ARGUMENTS', 'An OpenAI-compatible provider needs an address.');
  return undefined;
}

function checkAddress(baseUrl: string, type: ProviderInput['type']): string {
  try {
    return readUrl(baseUrl, type, 'The address');
  } catch (error) {
    throw error instanceof HubError ? new HubError('INVALID_ARGUMENTS', error.message) : error;
  }
}
