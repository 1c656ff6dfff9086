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

/** Returns a name for the provider: its type, or a word of its address. */
export function suggestedName({ type, address }: Pick<ProviderDraft, 'type' | 'address'>): string {
  if (type !== 'openai-compatible') return type;
  const { hostname = '' } = URL.parse(address) ?? {};
  if (hostname === '' || hostname === 'localhost' || /^[\d.]+$|^\[/.test(hostname)) return 'local';
  return hostname.split('.').at(-2) ?? hostname;
}

export function nameOf(draft: ProviderDraft): string {
  return draft.name.trim() || suggestedName(draft);
}

/** Returns what is missing before the provider can be asked; null if nothing is. */
export function missingIn(draft: ProviderDraft, known: ProviderInfo | undefined): 'address' | 'key' | null {
  if (draft.type === 'openai-compatible' && draft.address.trim() === '' && !known?.baseUrl) return 'address';
  const hasKey =
    known !== undefined && (known.key === 'vault' || known.key === 'environment' || known.key === 'config');
  const needsKey = draft.type !== 'ollama' && draft.type !== 'openai-compatible' && draft.address.trim() === '';
  return needsKey && !hasKey && draft.key.trim() === '' ? 'key' : null;
}

/** Returns what must be saved. A provider that the config or the hub defines keeps its address, and gets at most a key. */
export function changeOf(draft: ProviderDraft, known: ProviderInfo | undefined): ProviderChange {
  const name = nameOf(draft);
  const key = draft.key.trim();
  const address = draft.address.trim();
  const isSame = known !== undefined && known.type === draft.type && (address === '' || address === known.baseUrl);
  if (isSame) return key === '' ? { kind: 'none', name } : { kind: 'key', name, key, baseUrl: known.baseUrl };
  return {
    kind: 'provider',
    name,
    input: {
      type: draft.type,
      ...(address !== '' && { baseUrl: address }),
      ...(key !== '' && { key }),
      version: known?.version ?? null,
    },
  };
}
