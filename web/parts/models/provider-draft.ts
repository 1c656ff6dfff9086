import type { ProviderInfo, ProviderType } from '../../../src/models/language-models.ts';
import type { ProviderChange } from '../../api/provider-queries.ts';

/** A provider as it is being entered. */
export interface ProviderDraft {
  type: ProviderType;
  /** Empty until the user edits it; then `suggestedName` no longer applies. */
  name: string;
  address: string;
  key: string;
}

export const emptyDraft: ProviderDraft = { type: 'openai', name: '', address: '', key: '' };

/** The order in which types are offered. */
export const providerTypes: readonly ProviderType[] = ['openai', 'anthropic', 'google', 'ollama', 'openai-compatible'];

export const ownAddresses: Record<ProviderType, string> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  ollama: 'http://127.0.0.1:11434/v1',
  'openai-compatible': 'http://127.0.0.1:8000/v1',
};

/** Returns a name for the provider that no other one has: its type or a word of its address, with a number if necessary. */
export function suggestedName(draft: ProviderDraft, providers: readonly ProviderInfo[]): string {
  const word = wordFor(draft);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? word : `${word}-${number}`;
    if (isFree(draft, findProvider(providers, name))) return name;
  }
}

function wordFor({ type, address }: Pick<ProviderDraft, 'type' | 'address'>): string {
  if (type !== 'openai-compatible') return type;
  const { hostname = '' } = URL.parse(address) ?? {};
  if (hostname === '' || hostname === 'localhost' || /^[\d.]+$|^\[/.test(hostname)) return 'local';
  return hostname.split('.').at(-2) ?? hostname;
}

/** Returns the name under which the draft is saved. `own` is the provider that the form changes, or has saved before. */
export function nameOf(draft: ProviderDraft, providers: readonly ProviderInfo[], own?: string): string {
  return own ?? (draft.name.trim() || suggestedName(draft, providers));
}

/** Returns why the typed name cannot be used; null if it can. */
export function takenName(draft: ProviderDraft, providers: readonly ProviderInfo[], own?: string): string | null {
  const name = draft.name.trim();
  if (own !== undefined || name === '' || isFree(draft, findProvider(providers, name))) return null;
  return `There is already a provider "${name}". Choose another name.`;
}

/** Whether saving the draft under this name replaces nothing: no address, and no key. */
function isFree(draft: ProviderDraft, known: ProviderInfo | undefined): boolean {
  if (known === undefined) return true;
  if (known.type !== draft.type) return false;
  if (known.from === 'built-in') return draft.key.trim() === '' || known.key !== 'vault' || isSame(draft, known);
  return isSame(draft, known) && (draft.key.trim() === '' || known.key === 'none' || known.key === 'not-needed');
}

function isSame({ type, address }: ProviderDraft, known: ProviderInfo): boolean {
  const typed = address.trim();
  return known.type === type && (typed === known.baseUrl || (typed === '' && type !== 'openai-compatible'));
}

export function findProvider(providers: readonly ProviderInfo[], name: string): ProviderInfo | undefined {
  return providers.find((each) => each.name === name);
}

/** Returns what is missing before the provider can be asked; null if nothing is. */
export function missingIn(draft: ProviderDraft, known: ProviderInfo | undefined): 'address' | 'key' | null {
  if (draft.type === 'openai-compatible' && draft.address.trim() === '') return 'address';
  const hasKey =
    known !== undefined && (known.key === 'vault' || known.key === 'environment' || known.key === 'config');
  const needsKey = draft.type !== 'ollama' && draft.type !== 'openai-compatible' && draft.address.trim() === '';
  return needsKey && !hasKey && draft.key.trim() === '' ? 'key' : null;
}

/** Returns what the user should know about the key that is already set; null if a new one can be entered. */
export function keyHint(draft: ProviderDraft, known: ProviderInfo | undefined): string | null {
  if (known === undefined) return null;
  const { key } = known;
  if ((key === 'environment' || key === 'config') && isSame(draft, known))
    return `The key from the ${key} takes precedence. Leave this empty, or remove that key there first.`;
  const isSet = key === 'vault' || key === 'environment' || key === 'config';
  return isSet && draft.key === '' ? 'A key is already set. Leave empty to keep it.' : null;
}

/** Returns what must be tried and saved. A provider that keeps its address gets at most a key. */
export function changeOf(draft: ProviderDraft, name: string, known: ProviderInfo | undefined): ProviderChange {
  const key = draft.key.trim();
  const address = draft.address.trim();
  if (known && isSame(draft, known))
    return {
      name,
      trial: key === '' ? null : { kind: 'key', key, ...(known.baseUrl !== null && { baseUrl: known.baseUrl }) },
    };
  const input = {
    type: draft.type,
    ...(address !== '' && { baseUrl: address }),
    ...(key !== '' && { key }),
    version: known?.version ?? null,
  };
  return { name, trial: { kind: 'provider', input } };
}
